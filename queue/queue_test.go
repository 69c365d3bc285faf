package queue_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/queue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type handler = func(context.Context, queue.Item[int], *http.Response, error) error

// nothing handles an item, and expects no error.
func nothing(t *testing.T) handler {
	return func(_ context.Context, item queue.Item[int], _ *http.Response, err error) error {
		assert.NoError(t, err, item.URL)
		return nil
	}
}

// A ledger notes what was handled, and when.
type ledger struct {
	mu     sync.Mutex
	start  time.Time
	items  []string
	errors []error
	last   map[string]time.Duration // of a host
}

func newLedger() *ledger { return &ledger{start: time.Now(), last: make(map[string]time.Duration)} }

func (l *ledger) handle(_ context.Context, item queue.Item[int], _ *http.Response, err error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.items = append(l.items, item.URL)
	l.errors = append(l.errors, err)
	l.last[strings.Split(item.URL, "/")[2]] = time.Since(l.start)
	return nil
}

// The 1,750 pages of quick sites come as soon as the workers can fetch them, though 250 pages of
// slow sites are among them; and those come as soon as their sites let them.
func TestSlowSites(t *testing.T) {
	const takes = 20 * time.Millisecond
	for _, workers := range []int{1, 16, 32, 64} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &web{site: func(host string) site {
					if host[0] == 's' {
						return site{robots: delayed(10), takes: takes}
					}
					return site{takes: takes}
				}}
				q, l := newQueue(w, polite.Pace{}), newLedger()
				for i := range 50 {
					for h := range 40 {
						kind := "quick"
						if h%8 == 0 {
							kind = "slow"
						}
						require.NoError(t, q.Push(fmt.Sprintf("http://%s%d.example/%d", kind, h, i), i))
					}
				}
				require.NoError(t, q.Run(t.Context(), workers, l.handle))
				work := 2040 * takes / time.Duration(workers) // with robots.txt
				for host, last := range l.last {
					within := max(work, 50*takes/6) + 2*takes
					if host[0] == 's' {
						within = 49*10*time.Second + work
					}
					assert.LessOrEqual(t, last.Seconds(), 1.05*within.Seconds(), host)
				}
				assert.LessOrEqual(t, w.vain(), int64(3000))
			})
		})
	}
}

// A break of hours keeps nothing but the lane of its site. If the lane may not wait for so long, the
// handler gets its refusals at once.
func TestBreak(t *testing.T) {
	for name, test := range map[string]struct {
		maxWait time.Duration
		late    int // pages that are refused
		took    time.Duration
	}{
		"it waits":      {maxWait: polite.Forever, took: 3 * time.Hour},
		"for a day":     {maxWait: 24 * time.Hour, took: 3 * time.Hour},
		"for an hour":   {late: 99},
		"for no time":   {maxWait: 1, late: 99},
		"long by a bit": {maxWait: 3*time.Hour - time.Second, late: 99},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &web{site: func(host string) site {
					s := site{takes: 20 * time.Millisecond}
					if host == "busy.example" {
						s.page = func(path string) (int, http.Header) {
							if path == "/0" {
								return http.StatusTooManyRequests, http.Header{"Retry-After": {"10800"}}
							}
							return http.StatusOK, nil
						}
					}
					return s
				}}
				q, l := newQueue(w, polite.Pace{Concurrency: 1}), newLedger()
				q.Options.MaxWait = test.maxWait
				push(t, q, "busy.example", 100)
				push(t, q, "quick.example", 100)
				require.NoError(t, q.Run(t.Context(), 2, l.handle))
				late := 0
				for _, err := range l.errors {
					if err != nil {
						assert.ErrorIs(t, err, polite.ErrDelayed)
						late++
					}
				}
				assert.Equal(t, test.late, late)
				assert.Less(t, l.last["quick.example"], 3*time.Second)
				assert.InDelta(t, test.took.Seconds(), time.Since(l.start).Seconds(), 30)
				assert.Less(t, w.vain(), int64(400))
				assert.Len(t, w.arrivals, 200-test.late)
			})
		})
	}
}

