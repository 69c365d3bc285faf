package limit

import (
	"context"
	"errors"
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
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// finding returns a Transport that finds what a site bears.
func finding(t *testing.T, web *origintest.Server) *polite.Transport {
	tr := conduct.NewTransport(t, web)
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// askAgain lets workers ask for page after page until ctx ends.
func askAgain(ctx context.Context, workers int, tr *polite.Transport, path func(worker int) string) {
	var all sync.WaitGroup
	for worker := range workers {
		all.Go(func() {
			for ctx.Err() == nil {
				if conduct.Visit(ctx, conduct.Client(tr), "http://example.com"+path(worker)) != nil {
					origintest.Wait(ctx, 50*time.Millisecond)
				}
			}
		})
	}
	all.Wait()
}

// refusing lets nobody connect to example.com. It counts who tries.
func refusing(tr *polite.Transport) *atomic.Int32 {
	dials := new(atomic.Int32)
	base := tr.Base.(*http.Transport)
	base.CloseIdleConnections()
	base.DialContext = func(context.Context, string, string) (net.Conn, error) {
		dials.Add(1)
		return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	}
	return dials
}

// Who has no limit does not wait for a site that is down for long. Who has one does.
func TestNobodyWaitsForADeadSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		tr := finding(t, web)
		conduct.Know(t, tr, "example.com")
		dials := refusing(tr)
		ask := func(ctx context.Context) error { return conduct.Visit(ctx, conduct.Client(tr), "http://example.com/") }
		died := time.Now()
		var late *polite.DelayError
		for !errors.As(ask(t.Context()), &late) {
		}
		assert.Less(t, time.Since(died), 2*time.Minute)
		assert.LessOrEqual(t, dials.Load(), int32(20))
		assert.Greater(t, late.Wait, time.Minute)
		assert.Contains(t, late.Error(), "the site is down")
		tried, now := dials.Load(), time.Now()
		require.ErrorIs(t, ask(t.Context()), polite.ErrDelayed)
		assert.Zero(t, time.Since(now), "at once")

		patient, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for name, ctx := range map[string]context.Context{
			"deadline":    patient,
			"MaxWait":     polite.With(t.Context(), polite.Options{MaxWait: time.Hour}),
			"not limited": polite.With(t.Context(), polite.Options{MaxWait: polite.Forever}),
		} {
			assert.ErrorIs(t, ask(ctx), syscall.ECONNREFUSED, name)
		}
		assert.Equal(t, tried+3, dials.Load())
		assert.ErrorIs(t, ask(t.Context()), polite.ErrDelayed)
		time.Sleep(time.Until(late.Turn.Add(time.Hour)))
		assert.ErrorIs(t, ask(t.Context()), syscall.ECONNREFUSED, "when the break is over")
	})
}

// Answers that do not come hold the others up for a minute, and not for longer.
func TestBackoffAtASiteThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/hangs", origintest.Hang)
		tr := finding(t, web)
		conduct.Know(t, tr, "example.com")
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		var hanging sync.WaitGroup
		for range 3 { // the first is alone, and two count
			hanging.Go(func() { assert.Error(t, conduct.Visit(ctx, conduct.Client(tr), "http://example.com/hangs")) })
			synctest.Wait()
		}
		asked := time.Now()
		require.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://example.com/"))
		assert.InDelta(t, time.Minute, time.Since(asked), float64(time.Second))
		cancel()
		hanging.Wait()
	})
}

// After a break one request goes first, also if nobody has come for some minutes.
func TestOneGoesFirstLongAfterABreak(t *testing.T) {
	for _, off := range []bool{false, true} {
		for _, idle := range []time.Duration{0, 61 * time.Second, 5 * time.Minute} {
			t.Run(fmt.Sprint("off ", off, ", after ", idle), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					web := origintest.NewInMemory(t)
					web.Page("example.com", "/busy", origintest.Status(503, "Retry-After", "10"))
					web.Page("example.com", "/", origintest.Delay(time.Second, origintest.Text("a page")))
					tr := finding(t, web)
					tr.Pace.Backoff.Off = off
					require.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://example.com/busy"))
					time.Sleep(10*time.Second + idle)
					web.Take()
					var all sync.WaitGroup
					for range 20 {
						all.Go(func() { assert.NoError(t, conduct.Visit(t.Context(), conduct.Client(tr), "http://example.com/")) })
					}
					all.Wait()
					pages := web.Log().Pages()
					require.Len(t, pages, 20)
					assert.GreaterOrEqual(t, pages[1].Time.Sub(pages[0].Time), time.Second, "the others follow its answer")
				})
			})
		}
	}
}

