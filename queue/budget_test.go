package queue_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/queue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// URLs of one shape share a budget, and others do not.
func TestShapes(t *testing.T) {
	for name, test := range map[string]struct {
		urls   []string
		shapes int
	}{
		"numbers":                 {[]string{"/p/1", "/p/22", "/p/333"}, 1},
		"dates":                   {[]string{"/2026/01/31", "/2025/12/01", "/day/2026-01-31", "/day/2025-12-01"}, 2},
		"a year, a month, a day":  {[]string{"/2026", "/2026/1", "/2026/1/31"}, 3},
		"values":                  {[]string{"/?q=a", "/?q=b&q=c", "/?q=", "/?q=a%20b"}, 1},
		"the order of names":      {[]string{"/?a=1&b=2", "/?b=3&a=4"}, 1},
		"names":                   {[]string{"/?a=1", "/?b=1", "/?a=1&b=1"}, 3},
		"tags":                    {[]string{"/?red&blue", "/?green", "/?blue&green&red"}, 1},
		"sessions":                {[]string{"/s/8f14e45fceea167a/a", "/s/c9f0f895fb98ab91/a", "/a;jsessionid=1A2B3C4D5E", "/a;jsessionid=9Z8Y7X6W5V"}, 2},
		"a link that grows":       {[]string{"/a/b", "/a/b/a/b", "/a/b/a/b/a/b"}, 1},
		"and has numbers":         {[]string{"/a/1/2/3", "/a/1/2/3/a/4", "/a/1/2/3/a/4/a/5/a/6"}, 1},
		"words":                   {[]string{"/a", "/b", "/a/c", "/a/"}, 4},
		"words with short digits": {[]string{"/mp3", "/mp4", "/a1b"}, 2},
		"hosts":                   {[]string{"http://other.example/p/1", "/p/1"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			q := queue.Queue[int]{Most: queue.Budget{Shape: 1}, Key: func(*url.URL) string { return "all" }}
			for _, page := range test.urls {
				if strings.HasPrefix(page, "/") {
					page = "http://example.com" + page
				}
				if err := q.Push(page, 0); err != nil {
					assert.ErrorIs(t, err, queue.ErrBudget)
				}
			}
			assert.Equal(t, queue.Progress{Left: test.shapes, Over: len(test.urls) - test.shapes}, q.Progress())
		})
	}
}

// What is over a budget is refused when it is pushed, and counted, and another lane has its own.
func TestBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(string) site { return site{} }}
		q := newQueue(w, polite.Pace{Concurrency: 1})
		q.Most = queue.Budget{Pages: 10, Bytes: 3 * int64(len("a page"))}
		push(t, q, "a.example", 10)
		push(t, q, "b.example", 1)
		assert.ErrorContains(t, q.Push("http://a.example/more", 0), "http://a.example has 10 pages")
		added, err := q.PushNew("http://a.example/more", 0)
		assert.False(t, added)
		assert.ErrorIs(t, err, queue.ErrBudget)
		require.NoError(t, q.PushAgain(queue.Item[int]{URL: "http://a.example/0"}))
		assert.Equal(t, 2, q.Progress().Over)
		over := 0
		require.NoError(t, q.Run(t.Context(), 1, func(_ context.Context, _ queue.Item[int], resp *http.Response, err error) error {
			if errors.Is(err, queue.ErrBudget) {
				assert.ErrorContains(t, err, "18 octets of http://a.example were read")
				over++
				return nil
			}
			_, err = io.Copy(io.Discard, resp.Body)
			return err
		}))
		assert.Equal(t, 8, over)
		assert.Len(t, w.arrivals, 3+1)
		assert.Equal(t, 10, q.Progress().Over)
		assert.ErrorIs(t, q.Push("http://a.example/0", 0), queue.ErrBudget)
		require.NoError(t, q.Push("http://b.example/0", 0))

		q = newQueue(w, polite.Pace{})
		q.Most.Bytes = 1
		push(t, q, "c.example", 1)
		require.NoError(t, q.Run(t.Context(), 1, func(_ context.Context, _ queue.Item[int], resp *http.Response, _ error) error {
			_, err := io.Copy(io.Discard, resp.Body)
			return err
		}))
		err = q.Push("http://c.example/more", 0)
		assert.ErrorIs(t, err, queue.ErrBudget)
		assert.ErrorContains(t, err, "6 octets of http://c.example were read")
		assert.Equal(t, 1, q.Progress().Over)
	})
}