// A response goes to the handler, whatever its status. If the handler pushes the page again, it
// comes after the break.
func TestPushAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := &web{site: func(string) site {
			return site{page: func(string) (int, http.Header) {
				if time.Since(start) < time.Minute {
					return http.StatusServiceUnavailable, http.Header{"Retry-After": {"60"}}
				}
				return http.StatusOK, nil
			}}
		}}
		q := newQueue(w, polite.Pace{})
		push(t, q, "example.com", 1)
		var statuses []int
		require.NoError(t, q.Run(t.Context(), 4, func(_ context.Context, item queue.Item[int], resp *http.Response, err error) error {
			if statuses = append(statuses, resp.StatusCode); resp.StatusCode != http.StatusOK {
				return q.Push(item.URL, item.Value)
			}
			return err
		}))
		assert.Equal(t, []int{503, 200}, statuses)
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

// While a site is down, its lane waits until polite asks for robots.txt again. A site that stays
// down is given up, and all its pages with it.
func TestNoRules(t *testing.T) {
	for name, downFor := range map[string]time.Duration{"comes back": 5 * time.Minute, "stays down": 1000 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				w := &web{site: func(host string) site {
					return site{down: host == "down.example" && time.Since(start) < downFor}
				}}
				q, l := newQueue(w, polite.Pace{}), newLedger()
				push(t, q, "down.example", 200)
				push(t, q, "quick.example", 200)
				require.NoError(t, q.Run(t.Context(), 4, l.handle))
				refused := 0
				for _, err := range l.errors {
					if err != nil {
						assert.ErrorIs(t, err, polite.ErrNoRules)
						refused++
					}
				}
				if downFor > time.Hour {
					assert.Equal(t, 200, refused)
				} else {
					assert.Zero(t, refused)
					assert.True(t, slices.IsSortedFunc(w.pages("down.example"), byNumber))
				}
				assert.Less(t, l.last["quick.example"], time.Second)
				assert.LessOrEqual(t, l.last["down.example"], 10*time.Minute, "by default")
				assert.Less(t, w.robots, 10)
				assert.Less(t, w.vain(), int64(220))
			})
		})
	}
}

func byNumber(a, b string) int {
	var m, n int
	fmt.Sscanf(a, "/%d", &m)
	fmt.Sscanf(b, "/%d", &n)
	return m - n
}

// What is refused for good goes to the handler at once.
func TestRefusedForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(host string) site {
			return site{robots: "user-agent: *\ndisallow: /0", lost: host == "lost.example"}
		}}
		q, l := newQueue(w, polite.Pace{}), newLedger()
		push(t, q, "example.com", 2)
		push(t, q, "lost.example", 2)
		require.NoError(t, q.Run(t.Context(), 1, l.handle))
		require.Len(t, l.errors, 4)
		for i, item := range l.items {
			switch {
			case item == "http://example.com/0":
				assert.ErrorIs(t, l.errors[i], polite.ErrDisallowed)
				assert.Equal(t, 1, strings.Count(l.errors[i].Error(), item), "%v", l.errors[i])
			case item == "http://example.com/1":
				assert.NoError(t, l.errors[i])
			default:
				assert.ErrorIs(t, l.errors[i], polite.ErrNoHost)
			}
		}
		assert.Less(t, time.Since(l.start), time.Second)
	})
}

// Redirects lead from a quick site to a slow one. The quick site is not held up, and each page is
// fetched once, those of the slow site in their order and as soon as its gap allows.
func TestRedirects(t *testing.T) {
	for _, workers := range []int{1, 8} {
		synctest.Test(t, func(t *testing.T) {
			w := &web{site: func(host string) site {
				if host == "slow.example" {
					return site{robots: delayed(10), takes: time.Millisecond}
				}
				return site{takes: time.Millisecond, page: func(path string) (int, http.Header) {
					if path[1]%2 == 0 {
						return http.StatusFound, http.Header{"Location": {"http://slow.example" + path}}
					}
					return http.StatusOK, nil
				}}
			}}
			q, l := newQueue(w, polite.Pace{}), newLedger()
			for i := 1000; i < 9000; i += 50 {
				require.NoError(t, q.Push(fmt.Sprintf("http://quick.example/%d", i), i))
			}
			require.NoError(t, q.Push("http://slow.example/9000", 0))
			require.NoError(t, q.Run(t.Context(), workers, l.handle))
			assert.Len(t, l.items, 161)
			for _, err := range l.errors {
				assert.NoError(t, err)
			}
			slow := w.pages("slow.example")
			assert.Len(t, slow, 81)
			assert.Less(t, w.arrivals[160].at.Sub(l.start), 20*time.Second) // all of the quick site, and hardly one of the slow
			assert.InDelta(t, 800, time.Since(l.start).Seconds(), 20)
			assert.Len(t, w.arrivals, 160+81)
			assert.Less(t, w.vain(), int64(400))
			if workers == 1 { // with more, they do not come in order to the slow site
				assert.True(t, slices.IsSortedFunc(slow[1:], byNumber), "%v", slow)
			}
		})
	}
}

