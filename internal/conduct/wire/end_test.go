package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A request that cannot wait for the end of a break is refused at once: if it can be read
// again, when the break begins, and otherwise when its connection is ready.
func TestRefusedAtTheWire(t *testing.T) {
	for _, test := range []struct {
		name    string
		method  string
		maxWait time.Duration
		timeout time.Duration
		refused time.Duration // after the start of the crowd, at the latest; the break begins after a second
		edit    func(*wire)
	}{
		{"MaxWait", "GET", 10 * time.Second, 0, time.Second, nil},
		{"MaxWait, POST once", "POST", 10 * time.Second, 0, 3 * time.Second, nil},
		{"a deadline", "GET", 0, 30 * time.Second, time.Second, nil},
		{"a deadline, POST once", "POST", 0, 30 * time.Second, 3 * time.Second, nil},
		{"both", "GET", 50 * time.Second, 55 * time.Second, time.Second, nil},
		{"MaxWait, slots", "GET", 10 * time.Second, 0, time.Second, func(w *wire) { w.tr.Pace.Concurrency = 6 }},
		{"MaxWait, stored", "GET", 10 * time.Second, 0, time.Second, func(w *wire) { w.tr.Cache.Store = new(memstore.Store) }},
		{"MaxWait, a gap", "GET", 10 * time.Second, 0, 1005 * time.Millisecond, func(w *wire) { w.tr.Pace.MinDelay = time.Millisecond }},
	} {
		t.Run(test.name, func(t *testing.T) {
			onWire(t, func(w *wire) {
				w.tr.Pace.MaxWait = test.maxWait
				if test.edit != nil {
					test.edit(w)
				}
			}, func(w *wire) {
				w.web.Page("example.com", "/busy", origintest.Delay(time.Second, origintest.Status(429, "Retry-After", "60")))
				w.get("/busy")
				w.dials(conduct.Always(3 * time.Second))
				start := time.Now()
				for i := range 5 {
					ctx, cancel := context.WithCancel(w.Context())
					if test.timeout > 0 {
						ctx, cancel = context.WithTimeout(w.Context(), test.timeout)
					}
					defer cancel()
					sender{wire: w, method: test.method, ctx: ctx}.call(fmt.Sprint("/", i))
				}
				w.wait(time.Hour)
				assert.Len(w, w.web.Log().Pages(), 1)
				refused := 0
				for _, c := range w.calls[1:] {
					if late, ok := errors.AsType[*polite.DelayError](c.err); ok {
						refused++
						assert.WithinRange(w, c.ended, start.Add(time.Second), start.Add(test.refused), "at once")
						assert.False(w, late.Turn.Before(start.Add(61*time.Second)), "it says when the turn would come")
					}
				}
				assert.Equal(w, 5, refused)
				time.Sleep(2 * time.Minute)
				w.alive()
			})
		})
	}
}

// Who gives up inside Base, or at the wire, returns at once, is not written, and leaves its slot.
func TestGivenUpAtTheWire(t *testing.T) {
	for name, method := range map[string]string{"GET": "GET", "POST once": "POST"} {
		for _, stored := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", stored ", stored), func(t *testing.T) {
				onWire(t, func(w *wire) {
					w.tr.Pace.Concurrency = 12
					if stored {
						w.tr.Cache.Store = new(memstore.Store)
					}
				}, func(w *wire) {
					w.web.Page("example.com", "/busy", origintest.Delay(time.Second, origintest.Status(429, "Retry-After", "60")))
					w.get("/busy")
					w.dials(conduct.Always(3 * time.Second))
					start := time.Now()
					for i := range 11 {
						ctx, cancel := context.WithCancel(w.Context())
						time.AfterFunc(time.Duration(i)*500*time.Millisecond+100*time.Millisecond, cancel)
						sender{wire: w, method: method, ctx: ctx}.call(fmt.Sprint("/", i))
					}
					w.wait(time.Hour)
					assert.Len(w, w.web.Log().Pages(), 1)
					cancelled := 0
					for i, c := range w.calls[1:] {
						if errors.Is(c.err, context.Canceled) && c.ended.Sub(start) == time.Duration(i)*500*time.Millisecond+100*time.Millisecond {
							cancelled++
						}
					}
					assert.Equal(w, 11, cancelled, "at once")
					time.Sleep(2 * time.Minute)
					w.alive()
				})
			})
		}
	}
}

// net/http sends a page again if a kept connection breaks before an answer. It enters the gate
// again.
func TestBreakBeforeARetryAtTheWire(t *testing.T) {
	onWire(t, nil, func(w *wire) {
		w.web.Page("example.com", "/busy", origintest.Delay(2*time.Second, origintest.Status(429, "Retry-After", "60")))
		w.web.Page("example.com", "/again", origintest.Delay(time.Second, origintest.Reset), origintest.Text("ok"))
		w.web.Page("example.com", "/warm", origintest.Delay(time.Second, origintest.Text("ok")))
		w.get("/warm")
		w.get("/warm")
		time.Sleep(2 * time.Second) // two connections are kept
		busy := w.get("/busy")
		w.get("/again")
		w.dials(conduct.Always(3 * time.Second))
		w.wait(10 * time.Minute)
		w.answered("/busy")
		// Its answer is known before its connection is free for another.
		w.quiet(busy.ended.Add(-1), busy.ended.Add(time.Minute))
		assert.Len(w, w.arrivals("/again"), 2)
	})
}

