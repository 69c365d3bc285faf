package queue_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/queue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// PushNew adds each URL once, however it is spelled; Push adds it again, and does not count.
func TestPushNew(t *testing.T) {
	var q queue.Queue[int]
	for _, group := range [][]string{
		{"http://example.com/", "http://EXAMPLE.com", "http://example.com:80/", "http://example.com./#top", "http://example.com", "http://example.com:080", "http://example.com:", "http://user:secret@example.com/"},
		{"https://example.com/", "https://example.com:443"},
		{"http://example.com:8080/"},
		{"http://example.com/%7euser", "http://example.com/~user", "http://example.com/%7Euser#a"},
		{"http://example.com/a%2fb", "http://example.com/a%2Fb"},
		{"http://example.com/a/b"},
		{"http://example.com/ä", "http://example.com/%c3%a4"},
		{"http://example.com/?q=ü%7F", "http://example.com/?q=%c3%bc%7f", "http://example.com/?q=%C3%BC%7F"},
		{"http://example.com/?q=A-._~", "http://example.com/?q=%41%2D%2e%5F%7E"},
		{"http://example.com/?q=100%25"},
		{"http://example.com/?q=100%"},
		{"http://example.com/?q=%7z"},
		{"http://example.com/?q=%z7"},
		{"http://example.com/?q=7"},
		{"http://exämple.com/", "http://xn--exmple-cua.com/"},
		{"http://127.0.0.1/", "http://[::ffff:127.0.0.1]/"},
		{"http://example.com/?a=1&b=2"},
		{"http://example.com/?b=2&a=1"},
		{"http://example.com/?"},
		{"http://example.com/a/"},
		{"http://example.com/A"},
	} {
		for i, page := range group {
			added, err := q.PushNew(page, 0)
			require.NoError(t, err)
			assert.Equal(t, i == 0, added, page)
		}
	}
	assert.Equal(t, 21, q.Progress().Left)
	var lanes []string
	for lane := range q.Lanes() {
		lanes = append(lanes, lane.Key)
	}
	assert.ElementsMatch(t, []string{"http://example.com", "https://example.com", "http://example.com:8080", "http://xn--exmple-cua.com", "http://127.0.0.1"}, lanes)
	require.NoError(t, q.Push("http://example.com/", 0))
	require.NoError(t, q.Push("http://example.com/pushed", 0))
	added, err := q.PushNew("http://example.com/pushed", 0)
	require.NoError(t, err)
	assert.True(t, added)
}

// What is no URL of a page is refused with what to do, and without its password.
func TestPushNoURL(t *testing.T) {
	var q queue.Queue[int]
	for _, url := range []string{"", "/a", "example.com", "ftp://example.com/", "http:///a", "mailto:a@example.com"} {
		assert.ErrorContains(t, q.Push(url, 0), "write it as in https://example.com/", url)
	}
	for url, why := range map[string]string{
		"http://user:secret@":               "write it as in",
		"http://a/%zz":                      "write it as in",
		"http://example.com/a b":            `"http://example.com/a b" has a space: remove it, or write %20`,
		"http://a:secret@example.com/ ?a b": "has a space",
		" http://example.com/":              "remove it by strings.TrimSpace",
		"http://example.com/\n":             "remove it by strings.TrimSpace",
	} {
		err := q.Push(url, 0)
		assert.ErrorContains(t, err, why)
		assert.NotContains(t, err.Error(), "secret")
	}
	require.NoError(t, q.Push("http://example.com:65535/", 0))
	_, err := q.PushNew("http://example.com:99999/", 0)
	assert.ErrorContains(t, err, "the highest is 65535")
	assert.Equal(t, 1, q.Progress().Left)
}

// What answered 404 or 410 is known, also after a redirect, and only if PushNew has added it.
func TestGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(string) site {
			return site{page: func(path string) (int, http.Header) {
				switch path {
				case "/404", "/pushed":
					return http.StatusNotFound, nil
				case "/410":
					return http.StatusGone, nil
				case "/302":
					return http.StatusFound, http.Header{"Location": {"/404"}}
				default:
					return http.StatusOK, nil
				}
			}}
		}}
		q := newQueue(w, polite.Pace{})
		for _, path := range []string{"404", "410", "302", "200"} {
			_, err := q.PushNew("http://example.com/"+path, 0)
			require.NoError(t, err)
			assert.False(t, q.Gone("http://example.com/"+path))
		}
		push(t, q, "example.com/pushed?", 1)
		require.NoError(t, q.Run(t.Context(), 2, nothing(t)))
		for page, gone := range map[string]bool{"404": true, "410#a": true, "302": true, "200": false, "pushed": false, "other": false} {
			assert.Equal(t, gone, q.Gone("http://EXAMPLE.com/"+page), page)
		}
		assert.False(t, q.Gone("/404"))
		added, err := q.PushNew("http://example.com/404", 0)
		require.NoError(t, err)
		assert.False(t, added)
	})
}

