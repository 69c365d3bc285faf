package conduct_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// finding returns a Transport that finds what a site bears.
func finding(t *testing.T, web *origintest.Server) *polite.Transport {
	tr := newTransport(t, web)
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// askAgain lets workers ask for page after page until ctx ends.
func askAgain(ctx context.Context, workers int, tr *polite.Transport, path func(worker int) string) {
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for ctx.Err() == nil {
				if visit(ctx, client(tr), "http://example.com"+path(worker)) != nil {
					origintest.Wait(ctx, 50*time.Millisecond)
				}
			}
		})
	}
	all.Wait()
}

// limiter allows so many pages a second, and answers 429 to others without a word of when to
// come back.
type limiter struct {
	every time.Duration

	mu        sync.Mutex
	next      time.Time
	good, bad int
}

func (l *limiter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if now.Before(l.next) {
		l.bad++
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	l.next = now.Add(l.every)
	l.good++
}

// The limit of a site is found from its refusals alone.
func TestBackoffFindsALimit(t *testing.T) {
	for _, rate := range []int{1, 5, 20} {
		for _, workers := range []int{1, 16} {
			t.Run(fmt.Sprintf("%d a second, %d workers", rate, workers), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					const long = 10 * time.Minute
					web, site := origintest.NewInMemory(t), &limiter{every: time.Second / time.Duration(rate)}
					for worker := range workers {
						web.Page("example.com", fmt.Sprint("/", worker), site.ServeHTTP)
					}
					tr := finding(t, web)
					know(t, tr, "example.com")
					ctx, cancel := context.WithTimeout(t.Context(), long)
					defer cancel()
					askAgain(ctx, workers, tr, func(worker int) string { return fmt.Sprint("/", worker) })
					allowed := int(long/time.Second) * rate
					t.Logf("%d of %d pages, %d refused", site.good, allowed, site.bad)
					assert.GreaterOrEqual(t, site.good, allowed*3/4)
					assert.LessOrEqual(t, site.bad, site.good/40+5)
				})
			})
		}
	}
}

// A site that is down is asked seldom, and is found soon after it is back.
func TestBackoffAtADeadSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		tr := finding(t, web)
		base := tr.Base.(*http.Transport)
		base.DisableKeepAlives = true
		var down atomic.Bool
		var dials atomic.Int32
		dial := base.DialContext
		base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			if down.Load() {
				dials.Add(1)
				return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
			}
			return dial(ctx, network, address)
		}
		know(t, tr, "example.com")
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
		defer cancel()
		time.AfterFunc(10*time.Second, func() { down.Store(true) })
		var back time.Time
		time.AfterFunc(130*time.Second, func() { down.Store(false); back = time.Now() })
		web.Page("example.com", "/", origintest.Delay(200*time.Millisecond, origintest.Text("a page\n")))
		askAgain(ctx, 16, tr, func(int) string { return "/" })
		assert.LessOrEqual(t, dials.Load(), int32(20), "in two minutes")
		var first time.Time
		for _, a := range web.Log().Pages() {
			if a.Time.After(back) {
				first = a.Time
				break
			}
		}
		require.False(t, first.IsZero())
		assert.Less(t, first.Sub(back), 2*time.Minute)
	})
}

// A quota that is used up is a break until it is new.
func TestBackoffKeepsToAQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/last", origintest.Status(200, "RateLimit-Limit", "10", "RateLimit-Remaining", "0", "RateLimit-Reset", "30"))
		tr := finding(t, web)
		require.NoError(t, visit(t.Context(), client(tr), "http://example.com/last"))
		used := time.Now()
		require.NoError(t, visit(t.Context(), client(tr), "http://example.com/"))
		assert.GreaterOrEqual(t, web.Log().Pages()[1].Time.Sub(used), 30*time.Second)
	})
}

// One section that fails, and pages that are not there, stop nothing.
func TestBackoffAtABrokenSection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/broken/1", origintest.Delay(100*time.Millisecond, origintest.Status(500)))
		web.Page("example.com", "/none/1", origintest.Delay(100*time.Millisecond, origintest.Status(404)))
		for i := range 4 {
			web.Page("example.com", fmt.Sprint("/well/", i), origintest.Delay(100*time.Millisecond, origintest.Text("a page\n")))
		}
		tr := finding(t, web)
		know(t, tr, "example.com")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		askAgain(ctx, 6, tr, func(worker int) string {
			return []string{"/broken/1", "/none/1", "/well/0", "/well/1", "/well/2", "/well/3"}[worker]
		})
		well := 0
		for _, a := range web.Log().Pages() {
			if len(a.URI) > 6 && a.URI[:6] == "/well/" {
				well++
			}
		}
		assert.Greater(t, well, 4*600*3/4, "of 2,400 that could be")
	})
}

// Answers that do not come hold the others up for a minute, and not for longer.
func TestBackoffAtASiteThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/hangs", origintest.Hang)
		tr := finding(t, web)
		know(t, tr, "example.com")
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		var hanging sync.WaitGroup
		for range 3 { // the first is alone, and two count
			hanging.Go(func() { assert.Error(t, visit(ctx, client(tr), "http://example.com/hangs")) })
			synctest.Wait()
		}
		asked := time.Now()
		require.NoError(t, visit(t.Context(), client(tr), "http://example.com/"))
		assert.InDelta(t, time.Minute, time.Since(asked), float64(time.Second))
		cancel()
		hanging.Wait()
	})
}

// Who asks a site seldom is not held up for long by one bad answer.
func TestBackoffOfASlowCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/busy", origintest.Status(429))
		tr := finding(t, web)
		for range 10 {
			require.NoError(t, visit(t.Context(), client(tr), "http://example.com/"))
			time.Sleep(25 * time.Second)
		}
		require.NoError(t, visit(t.Context(), client(tr), "http://example.com/busy"))
		busy := time.Now()
		for range 10 {
			require.NoError(t, visit(t.Context(), client(tr), "http://example.com/"))
		}
		assert.Less(t, time.Since(busy), 10*time.Second)
	})
}
