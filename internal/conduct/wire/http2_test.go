package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A bufferedConn does not wait until what it writes is read, as HTTP/2 needs it.
type bufferedConn struct {
	net.Conn
	queue  chan []byte
	closed chan struct{}
	close  func()
}

func newBufferedConn(conn net.Conn) *bufferedConn {
	c := &bufferedConn{Conn: conn, queue: make(chan []byte, 10_000), closed: make(chan struct{})}
	c.close = sync.OnceFunc(func() { close(c.closed) })
	go func() {
		for {
			select {
			case b := <-c.queue:
				if _, err := conn.Write(b); err != nil {
					return
				}
			case <-c.closed:
				return
			}
		}
	}()
	return c
}

func (c *bufferedConn) Write(b []byte) (int, error) {
	select {
	case c.queue <- append([]byte(nil), b...):
		return len(b), nil
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

func (c *bufferedConn) Close() error {
	c.close()
	return c.Conn.Close()
}

// serveHTTP2 makes w.base speak HTTP/2 with w.web, without TLS. The site answers streams of
// one connection at a time, and no more of them.
func (w *wire) serveHTTP2(streams int) {
	l := origintest.NewPipes()
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: w.web, Protocols: &protocols, HTTP2: &http.HTTP2Config{MaxConcurrentStreams: streams}}
	var serving sync.WaitGroup
	serving.Go(func() { server.Serve(l) })
	w.Cleanup(func() {
		w.base.CloseIdleConnections()
		server.Close()
		serving.Wait()
	})
	w.base.Protocols = &protocols
	w.base.HTTP2 = &http.HTTP2Config{StrictMaxConcurrentRequests: true}
	w.base.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		conn, err := l.Dial(ctx)
		if err != nil {
			return nil, err
		}
		return newBufferedConn(conn), nil
	}
	w.crowd = min(streams, w.crowd)
}

// Streams that wait for a place on their connection are not written in a break.
func TestBreakOfStreams(t *testing.T) {
	const streams = 20 // net/http does not go on if more of them wait than there are places
	for _, test := range []struct {
		name  string
		told  bool // the break begins elsewhere
		edit  func(*wire)
		sends func(*wire) sender
		dials time.Duration
	}{
		{name: "alone"},
		{name: "slots", edit: func(w *wire) { w.tr.Pace.Concurrency = 40 }},
		{name: "one connection", edit: func(w *wire) { w.base.MaxConnsPerHost = 1 }},
		{name: "POST", sends: func(w *wire) sender { return sender{wire: w, method: "POST", again: true} }},
		{name: "stored", edit: func(w *wire) { w.tr.Cache.Store = new(memstore.Store) }},
		{name: "told", told: true, edit: func(w *wire) { w.tr.Cache.Store = new(memstore.Store) }},
		{name: "dialing", dials: 3 * time.Second},
		{name: "dialing, told", told: true, dials: 3 * time.Second, edit: func(w *wire) { w.tr.Cache.Store = new(memstore.Store) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			onWire(t, func(w *wire) {
				w.serveHTTP2(streams)
				if test.edit != nil {
					test.edit(w)
				}
			}, func(w *wire) {
				busy := slowly(time.Millisecond, origintest.Status(429, "Retry-After", "60")) // so it keeps its place until all know
				if test.told {
					busy = origintest.Delay(10*time.Second, origintest.Text("ok"))
				}
				w.web.Page("example.com", "/busy", origintest.Delay(time.Second, busy))
				w.web.Page("example.com", "/long", origintest.Delay(20*time.Second, origintest.Text("ok")))
				first := w.get("/busy")
				under := 1
				if test.dials > 0 {
					w.base.CloseIdleConnections()
					w.dials(conduct.Always(test.dials))
				} else {
					for ; under < streams; under++ { // the other places
						w.get("/long")
					}
				}
				s := sender{wire: w}
				if test.sends != nil {
					s = test.sends(w)
				}
				for i := range 20 {
					w.web.Page("example.com", fmt.Sprint("/", i), origintest.Delay(time.Second, origintest.Text("ok")))
					s.call(fmt.Sprint("/", i))
				}
				require.Len(w, w.web.Log().Pages(), under, "the others wait")
				began := time.Now().Add(time.Second)
				if test.told {
					time.Sleep(500 * time.Millisecond)
					began = time.Now()
					require.NoError(w, w.tr.Cache.Store.(*memstore.Store).Break(w.Context(), "origin http://example.com", time.Minute))
				}
				w.wait(10 * time.Minute)
				w.answered("/busy")
				if !test.told {
					require.Equal(w, began.Add(time.Millisecond), first.ended)
				}
				w.quiet(began.Add(-1), began.Add(time.Minute))
				pages := w.web.Log().Pages()[under:]
				require.Len(w, pages, 20)
				assert.GreaterOrEqual(w, pages[1].Time.Sub(pages[0].Time), time.Second, "the others follow the answer of the first")
			})
		})
	}
}

// slowly answers with next, and ends the answer later.
func slowly(later time.Duration, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		next(w, r)
		http.NewResponseController(w).Flush()
		origintest.Wait(r.Context(), later)
	}
}

