package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A site is one that curl can fetch from.
type site struct {
	*origintest.Server
	host      string
	transport *polite.Transport
}

// newSite starts a site with a robots.txt. The test is skipped if there is no curl.
func newSite(t *testing.T, robots string) *site {
	if _, err := exec.LookPath("curl"); err != nil {
		t.Skip("curl is not installed")
	}
	web := origintest.New(t)
	s := &site{web, web.Address(), &polite.Transport{UserAgent: userAgent}}
	t.Cleanup(s.transport.CloseIdleConnections)
	web.Robots(s.host, origintest.Text(robots))
	return s
}

// fetch fetches the page at a path.
func (s *site) fetch(ctx context.Context, path string) (string, error) {
	var page bytes.Buffer
	err := fetch(ctx, s.transport, "http://"+s.host+path, &page)
	return page.String(), err
}

const rules = "user-agent: *\ndisallow: /private\n"

// curl sends what is allowed, as it was judged, and nothing else.
func TestFetch(t *testing.T) {
	s := newSite(t, rules)
	s.Page(s.host, "/moved", origintest.Redirect("/private/moved"))
	s.Page(s.host, "/renamed", origintest.Redirect("/page?a=[b]{c}"))
	s.Page(s.host, "/page", origintest.Text("a page\n"))
	s.Page(s.host, "/gone", origintest.Status(http.StatusGone))
	s.Page(s.host, "/circle", origintest.Redirect("/circle"))
	s.Page(s.host, "/reset", origintest.Reset)
	for _, test := range []struct{ path, page, err string }{
		{"/page", "a page\n", ""},
		{"/renamed", "a page\n", ""},
		{"/private", "", "is disallowed"},
		{"/moved", "", "/private/moved is disallowed"},
		{"/gone", "", "410 Gone"},
		{"/circle", "", "too many redirects"},
		{"/reset", "", "curl: ("},
	} {
		page, err := s.fetch(t.Context(), test.path)
		assert.Equal(t, test.page, page, test.path)
		if test.err == "" {
			assert.NoError(t, err, test.path)
		} else {
			assert.ErrorContains(t, err, test.err, test.path)
		}
	}
	s.fetch(t.Context(), "/a/../b")
	uris := s.Log().URIs()
	assert.Equal(t, "/robots.txt", uris[0])
	assert.Contains(t, uris, "/page?a=[b]{c}")
	assert.Contains(t, uris, "/a/../b")
	assert.NotContains(t, strings.Join(uris, " "), "/private")
	for _, a := range s.Log() {
		assert.Equal(t, userAgent, a.Header.Get("User-Agent"), a.URI)
	}
}

// Requests take turns. A gap may be shorter when it arrives, but not the sum of all.
func TestTurns(t *testing.T) {
	t.Parallel() // it waits
	const delay, pages = 300 * time.Millisecond, 8
	s := newSite(t, "user-agent: *\ncrawl-delay: 0.3\n")
	for i := range pages {
		_, err := s.fetch(t.Context(), fmt.Sprint("/", i))
		require.NoError(t, err)
	}
	log := s.Log().Pages()
	require.Len(t, log, pages)
	assert.Greater(t, log[pages-1].Time.Sub(log[0].Time), (pages-1)*delay/2)
}

// After a 429, curl is not run until the break is over.
func TestBreak(t *testing.T) {
	t.Parallel() // it waits
	s := newSite(t, rules)
	s.Page(s.host, "/busy", origintest.Status(http.StatusTooManyRequests, "Retry-After", "2"))
	_, err := s.fetch(t.Context(), "/busy")
	assert.ErrorContains(t, err, "429")
	_, err = s.fetch(t.Context(), "/page")
	assert.NoError(t, err)
	log := s.Log().Pages()
	require.Len(t, log, 2)
	assert.GreaterOrEqual(t, log[1].Time.Sub(log[0].Time), 2*time.Second)
}

// curl ends with the context of its request.
func TestCancel(t *testing.T) {
	s := newSite(t, rules)
	ctx, cancel := context.WithCancel(t.Context())
	s.Page(s.host, "/", func(w http.ResponseWriter, r *http.Request) {
		cancel()
		origintest.Hang(w, r)
	})
	_, err := s.fetch(ctx, "/")
	assert.ErrorIs(t, err, context.Canceled)
}

// A timeout of curl is one of the site.
func TestFailure(t *testing.T) {
	for code, want := range map[int]bool{timedOut: true, 7: false} {
		err := failure(t.Context(), exec.Command("sh", "-c", fmt.Sprint("exit ", code)).Run(), "curl: (n) why\n")
		timeout, ok := errors.AsType[net.Error](err)
		assert.Equal(t, want, ok && timeout.Timeout(), "%v", err)
		assert.ErrorContains(t, err, "curl: (n) why: ")
	}
}

func TestParse(t *testing.T) {
	for name, test := range map[string]struct {
		printed, status, retry, err string
	}{
		"HTTP/1.1":      {printed: "HTTP/1.1 200 OK\r\nRetry-After: 3\r\n\r\n", status: "200 OK", retry: "3"},
		"HTTP/2":        {printed: "HTTP/2 429 \r\nretry-after: 3\r\n\r\n", status: "429", retry: "3"},
		"early hints":   {printed: "HTTP/2 103 \r\nlink: </a>\r\n\r\nHTTP/2 200 \r\n\r\n", status: "200"},
		"nothing":       {err: "no status"},
		"interim alone": {printed: "HTTP/1.1 100 Continue\r\n\r\n", err: "no status"},
		"no number":     {printed: "HTTP/1.1 OK\r\n\r\n", err: "no number"},
		"cut":           {printed: "HTTP/1.1 200 OK\r\nRetry", err: "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			resp, err := parse([]byte(test.printed))
			if test.err != "" {
				assert.ErrorContains(t, err, test.err)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.status, resp.Status)
			assert.Equal(t, test.retry, resp.Header.Get("Retry-After"))
		})
	}
}
