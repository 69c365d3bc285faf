package proxy_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A request that says how many proxies may pass it on goes no further than that (RFC 9110 §7.6.2).
func TestMaxForwards(t *testing.T) {
	w := newWorld(t)
	for _, test := range []struct {
		method, left string
		status       int
		arrives      string // with what is left
	}{
		{"TRACE", "0", 501, ""},
		{"OPTIONS", "0", 501, ""},
		{"OPTIONS", "1", 200, "0"},
		{"OPTIONS", "x", 200, "x"},
		{"GET", "0", 200, "0"},
	} {
		t.Run(test.method+" "+test.left, func(t *testing.T) {
			w.web.Take()
			got := w.raw(t, lines(test.method+" http://shop.test/a HTTP/1.1", "Host: shop.test", "Max-Forwards: "+test.left, "Connection: close"))
			assert.Equal(t, test.status, got.StatusCode)
			pages := w.web.Take().Pages()
			if test.arrives == "" {
				assert.Empty(t, pages)
				return
			}
			require.Len(t, pages, 1)
			assert.Equal(t, test.arrives, pages[0].Header.Get("Max-Forwards"))
		})
	}
}

// What a site says before its answer passes, without the fields that a program must not get. A
// program of HTTP/1.0 does not read it.
func TestInterimAnswers(t *testing.T) {
	w := newWorld(t)
	w.web.Page("shop.test", "/early", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Link", "</s.css>; rel=preload")
		rw.Header().Set("Alt-Svc", `h3=":443"`)
		rw.WriteHeader(http.StatusEarlyHints)
		fmt.Fprint(rw, "page")
	})
	for version, status := range map[string]int{"HTTP/1.1": 103, "HTTP/1.0": 200} {
		conn := w.dial(t)
		_, err := io.WriteString(conn, lines("GET http://shop.test/early "+version, "Host: shop.test", "Connection: close"))
		require.NoError(t, err)
		in := bufio.NewReader(conn)
		first, err := http.ReadResponse(in, nil)
		require.NoError(t, err)
		assert.Equal(t, status, first.StatusCode, version)
		assert.Empty(t, first.Header["Alt-Svc"], version)
		if status == http.StatusEarlyHints {
			assert.Equal(t, "</s.css>; rel=preload", first.Header.Get("Link"))
			first, err = http.ReadResponse(in, nil)
			require.NoError(t, err)
			assert.Equal(t, 200, first.StatusCode)
		}
		all, err := io.ReadAll(first.Body)
		require.NoError(t, err)
		assert.Equal(t, "page", string(all), version)
	}
}
