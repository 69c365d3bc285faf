package origin_test

import (
	"testing"

	"github.com/go-polite/polite/internal/origin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A key leads back to its origin, and no other text leads to one.
func TestOfKey(t *testing.T) {
	for _, o := range []origin.Origin{
		{Host: "example.com", Port: 80},
		{Host: "example.com", Port: 443, TLS: true},
		{Host: "example.com", Port: 8443, TLS: true},
		{Host: "xn--exmple-cua.com", Port: 80},
		{Host: "::1", Port: 8080},
		{Host: "example.com", Port: 80, Dial: "127.0.0.1:8080"},
	} {
		got, err := origin.OfKey(o.Key())
		require.NoError(t, err)
		assert.Equal(t, o, got)
		assert.Equal(t, len(o.Host+o.Dial), o.Size())
	}
	for _, key := range []string{"", "example.com", "http://", "HTTP://example.com", "http://example.com:80", "http://example.com/", "http://example.com ", "http://\x00"} {
		_, err := origin.OfKey(key)
		assert.Error(t, err, "%q", key)
	}
}