// A stream that gets its place in the moment in which a break begins arrives at most once.
func TestStreamAtTheBreak(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		t.Run(method, func(t *testing.T) {
			for range long.Last(50, 10)[0] { // it is a race
				onWire(t, func(w *wire) { w.serveHTTP2(2) }, func(w *wire) {
					w.web.Page("example.com", "/busy", origintest.Delay(time.Second, origintest.Status(429, "Retry-After", "60")))
					w.web.Page("example.com", "/long", origintest.Delay(20*time.Second, origintest.Text("ok")))
					w.get("/busy")
					w.get("/long")
					began := time.Now().Add(time.Second)
					s := sender{wire: w, method: method, again: true}
					calls := []*call{s.call("/0"), s.call("/1")}
					w.wait(10 * time.Minute)
					w.quiet(began, began.Add(time.Minute))
					for _, c := range calls {
						assert.Len(w, w.arrivals(c.path), 1, c.path)
						if c.err != nil {
							assert.ErrorContains(w, c.err, "its answer is lost")
							assert.NotErrorIs(w, c.err, polite.ErrRefused)
						}
					}
				})
			}
		})
	}
}

// A torn stream is one that net/http writes although its context has ended: it looked at the
// context just before. Its answer is lost.
type torn struct {
	http.RoundTripper
	path     string
	returned time.Duration // how long after the end of RoundTrip it is written; negative: before
}

func (s torn) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path != s.path {
		return s.RoundTripper.RoundTrip(req)
	}
	ctx := req.Context()
	trace := httptrace.ContextClientTrace(ctx)
	trace.GotConn(httptrace.GotConnInfo{})
	<-ctx.Done()
	write := func() {
		trace.WroteHeaderField(":method", []string{req.Method})
		resp, err := s.RoundTripper.RoundTrip(req.Clone(context.Background()))
		if err == nil {
			resp.Body.Close()
		}
	}
	if s.returned < 0 {
		write()
	} else {
		time.AfterFunc(s.returned, write)
	}
	return nil, ctx.Err()
}

// Who has sent a request that a break was to stop does not send it again, and says so.
func TestWrittenAtTheBreak(t *testing.T) {
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		for _, returned := range []time.Duration{-1, time.Millisecond} {
			t.Run(fmt.Sprint(method, " ", returned), func(t *testing.T) {
				onWire(t, func(w *wire) {
					under := w.base.Clone()
					w.Cleanup(under.CloseIdleConnections)
					w.base.Protocols = new(http.Protocols)
					w.base.Protocols.SetUnencryptedHTTP2(true)
					w.base.RegisterProtocol("http", torn{under, "/torn", returned})
				}, func(w *wire) {
					w.web.Page("example.com", "/busy", origintest.Delay(time.Second, origintest.Status(429, "Retry-After", "60")))
					w.get("/busy")
					s := sender{wire: w, method: method, again: true}
					c, next := s.call("/torn"), s.call("/next")
					w.wait(10 * time.Minute)
					assert.Len(w, w.arrivals(c.path), 1)
					assert.ErrorContains(w, c.err, "its answer is lost")
					assert.NotErrorIs(w, c.err, polite.ErrRefused)
					assert.NoError(w, next.err)
				})
			})
		}
	}
}

// Nor when the rules disallow them by then, and they are refused.
func TestRulesOfStreams(t *testing.T) {
	onWire(t, func(w *wire) {
		w.serveHTTP2(11)
		w.web.Robots("example.com", conduct.Changing(conduct.Caching("", 300), time.Minute, conduct.Caching(conduct.Rules, 300)))
	}, func(w *wire) {
		time.Sleep(100 * time.Second)
		w.opens()
		w.web.Page("example.com", "/hold", origintest.Delay(450*time.Second, origintest.Text("ok")))
		for range 11 {
			w.get("/hold")
		}
		for i := range 10 {
			w.get(fmt.Sprint("/private/", i))
		}
		w.get("/public")
		time.Sleep(201 * time.Second)
		known := w.learn(w.another())
		w.wait(time.Hour)
		w.assertNone("/private/", known)
		refused := 0
		for _, c := range w.calls[11:21] {
			if errors.Is(c.err, polite.ErrDisallowed) {
				refused++
			}
		}
		assert.NoError(w, w.calls[21].err)
		assert.Equal(w, 10, refused)
	})
}

// The gap between streams is kept where they get their connection.
func TestGapOfStreams(t *testing.T) {
	onWire(t, func(w *wire) { w.serveHTTP2(250) }, func(w *wire) {
		w.base.CloseIdleConnections()
		w.dials(conduct.Always(3 * time.Second))
		five, one, none := w.mixed()
		for i := range 5 {
			five.call(fmt.Sprint("/5s/", i))
			one.call(fmt.Sprint("/1s/", i))
			none.call(fmt.Sprint("/0s/", i))
		}
		w.wait(10 * time.Minute)
		w.answered("")
		w.assertGaps()
	})
}
