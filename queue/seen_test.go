package queue_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/queue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A witness counts what a Trace tells.
type witness struct {
	mu                              sync.Mutex
	judged, again, refused, waiting int
	waits                           []time.Duration
	errors                          []error // of waits
}

func (w *witness) trace() polite.Trace {
	return polite.Trace{
		Judged: func(_ *http.Request, r polite.Ruling) {
			w.mu.Lock()
			defer w.mu.Unlock()
			if w.judged++; r.Again {
				w.again++
			}
		},
		Refused: func(*http.Request, error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.refused++
		},
		Waits: func(*http.Request, time.Time) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.waiting++
		},
		Waited: func(_ *http.Request, wait time.Duration, err error) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.waiting--
			if w.waits = append(w.waits, wait); err != nil {
				w.errors = append(w.errors, err)
			}
		},
	}
}

// watched returns a queue for the web whose Trace is watched.
func watched(w *web, pace polite.Pace) (*queue.Queue[int], *witness) {
	q, seen := newQueue(w, pace), new(witness)
	q.Client.Transport.(*polite.Transport).Trace = seen.trace()
	return q, seen
}

// A page counts once, however often the queue tries it: it is judged, and it waits.
func TestPagesCountOnce(t *testing.T) {
	group := &polite.Group{Key: func(*http.Request) string { return "all" }, MinDelay: 2 * time.Second}
	for name, test := range map[string]struct {
		pace    polite.Pace
		robots  string
		workers int
		waits   int // of 50 pages
		wait    time.Duration
	}{
		"a crawl-delay":            {robots: delayed(2), workers: 1, waits: 49, wait: time.Second},
		"a crawl-delay, 8 workers": {robots: delayed(2), workers: 8, waits: 49, wait: 2 * time.Second},
		"a gap of ours":            {pace: polite.Pace{MinDelay: 2 * time.Second}, workers: 8, waits: 49, wait: 2 * time.Second},
		"a Group":                  {pace: polite.Pace{Group: group}, workers: 8, waits: 50, wait: 2 * time.Second},
		"one at a time":            {pace: polite.Pace{Concurrency: 1}, workers: 8, waits: 49, wait: time.Second},
		"nothing, and one worker":  {workers: 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &web{site: func(string) site { return site{robots: test.robots, takes: time.Second, rules: time.Millisecond} }}
				q, seen := watched(w, test.pace)
				push(t, q, "example.com", 50)
				require.NoError(t, q.Run(t.Context(), test.workers, nothing(t)))
				assert.Equal(t, 50, seen.judged)
				assert.Zero(t, seen.refused)
				assert.Zero(t, seen.waiting)
				assert.Empty(t, seen.errors)
				assert.Len(t, seen.waits, test.waits)
				for _, wait := range seen.waits {
					assert.InDelta(t, test.wait.Seconds(), wait.Seconds(), 0.5)
				}
			})
		})
	}
}

// What is refused in the end counts as refused, once; a site that comes back, as allowed.
func TestRefusalsCountOnce(t *testing.T) {
	for name, test := range map[string]struct {
		site            func(age time.Duration) site
		judged, refused int // of 20 pages
	}{
		"a long break": {func(time.Duration) site {
			return site{page: func(string) (int, http.Header) {
				return http.StatusTooManyRequests, http.Header{"Retry-After": {"86400"}}
			}}
		}, 20, 19},
		"it is down":             {func(time.Duration) site { return site{down: true} }, 20, 20},
		"it is down for a while": {func(age time.Duration) site { return site{down: age < 5*time.Minute} }, 20, 0},
		"it hides its rules":     {func(time.Duration) site { return site{rules: time.Hour} }, 20, 20},
		"they are late":          {func(time.Duration) site { return site{rules: 10 * time.Second} }, 20, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				w := &web{site: func(string) site { return test.site(time.Since(start)) }}
				q, seen := watched(w, polite.Pace{Concurrency: 1})
				push(t, q, "example.com", 20)
				l := newLedger()
				require.NoError(t, q.Run(t.Context(), 4, l.handle))
				refused := 0
				for _, err := range l.errors {
					if err != nil {
						refused++
						assert.NotContains(t, err.Error(), "can only wait")
					}
				}
				assert.Equal(t, test.refused, refused)
				assert.Equal(t, refused, seen.refused)
				assert.Equal(t, test.judged, seen.judged)
				assert.Zero(t, seen.again)
				assert.Zero(t, seen.waiting)
			})
		})
	}
}