// A handler that pushes what was answered badly stops after some tries.
func TestTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(string) site {
			return site{robots: delayed(1), page: func(path string) (int, http.Header) {
				if path == "/bad" {
					return http.StatusInternalServerError, nil
				}
				return http.StatusOK, nil
			}}
		}}
		q := newQueue(w, polite.Pace{})
		require.NoError(t, q.Push("http://example.com/bad", 7))
		require.NoError(t, q.Push("http://example.com/good", 8))
		var tries []int
		require.NoError(t, q.Run(t.Context(), 2, func(_ context.Context, item queue.Item[int], resp *http.Response, err error) error {
			if resp.StatusCode == http.StatusOK {
				return err
			}
			if tries = append(tries, item.Tries); item.Tries < 3 {
				assert.NoError(t, q.PushAgain(item))
				for left := range q.Left() {
					if left.URL == item.URL && left.Tries > item.Tries {
						assert.Equal(t, queue.Item[int]{URL: item.URL, Value: 7, Tries: item.Tries + 1}, left)
					}
				}
			}
			return nil
		}))
		assert.Equal(t, []int{0, 1, 2, 3}, tries)
		assert.Len(t, w.pages(""), 5)
		assert.Error(t, q.PushAgain(queue.Item[int]{URL: "/a"}))
	})
}

// HEAD and then GET in one queue, with a header and a cookie, and a POST with a body: also where they have to
// wait, and where a redirect leads to another site.
func TestRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(host string) site {
			gap := 10
			if host == "other.example" {
				gap = 25 // so that hops are put off
			}
			return site{robots: delayed(gap), page: func(path string) (int, http.Header) {
				for _, status := range []int{302, 307} {
					if strings.HasSuffix(path, fmt.Sprint("/", status)) {
						to := "/there"
						if strings.HasPrefix(path, "/away") {
							to = "http://other.example/there"
						}
						return status, http.Header{"Location": {to}}
					}
				}
				return http.StatusOK, nil
			}}
		}}
		q := newQueue(w, polite.Pace{})
		methods := []string{http.MethodGet, http.MethodHead, http.MethodPost}
		var open atomic.Int64 // bodies
		q.Request = func(ctx context.Context, item queue.Item[int]) (*http.Request, error) {
			method := methods[item.Value]
			var body *strings.Reader
			if method != http.MethodPost {
				req, err := http.NewRequestWithContext(ctx, method, item.URL, nil)
				req.SetBasicAuth("user", "secret")
				req.Header.Set("Cookie", "a=b")
				return req, err
			}
			body = strings.NewReader("a body")
			req, err := http.NewRequest(method, item.URL, body) // without ctx
			open.Add(1)
			req.Body = closer{req.Body, sync.OnceFunc(func() { open.Add(-1) })}
			req.SetBasicAuth("user", "secret")
			return req, err
		}
		for method := range methods {
			for _, path := range []string{"/", "/302", "/307", "/away/302", "/away/307"} {
				require.NoError(t, q.Push("http://example.com"+path, method))
			}
		}
		heads := 0
		require.NoError(t, q.Run(t.Context(), 3, func(_ context.Context, item queue.Item[int], resp *http.Response, err error) error {
			if assert.NoError(t, err, item.URL) && item.Value == 1 && item.URL == "http://example.com/" {
				heads++
				return q.Push(item.URL, 0)
			}
			return nil
		}))
		assert.Equal(t, 1, heads)
		assert.Zero(t, open.Load(), "bodies are closed, also those that are not sent")
		count := make(map[string]int)
		for _, a := range w.inOrder() {
			count[strings.Join([]string{a.method, a.host + a.uri, a.user, a.cookie, a.body}, "|")]++
		}
		assert.Equal(t, map[string]int{
			"GET|example.com/|user:secret|a=b|":             2,
			"GET|example.com/302|user:secret|a=b|":          1,
			"GET|example.com/307|user:secret|a=b|":          1,
			"GET|example.com/away/302|user:secret|a=b|":     1,
			"GET|example.com/away/307|user:secret|a=b|":     1,
			"GET|example.com/there|user:secret|a=b|":        2,
			"GET|other.example/there|||":                    3,
			"HEAD|example.com/|user:secret|a=b|":            1,
			"HEAD|example.com/302|user:secret|a=b|":         1,
			"HEAD|example.com/307|user:secret|a=b|":         1,
			"HEAD|example.com/away/302|user:secret|a=b|":    1,
			"HEAD|example.com/away/307|user:secret|a=b|":    1,
			"HEAD|example.com/there|user:secret|a=b|":       2,
			"HEAD|other.example/there|||":                   2,
			"POST|example.com/|user:secret||a body":         1,
			"POST|example.com/302|user:secret||a body":      1,
			"POST|example.com/307|user:secret||a body":      1,
			"POST|example.com/away/302|user:secret||a body": 1,
			"POST|example.com/away/307|user:secret||a body": 1,
			"GET|example.com/there|user:secret||":           1,
			"POST|example.com/there|user:secret||a body":    1,
			"POST|other.example/there|||a body":             1,
		}, count)
	})
}

// An error of Request goes to the handler, and a request is required.
func TestRequestFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("no token")
		q, l := newQueue(&web{site: func(string) site { return site{} }}, polite.Pace{}), newLedger()
		q.Request = func(_ context.Context, item queue.Item[int]) (*http.Request, error) {
			if item.Value == 0 {
				return nil, broken
			}
			return nil, nil
		}
		push(t, q, "example.com", 2)
		require.NoError(t, q.Run(t.Context(), 1, l.handle))
		assert.Equal(t, broken, l.errors[0])
		assert.ErrorContains(t, l.errors[1], "Request has returned no request")
	})
}

// A closer calls a function when it is closed.
type closer struct {
	io.ReadCloser
	closed func()
}

func (c closer) Close() error {
	c.closed()
	return c.ReadCloser.Close()
}