// Requests outside the queue take starts of a lane that waits for a hundred. Nothing is given up: the
// lane goes on at the next start, and not at the one behind them all.
func TestStartIsTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(host string) site {
			if host == "slow.example" {
				return site{robots: delayed(10)}
			}
			return site{page: func(path string) (int, http.Header) {
				return http.StatusFound, http.Header{"Location": {"http://slow.example" + path}}
			}}
		}}
		q, l := newQueue(w, polite.Pace{}), newLedger()
		push(t, q, "quick.example", 100)
		go func() {
			for range 5 {
				time.Sleep(95 * time.Second)
				resp, err := q.Client.Get("http://slow.example/other")
				if assert.NoError(t, err) {
					resp.Body.Close()
				}
			}
		}()
		require.NoError(t, q.Run(t.Context(), 4, l.handle))
		for _, err := range l.errors {
			assert.NoError(t, err)
		}
		assert.Len(t, w.pages("slow.example"), 105)
		assert.LessOrEqual(t, time.Since(l.start), 1060*time.Second)
	})
}

// A lane that gets its next page from the handler of its last keeps no worker waiting.
func TestOnePageAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(host string) site {
			if host[0] == 's' {
				return site{robots: delayed(2), takes: 10 * time.Millisecond}
			}
			return site{takes: 10 * time.Millisecond}
		}}
		q, l := newQueue(w, polite.Pace{}), newLedger()
		for i := range 5 {
			push(t, q, fmt.Sprintf("s%d.example", i), 1)
		}
		push(t, q, "quick.example", 1)
		require.NoError(t, q.Run(t.Context(), 1, func(ctx context.Context, item queue.Item[int], resp *http.Response, err error) error {
			assert.NoError(t, err)
			if item.Value < 50 {
				host := strings.Split(item.URL, "/")[2]
				assert.NoError(t, q.Push(fmt.Sprintf("http://%s/%d", host, item.Value+1), item.Value+1))
			}
			return l.handle(ctx, item, resp, err)
		}))
		assert.Less(t, l.last["quick.example"], 2*time.Second)
		assert.InDelta(t, 100, time.Since(l.start).Seconds(), 5)
		assert.Len(t, w.arrivals, 6*51)
	})
}

// A Base that does not tell of connections gets one request of a lane at a time, in order.
func TestSilentBase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{silent: true, site: func(string) site { return site{takes: time.Second} }}
		q := newQueue(w, polite.Pace{})
		push(t, q, "example.com", 20)
		require.NoError(t, q.Run(t.Context(), 8, nothing(t)))
		assert.True(t, slices.IsSortedFunc(w.pages(""), byNumber))
		assert.Equal(t, int64(1), w.most)
	})
}

// Hosts that share a Key are one lane.
func TestKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(string) site { return site{} }}
		q := newQueue(w, polite.Pace{MinDelay: time.Second, Key: func(*http.Request) string { return "all" }})
		q.Key = func(*url.URL) string { return "all" }
		for i := range 20 {
			require.NoError(t, q.Push(fmt.Sprintf("http://%d.example/%d", i%3, i), i))
		}
		start := time.Now()
		require.NoError(t, q.Run(t.Context(), 8, nothing(t)))
		assert.True(t, slices.IsSortedFunc(w.pages(""), byNumber))
		assert.Equal(t, 19*time.Second, time.Since(start))
	})
}

// However often a job is stopped, each page is handled once, and none is lost.
func TestStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(long.Seed(t), 0))
		c := crowd{sites: 50, pages: 10}
		w := &web{site: c.site}
		q := newQueue(w, polite.Pace{})
		for url, i := range c.urls {
			require.NoError(t, q.Push(url, i))
		}
		handled, runs := make(map[string]int), 0
		var mu sync.Mutex
		for ; runs < 1000; runs++ {
			ctx, stop := context.WithTimeout(t.Context(), time.Duration(random.IntN(3000))*time.Millisecond)
			err := q.Run(ctx, 1+random.IntN(16), func(_ context.Context, item queue.Item[int], _ *http.Response, err error) error {
				mu.Lock()
				defer mu.Unlock()
				assert.NoError(t, err)
				handled[item.URL]++
				return nil
			})
			stop()
			if err == nil {
				break
			}
			require.ErrorIs(t, err, context.DeadlineExceeded)
			next := queue.Queue[int]{Client: q.Client}
			left := 0
			for item := range q.Left() {
				require.NoError(t, next.Push(item.URL, item.Value))
				left++
			}
			require.Equal(t, 500, left+len(handled))
			if runs%2 == 0 {
				q = &next // as another process
			}
		}
		assert.Greater(t, runs, 5)
		assert.Len(t, handled, 500)
		for page, times := range handled {
			assert.Equal(t, 1, times, page)
		}
		assert.Zero(t, w.open.Load())
		assert.Zero(t, w.twice.Load())
	})
}