// If it may not wait for so long, this is no refusal: the page has arrived once.
func TestArrivedIsNoRefusal(t *testing.T) {
	onWire(t, func(w *wire) { w.tr.Pace.MaxWait = 10 * time.Second }, func(w *wire) {
		w.web.Page("example.com", "/busy", origintest.Delay(2*time.Second, origintest.Status(429, "Retry-After", "60")))
		w.web.Page("example.com", "/again", origintest.Delay(time.Second, origintest.Reset), origintest.Text("ok"))
		w.web.Page("example.com", "/warm", origintest.Delay(time.Second, origintest.Text("ok")))
		w.get("/warm")
		w.get("/warm")
		time.Sleep(2 * time.Second) // two connections are kept
		w.get("/busy")
		again := w.get("/again")
		w.dials(conduct.Always(3 * time.Second))
		w.wait(10 * time.Minute)
		assert.Len(w, w.arrivals("/again"), 1)
		assert.ErrorContains(w, again.err, "its answer is lost")
		assert.NotErrorIs(w, again.err, polite.ErrRefused)
	})
}

// A parentContext is a context that knows those that are derived from it.
type parentContext struct {
	id       int
	deadline time.Time
	done     chan struct{}

	mu       sync.Mutex
	err      error
	children map[*func()]bool
}

func newParentContext(id int) *parentContext {
	return &parentContext{id: id, done: make(chan struct{}), children: make(map[*func()]bool)}
}

func (c *parentContext) Deadline() (time.Time, bool) { return c.deadline, !c.deadline.IsZero() }
func (c *parentContext) Done() <-chan struct{}       { return c.done }

func (c *parentContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

func (c *parentContext) Value(key any) any {
	if key == (idKey{}) {
		return c.id
	}
	return nil
}

type idKey struct{}

// AfterFunc is what package context calls for contexts that are derived from c.
func (c *parentContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f()
		return func() bool { return false }
	}
	c.children[&f] = true
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		there := c.children[&f]
		delete(c.children, &f)
		return there
	}
}

// cancel ends c because of err.
func (c *parentContext) cancel(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	close(c.done)
	for f := range c.children {
		go (*f)()
	}
	clear(c.children)
}

func (c *parentContext) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.children)
}

// A context that lives for long keeps nothing of requests that have ended: neither of those that
// were refused, nor of those whose bodies are read to the end, closed, or not there.
func TestNothingIsLeftAtTheWire(t *testing.T) {
	for name, edit := range map[string]func(*wire){
		"alone":      nil,
		"not kept":   func(w *wire) { w.base.DisableKeepAlives = true },
		"a gap":      func(w *wire) { w.tr.Pace.MinDelay = 10 * time.Millisecond },
		"slots":      func(w *wire) { w.tr.Pace.Concurrency = 3 },
		"stored":     func(w *wire) { w.tr.Cache.Store = new(memstore.Store) },
		"stored gap": func(w *wire) { w.tr.Cache.Store, w.tr.Pace.MinDelay = new(memstore.Store), 10*time.Millisecond },
	} {
		t.Run(name, func(t *testing.T) {
			onWire(t, edit, func(w *wire) {
				w.web.Robots("example.com", conduct.Changing(conduct.Caching("", 300), 0, conduct.Caching(conduct.Rules, 300)))
				w.web.Page("example.com", "/none", origintest.Status(204))
				w.web.Page("example.com", "/busy", origintest.Delay(time.Second, origintest.Status(429, "Retry-After", "5")))
				parent := newParentContext(0)
				w.leave(parent, "/warm", true)
				time.Sleep(time.Minute)
				before, parents := bubbled(), parent.count()
				for range 3 {
					w.under.Go(func() { w.leave(parent, "/busy", true) })
					w.dials(conduct.Always(3 * time.Second))
					for i := range 10 {
						synctest.Wait()
						w.under.Go(func() { w.leave(parent, []string{"/", "/none", "/private", "/x"}[i%4], i%2 == 0) })
					}
					w.under.Wait()
					time.Sleep(200 * time.Second) // until the rules change
					w.base.CloseIdleConnections()
					w.dials(conduct.Always(0))
					time.Sleep(time.Second)
				}
				assert.Equal(w, parents, parent.count(), "contexts that are derived from a living one")
				w.leave(parent, "/warm", true)
				time.Sleep(time.Minute)
				assert.LessOrEqual(w, bubbled(), before, "goroutines")
			})
		})
	}
}

// bubbled returns how many goroutines there are in bubbles.
func bubbled() int {
	stacks := make([]byte, 1<<20)
	return strings.Count(string(stacks[:runtime.Stack(stacks, true)]), ", synctest bubble ")
}

// leave makes a request, reads the answer to its end, and closes it or does not.
func (w *wire) leave(ctx context.Context, path string, closes bool) {
	req, err := http.NewRequestWithContext(ctx, "GET", "http://example.com"+path, strings.NewReader(""))
	require.NoError(w, err)
	resp, err := w.tr.RoundTrip(req)
	if err != nil {
		assert.ErrorIs(w, err, polite.ErrRefused)
		return
	}
	io.Copy(io.Discard, resp.Body)
	if closes {
		resp.Body.Close()
	}
}
