package tester

import (
	"bytes"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// If no browser comes in time, the link is told again.
func TestTesterHints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said bytes.Buffer
		began := time.Now()
		end := hint(t.Context(), "http://127.0.0.1:1/x/", &said)
		time.Sleep(longestOpening)
		synctest.Wait()
		end()
		assert.Equal(t, longestOpening, time.Since(began))
		assert.Equal(t, "polite tester: nothing opened? Open this link: http://127.0.0.1:1/x/\n", said.String())

		said.Reset()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		hint(ctx, "", &said)()
		assert.Empty(t, said.String())
	})
}