// A body is counted if its octets have a budget. A connection that has switched protocols is the handler's.
func TestBodiesThatAreCounted(t *testing.T) {
	for _, test := range []struct {
		most   int64
		status int
		own    bool
	}{{0, 200, true}, {1, 200, false}, {1, 101, true}} {
		synctest.Test(t, func(t *testing.T) {
			body := io.NopCloser(strings.NewReader(""))
			q := &queue.Queue[int]{Most: queue.Budget{Bytes: test.most}, Client: &http.Client{Transport: origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: test.status, Header: http.Header{}, Body: body, Request: req}, nil
			})}}
			require.NoError(t, q.Push("http://a.example/", 0))
			require.NoError(t, q.Run(t.Context(), 1, func(_ context.Context, _ queue.Item[int], resp *http.Response, err error) error {
				assert.Equal(t, test.own, resp.Body == body, "%+v", test)
				return err
			}))
		})
	}
}

// However an origin is spelled, it has one budget.
func TestBudgetOfASpelling(t *testing.T) {
	for _, most := range []queue.Budget{{Pages: 2}, {Shape: 2}} {
		q := &queue.Queue[int]{Most: most}
		taken := 0
		for i, host := range []string{"a.example", "A.example", "a.example.", "a.example:", "a.example:80", "a.example:0080", "user:secret@a.example"} {
			if err := q.Push(fmt.Sprintf("http://%s/%d", host, i), 0); err == nil {
				taken++
			} else {
				assert.ErrorIs(t, err, queue.ErrBudget)
			}
		}
		assert.Equal(t, 2, taken)
	}
}

// trap returns the links of a page of a site that has no end: a calendar, a filter of twelve tags, session ids
// in paths, and a relative link that grows.
func trap(path string) (links []string) {
	u, _ := url.Parse(path)
	switch first, rest, _ := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/"); first {
	case "":
		return []string{"/calendar/1", "/filter", "/s/0123456789abcdef/home", "/grows/a/b"}
	case "calendar":
		day, _ := strconv.Atoi(rest)
		return []string{fmt.Sprint("/calendar/", day+1), fmt.Sprint("/calendar/", day+31)}
	case "filter":
		for tag := range 12 {
			if name := fmt.Sprint("tag=t", tag); !strings.Contains(u.RawQuery+"&", name+"&") {
				links = append(links, strings.TrimSuffix("/filter?"+name+"&"+u.RawQuery, "&"))
			}
		}
		return links
	case "s":
		id := fmt.Sprintf("%016x", int64(len(path))+time.Now().UnixNano())
		return []string{"/s/" + id + "/home", "/s/" + id + "/shop"}
	default:
		return []string{path + "/a/b"}
	}
}

// A site without end beside nine good ones takes no more than its share, and the good ones are done as fast as
// without it.
func TestTrap(t *testing.T) {
	const pages = 200
	crawl := func(t *testing.T, sites ...string) (last map[string]time.Duration, q *queue.Queue[int], arrived map[string]int) {
		synctest.Test(t, func(t *testing.T) {
			w := &web{site: func(string) site { return site{robots: delayed(1), takes: 50 * time.Millisecond} }}
			l := newLedger()
			q = newQueue(w, polite.Pace{})
			q.Most = queue.Budget{Pages: 1000, Shape: 50}
			for _, host := range sites {
				_, err := q.PushNew("http://"+host+"/", 0)
				require.NoError(t, err)
			}
			require.NoError(t, q.Run(t.Context(), 16, func(ctx context.Context, item queue.Item[int], resp *http.Response, err error) error {
				assert.NoError(t, err)
				at, _ := url.Parse(item.URL)
				links := trap(at.RequestURI())
				if strings.HasPrefix(at.Host, "good") {
					if links = nil; item.Value < pages/10 {
						for i := range 10 {
							links = append(links, fmt.Sprintf("/%s/%d", []string{"news", "shop", "blog", "wiki", "faq"}[(item.Value+i)%5], item.Value*10+i))
						}
					}
				}
				for _, link := range links {
					if _, err := q.PushNew("http://"+at.Host+link, item.Value+1); err != nil {
						assert.ErrorIs(t, err, queue.ErrBudget)
					}
				}
				return l.handle(ctx, item, resp, err)
			}))
			arrived = make(map[string]int)
			for _, a := range w.arrivals {
				arrived[a.host]++
			}
			last = l.last
		})
		return last, q, arrived
	}
	good := make([]string, 9)
	for i := range good {
		good[i] = fmt.Sprintf("good%d.example", i)
	}
	alone, _, _ := crawl(t, good...)
	beside, q, arrived := crawl(t, append([]string{"trap.example"}, good...)...)
	for _, host := range good {
		assert.InDelta(t, alone[host].Seconds(), beside[host].Seconds(), 0.01*alone[host].Seconds()+1, host)
		assert.Equal(t, arrived["good0.example"], arrived[host])
	}
	assert.Greater(t, arrived["good0.example"], 150)
	assert.LessOrEqual(t, arrived["trap.example"], 6*50+1)
	assert.Greater(t, arrived["trap.example"], 150)
	assert.Positive(t, q.Progress().Over)
}
