package robotstxt

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTapKeepsWithinBounds(t *testing.T) {
	full := &Tap{size: maxTapped - 10*tappedSize("0", NewText(nil))}
	for i := range 100 {
		full.keep(fmt.Sprint(i), NewText(nil))
	}
	assert.LessOrEqual(t, len(full.urls), 10, "an empty file takes memory too")

	tap := new(Tap)
	for _, name := range []string{"a", "b", "a", "c", "b"} {
		tap.keep(name, NewText(make([]byte, maxTapped/10-1000)))
	}
	assert.Nil(t, tap.Text(polite.Decision{RobotsURL: "a"}))
	assert.NotNil(t, tap.Text(polite.Decision{RobotsURL: "c"}))
	assert.LessOrEqual(t, tap.size, maxTapped)
	assert.Len(t, tap.texts, len(tap.urls))
}

// A body may be closed while it is read: then its site was too slow.
func TestTapOfASlowBody(t *testing.T) {
	tap := &Tap{Base: Everywhere(strings.Repeat("# slow\n", 10_000))}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://a.example/robots.txt", nil)
	require.NoError(t, err)
	resp, err := tap.RoundTrip(req)
	require.NoError(t, err)
	var reading sync.WaitGroup
	reading.Go(func() { io.Copy(struct{ io.Writer }{io.Discard}, resp.Body) })
	assert.NoError(t, resp.Body.Close())
	reading.Wait()
	text := tap.Text(polite.Decision{RobotsURL: "http://a.example/robots.txt"})
	assert.True(t, strings.HasPrefix(strings.Repeat("# slow\n", 10_000), string(text.Body)))
}