// Requests that cannot be sent again, and connected before a break, follow one of them after it, too.
func TestOneOfManyBodiesGoesFirst(t *testing.T) {
	for _, off := range []bool{false, true} {
		for _, before := range []string{"", "/busy"} { // without a break before, or in its slow start
			t.Run(fmt.Sprint("off ", off, before), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					web := origintest.NewInMemory(t)
					web.Page("example.com", "/busy", origintest.Status(503, "Retry-After", "10"))
					web.Page("example.com", "/form", origintest.Delay(time.Second, origintest.Text("thanks")))
					tr := finding(t, web)
					tr.Pace.Backoff.Off = off
					visit := func(path string) { conduct.Visit(t.Context(), conduct.Client(tr), "http://example.com"+path) }
					if before != "" {
						visit(before)
						time.Sleep(10 * time.Second)
					}
					for range 30 {
						visit("/")
					}
					web.Take()
					var all sync.WaitGroup
					post := func() {
						req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://example.com/form", conduct.NewBody())
						require.NoError(t, err)
						resp, err := tr.RoundTrip(req)
						if assert.NoError(t, err) {
							resp.Body.Close()
						}
					}
					hold := make(chan struct{})
					web.Page("example.com", "/held", func(w http.ResponseWriter, r *http.Request) {
						<-hold
						origintest.Status(503, "Retry-After", "10")(w, r)
					})
					all.Go(func() { visit("/held") })
					synctest.Wait()
					base := tr.Base.(*http.Transport)
					dial := base.DialContext
					base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
						time.Sleep(2 * time.Second)
						return dial(ctx, network, address)
					}
					for range 6 {
						all.Go(post)
					}
					time.Sleep(time.Second)
					close(hold)
					all.Wait()
					forms := web.Log().Pages()[1:]
					require.Len(t, forms, 6)
					assert.GreaterOrEqual(t, forms[1].Time.Sub(forms[0].Time), time.Second, "the others follow its answer")
				})
			})
		}
	}
}

// A request that is alone may have to connect, if the site closes its connections. A break that begins
// meanwhile counts for it, too.
func TestAloneAtASiteThatClosesItsConnections(t *testing.T) {
	for _, robots := range []bool{false, true} { // its page does, or robots.txt
		t.Run(fmt.Sprint("robots.txt ", robots), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				closes := func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Connection", "close")
					origintest.Text(conduct.Rules)(w, r)
				}
				if robots {
					web.Robots("example.com", closes)
				} else {
					web.Page("example.com", "/closes", closes)
				}
				web.Page("example.com", "/busy", origintest.Status(503, "Retry-After", "60"))
				tr := finding(t, web)
				visit := func(path string) error {
					return conduct.Visit(t.Context(), conduct.Client(tr), "http://example.com"+path)
				}
				if robots {
					conduct.Know(t, tr, "example.com")
				} else {
					require.NoError(t, visit("/closes"))
				}
				base, dials := tr.Base.(*http.Transport), atomic.Int32{}
				dial := base.DialContext
				base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
					if dials.Add(1) == 1 {
						time.Sleep(20 * time.Second)
					}
					return dial(ctx, network, address)
				}
				var all sync.WaitGroup
				all.Go(func() { assert.NoError(t, visit("/alone")) })
				time.Sleep(time.Millisecond)
				all.Go(func() { assert.NoError(t, visit("/busy")) })
				all.Wait()
				pages := web.Log().Pages()
				require.GreaterOrEqual(t, len(pages), 2)
				pages = pages[len(pages)-2:]
				require.Equal(t, []string{"/busy", "/alone"}, pages.URIs())
				assert.GreaterOrEqual(t, pages[1].Time.Sub(pages[0].Time), time.Minute)
			})
		})
	}
}