// Left has the items in the order in which they were pushed.
func TestLeft(t *testing.T) {
	q := newQueue(&web{}, polite.Pace{})
	var pushed, left []string
	for i := range 100 {
		page := fmt.Sprintf("http://%d.example/%d", i%7, i)
		pushed = append(pushed, page)
		require.NoError(t, q.Push(page, i))
	}
	for item := range q.Left() {
		left = append(left, item.URL)
	}
	assert.Equal(t, pushed, left)
	for range q.Left() {
		require.NoError(t, q.Push("http://example.com/", 0))
		break
	}
	assert.Equal(t, 101, q.Progress().Left)
}

// A handler that fails, panics or ends its goroutine ends Run. What it did not handle is left, and
// the next Run goes on with it.
func TestHandlerFails(t *testing.T) {
	broken := errors.New("the disk is full")
	for name, test := range map[string]struct {
		fail func(context.CancelCauseFunc) error
		err  error
		all  bool // the item is handled all the same
	}{
		"error":              {fail: func(context.CancelCauseFunc) error { return broken }, err: broken},
		"panic":              {fail: func(context.CancelCauseFunc) error { panic(broken) }},
		"exit":               {fail: func(context.CancelCauseFunc) error { exit(); return nil }},
		"cancel":             {fail: func(stop context.CancelCauseFunc) error { stop(broken); return nil }, err: broken, all: true},
		"cancel, with error": {fail: func(stop context.CancelCauseFunc) error { stop(broken); return errors.New("cut short") }, err: broken},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &web{site: func(string) site { return site{takes: 10 * time.Millisecond} }}
				q := newQueue(w, polite.Pace{})
				for i := range 5 {
					push(t, q, fmt.Sprintf("%d.example", i), 10)
				}
				ctx, stop := context.WithCancelCause(t.Context())
				handled := make(map[string]int)
				var mu sync.Mutex
				handle := func(_ context.Context, item queue.Item[int], _ *http.Response, err error) error {
					mu.Lock()
					defer mu.Unlock()
					assert.NoError(t, err)
					if item.URL == "http://3.example/5" && ctx.Err() == nil && handled[item.URL] == 0 && !test.all {
						return test.fail(stop)
					}
					handled[item.URL]++
					if item.URL == "http://3.example/5" && test.all && q.Push("http://3.example/more", 0) == nil {
						return test.fail(stop)
					}
					return nil
				}
				panicked, returned, err := run(func() error { return q.Run(ctx, 4, handle) })
				assert.Equal(t, name == "panic", panicked != nil)
				assert.Equal(t, name != "panic" && name != "exit", returned)
				assert.Equal(t, test.err, err)
				left := 0
				for item := range q.Left() {
					left++
					assert.Zero(t, handled[item.URL], item.URL)
				}
				total := 50
				if test.all {
					total++
				}
				assert.Equal(t, total, left+len(handled))
				assert.Equal(t, queue.Progress{Done: len(handled), Left: left}, q.Progress())
				assert.Zero(t, w.open.Load())

				stop(nil)
				test.fail = func(context.CancelCauseFunc) error { return nil }
				require.NoError(t, q.Run(t.Context(), 4, func(_ context.Context, item queue.Item[int], _ *http.Response, err error) error {
					mu.Lock()
					defer mu.Unlock()
					handled[item.URL]++
					return err
				}))
				assert.Len(t, handled, total)
				for page, times := range handled {
					assert.Equal(t, 1, times, page)
				}
				assert.Zero(t, w.open.Load())
				assert.Zero(t, w.twice.Load())
			})
		})
	}
}