// A hop that waits is a request of its own, and counts once.
func TestHopsCountOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, silent := range []bool{false, true} {
			w := &web{silent: silent, site: func(host string) site {
				if host == "slow.example" {
					return site{robots: delayed(10)}
				}
				return site{page: func(path string) (int, http.Header) {
					return http.StatusFound, http.Header{"Location": {"http://slow.example" + path}}
				}}
			}}
			q, seen := watched(w, polite.Pace{})
			push(t, q, "quick.example", 20)
			require.NoError(t, q.Run(t.Context(), 4, nothing(t)))
			assert.Equal(t, 40, seen.judged)
			assert.Zero(t, seen.refused)
			assert.Zero(t, seen.waiting)
			assert.GreaterOrEqual(t, len(seen.waits), 19)
		}
	})
}

// Nothing waits any longer when Run has ended, and the next Run begins anew.
func TestWaitsEndWithRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(string) site { return site{robots: delayed(10)} }}
		q, seen := watched(w, polite.Pace{})
		push(t, q, "a.example", 5)
		push(t, q, "b.example", 5)
		ctx, stop := context.WithTimeout(t.Context(), 25*time.Second)
		defer stop()
		ended := make(chan error)
		go func() { ended <- q.Run(ctx, 2, nothing(t)) }()
		time.Sleep(time.Second)
		seen.mu.Lock()
		assert.Equal(t, 2, seen.waiting)
		seen.mu.Unlock()
		require.ErrorIs(t, <-ended, context.DeadlineExceeded)
		assert.Zero(t, seen.waiting)
		assert.Len(t, seen.errors, 2)
		require.NoError(t, q.Run(t.Context(), 2, nothing(t)))
		assert.Zero(t, seen.waiting)
		assert.Zero(t, seen.refused)
	})
}

// Lanes, Left and the refusals say what keeps a lane, and the Logger tells of a long wait once.
func TestWhy(t *testing.T) {
	var log bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		w := &web{site: func(host string) site {
			switch host {
			case "delay.example":
				return site{robots: delayed(2)}
			case "busy.example":
				return site{page: func(string) (int, http.Header) {
					return http.StatusServiceUnavailable, http.Header{"Retry-After": {"3600"}}
				}}
			case "down.example":
				return site{down: true}
			default:
				return site{hangs: true}
			}
		}}
		q := newQueue(w, polite.Pace{})
		q.Client.Transport.(*polite.Transport).Logger = slog.New(slog.NewTextHandler(&log, nil))
		q.Options.MaxWait = 2 * time.Hour
		for _, host := range []string{"delay", "busy", "down", "hangs"} {
			push(t, q, host+".example", 10)
		}
		ctx, stop := context.WithTimeout(t.Context(), 9500*time.Millisecond) // between two turns
		defer stop()
		ended := make(chan error)
		go func() {
			ended <- q.Run(ctx, 12, func(context.Context, queue.Item[int], *http.Response, error) error { return nil })
		}()
		time.Sleep(9 * time.Second)
		for _, lane := range slices.Collect(q.Lanes()) {
			switch lane.Key {
			case "http://delay.example":
				assert.Equal(t, polite.CauseGap, lane.Cause)
				assert.Equal(t, "there is a gap of 2s between two requests", lane.Why)
			case "http://busy.example":
				assert.Equal(t, polite.CauseBreak, lane.Cause)
				assert.Contains(t, lane.Why, "the site has asked for a break until ")
			case "http://down.example":
				assert.Equal(t, "http://down.example/robots.txt has answered 503", lane.Why)
			default:
				assert.Equal(t, polite.CauseWindow, lane.Cause, lane.Why)
			}
		}
		require.Error(t, <-ended)
		whys := make(map[string]string)
		for item, why := range q.Left() {
			whys[item.URL] = why
		}
		assert.Contains(t, whys["http://busy.example/9"], "break until")
		assert.Contains(t, whys["http://delay.example/9"], "gap of 2s")

		impatient := queue.Queue[int]{Client: q.Client}
		push(t, &impatient, "busy.example", 1)
		require.NoError(t, impatient.Run(t.Context(), 1, func(_ context.Context, _ queue.Item[int], _ *http.Response, err error) error {
			var refusal *polite.DelayError
			require.ErrorAs(t, err, &refusal)
			assert.Equal(t, polite.CauseBreak, refusal.Cause)
			assert.Contains(t, refusal.Error(), "the site has asked for a break until")
			return nil
		}))
	})
	assert.Equal(t, 1, bytes.Count(log.Bytes(), []byte("requests wait long for their turn")), log.String())
	assert.NotContains(t, log.String(), "can only wait")
}
