package status_test

import (
	"testing"

	"github.com/go-polite/polite/internal/limit"
	"github.com/go-polite/polite/internal/status"
	"github.com/stretchr/testify/assert"
)

// Every status has a meaning, and what refuses for a while is also bad news of the load.
func TestOf(t *testing.T) {
	for code := range 1000 {
		m := status.Of(code)
		assert.Equal(t, code/100 == 2, m.File == status.Content, code)
		if m.File == status.Missing || m.File == status.Closed {
			assert.Equal(t, 4, code/100, code)
		}
		if m.Refuses {
			assert.Greater(t, m.Load, limit.Good, code)
		}
	}
}