// A function of the user that panics ends Run, and nothing is lost or left open.
func TestHooksPanic(t *testing.T) {
	for name, set := range map[string]func(*polite.Transport, *queue.Queue[int], func()){
		"Trace": func(transport *polite.Transport, _ *queue.Queue[int], trip func()) {
			transport.Trace.Judged = func(*http.Request, polite.Ruling) { trip() }
		},
		"Key": func(_ *polite.Transport, q *queue.Queue[int], trip func()) {
			q.Key = func(u *url.URL) string {
				if q.Progress(); u.Path == "/to/7" {
					trip()
				}
				return u.Host
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &web{site: func(host string) site {
					s := site{robots: delayed(1), takes: time.Millisecond}
					if host == "example.com" {
						s.robots = ""
						s.page = func(path string) (int, http.Header) {
							return http.StatusFound, http.Header{"Location": {"http://slow.example/to" + path}}
						}
					}
					return s
				}}
				q, n := newQueue(w, polite.Pace{}), 0
				var mu sync.Mutex
				set(q.Client.Transport.(*polite.Transport), q, func() {
					mu.Lock()
					defer mu.Unlock()
					if n++; n == 1 {
						panic("a hook")
					}
				})
				push(t, q, "example.com", 20)
				panicked, _, _ := run(func() error { return q.Run(t.Context(), 3, nothing(t)) })
				assert.Equal(t, "a hook", panicked)
				p := q.Progress()
				assert.Equal(t, 20, p.Done+p.Left)
				assert.Zero(t, p.UnderWay)
				require.NoError(t, q.Run(t.Context(), 3, nothing(t)))
				assert.Equal(t, 20, q.Progress().Done)
				assert.Zero(t, w.open.Load())
			})
		})
	}
}

// However many pages of a site are pushed while its robots.txt is on its way, one worker waits for
// it.
func TestOneWorkerWaitsForRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(host string) site {
			if host == "slow.example" {
				return site{rules: 2 * time.Second}
			}
			return site{takes: 10 * time.Millisecond}
		}}
		q, l := newQueue(w, polite.Pace{}), newLedger()
		push(t, q, "slow.example", 1)
		push(t, q, "quick.example", 1)
		require.NoError(t, q.Run(t.Context(), 3, func(ctx context.Context, item queue.Item[int], resp *http.Response, err error) error {
			assert.NoError(t, err)
			if strings.HasPrefix(item.URL, "http://quick") && item.Value < 100 {
				for _, host := range []string{"slow", "quick"} {
					assert.NoError(t, q.Push(fmt.Sprintf("http://%s.example/%d", host, item.Value+1), item.Value+1))
				}
			}
			return l.handle(ctx, item, resp, err)
		}))
		assert.Less(t, l.last["quick.example"], 1200*time.Millisecond)
		assert.Less(t, l.last["slow.example"], 2100*time.Millisecond)
		assert.Len(t, l.items, 202)
	})
}

// A hop with a URL that is too long to keep is given up: so an item stays small, whatever a site sends.
func TestLongHop(t *testing.T) {
	for octets, late := range map[int]int{257: 0, 258: 3, 9 << 10: 3} { // 256 more than a page has, and so on
		synctest.Test(t, func(t *testing.T) {
			w := &web{site: func(host string) site {
				return site{robots: delayed(10), page: func(path string) (int, http.Header) {
					if len(path) > octets {
						return http.StatusOK, nil
					}
					return http.StatusFound, http.Header{"Location": {"/" + strings.Repeat("a", octets)}}
				}}
			}}
			q, l := newQueue(w, polite.Pace{}), newLedger()
			push(t, q, "example.com", 3)
			require.NoError(t, q.Run(t.Context(), 1, l.handle))
			require.Len(t, l.errors, 3)
			for _, err := range l.errors {
				if late > 0 {
					assert.ErrorIs(t, err, polite.ErrDelayed)
				} else {
					assert.NoError(t, err)
				}
			}
			assert.Len(t, w.arrivals, 6-late)
			assert.Less(t, time.Since(l.start), time.Minute) // each hop that is given up has a turn, too
		})
	}
}

// A page that takes hours does not make the lane give up the next one.
func TestLongAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(host string) site { return site{takes: 3 * time.Hour, rules: time.Second} }}
		q := newQueue(w, polite.Pace{Concurrency: 1})
		push(t, q, "example.com", 3)
		start := time.Now()
		require.NoError(t, q.Run(t.Context(), 2, nothing(t)))
		assert.InDelta(t, 9, time.Since(start).Hours(), 0.01)
		assert.Less(t, w.vain(), int64(400)) // none in a loop
	})
}
