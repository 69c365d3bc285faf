package agent

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What is unpacked for long ends with the call, also if it names nothing.
func TestReadingEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := entries(whileIn{ctx, strings.NewReader("<urlset>")}, new(url.URL))
	assert.ErrorIs(t, err, context.Canceled)
}
