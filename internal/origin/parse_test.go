package origin

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A "%" that begins no octet is no error, and goes to the site as it is.
func TestParse(t *testing.T) {
	for _, test := range []struct{ text, shown, target string }{
		{"http://example.com/100%/x", "http://example.com/100%/x", "/100%/x"},
		{"http://example.com/100%", "http://example.com/100%", "/100%"},
		{"http://example.com/%zz%2F%", "http://example.com/%zz%2F%", "/%zz%2F%"},
		{"http://example.com/a b%ü?c=%&d#e%", "http://example.com/a%20b%%C3%BC?c=%&d", "/a%20b%%C3%BC?c=%&d"},
		{"http://EXAMPLE.com:80/100%?", "http://example.com/100%?", "/100%?"},
		{"http://exämple.com/%", "http://xn--exmple-cua.com/%", "/%"},
		{"http://example.com//a/../%", "http://example.com//a/../%", "//a/../%"},
		{"http://example.com/a#100%", "http://example.com/a", "/a"},
	} {
		u, err := Parse(test.text)
		require.NoError(t, err, test.text)
		assert.Equal(t, test.shown, u.String())
		req := NewRequest(t.Context(), http.MethodGet, u)
		_, target, err := Of(req, nil)
		require.NoError(t, err, test.text)
		assert.Equal(t, test.target, target)
	}
	for _, text := range []string{"http://a%/b", "http://a%zz.example/b", "http://user:100%@a.example/b", "/100%/x", "%", "mailto:100%", "http://", "http:///100%"} {
		_, want := url.Parse(text)
		_, err := Parse(text)
		assert.Equal(t, want, err, text)
	}
	u, err := Parse("http://example.com/%41?b")
	require.NoError(t, err)
	want, _ := url.Parse("http://example.com/%41?b")
	assert.Equal(t, want, u)
}
