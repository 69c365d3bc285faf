package wire

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A Base that hedges: two tries of one request at the gate at the same time.
type hedge struct{ http.RoundTripper }

func (h hedge) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path == "/robots.txt" {
		return h.RoundTripper.RoundTrip(req)
	}
	type result struct {
		resp *http.Response
		err  error
	}
	ctx, cancel := context.WithCancel(req.Context())
	results := make(chan result, 2)
	for i := range 2 {
		go func() {
			time.Sleep(time.Duration(i) * 10 * time.Millisecond)
			resp, err := h.RoundTripper.RoundTrip(req.WithContext(ctx))
			results <- result{resp, err}
		}()
	}
	r := <-results
	_ = cancel // after the body, as hedgers do: here never, to be simple
	go func() {
		if late := <-results; late.resp != nil {
			late.resp.Body.Close()
		}
	}()
	return r.resp, r.err
}

// One of two tries is answered before the other has a connection. The other keeps the gap, and
// takes nothing from requests that come later.
func TestTryThatComesAfterTheAnswer(t *testing.T) {
	for _, stored := range []bool{false, true} {
		t.Run(fmt.Sprint("stored ", stored), func(t *testing.T) {
			onWire(t, func(w *wire) {
				w.base.DisableKeepAlives = true
				w.tr.Base = hedge{w.base}
				w.tr.Pace.MinDelay, w.tr.Pace.Concurrency = time.Second, 1
				if stored {
					w.tr.Cache.Store = new(memstore.Store)
				}
			}, func(w *wire) {
				w.dials(conduct.InTurn(0, 20*time.Second))
				req, err := http.NewRequest("GET", "http://example.com/first", nil) // nothing ends its context
				require.NoError(w, err)
				resp, err := w.tr.RoundTrip(req)
				require.NoError(w, err)
				resp.Body.Close()
				time.Sleep(21 * time.Second) // the other try has come
				w.web.Page("example.com", "/slow", origintest.Delay(30*time.Second, origintest.Text("a page\n")))
				another := w.another()
				another.Pace = w.tr.Pace
				for range 3 {
					sender{wire: w, tr: another}.call("/slow")
				}
				w.wait(time.Hour)
				w.answered("")
				assert.Len(w, w.arrivals("/first"), 2)
				slow := w.arrivals("/slow")
				require.Len(w, slow, 3)
				for i, at := range slow[1:] {
					assert.GreaterOrEqual(w, at.Sub(slow[i]), 30*time.Second, "one at a time")
				}
			})
		})
	}
}

// A fakeConn cannot be closed, as those that a Base for HTTP/3 may tell of.
type fakeConn struct{ net.Conn }

func (fakeConn) Close() error { panic("connection operation prohibited") }

type http3 struct{ http.RoundTripper }

func (h http3) RoundTrip(req *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{Conn: fakeConn{}})
	}
	if req.Context().Err() != nil {
		return nil, context.Cause(req.Context())
	}
	return h.RoundTripper.RoundTrip(req.WithContext(context.WithoutCancel(context.Background())))
}

func TestConnectionThatCannotBeClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Page("example.com", "/busy", origintest.Delay(1500*time.Millisecond, origintest.Status(429, "Retry-After", "3600")))
		tr := conduct.NewTransport(t, web)
		tr.Pace.MinDelay = time.Second
		h := http3{tr.Base}
		// connecting takes a second for the request that will be cancelled
		tr.Base = origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/x" {
				time.Sleep(2 * time.Second)
			}
			return h.RoundTrip(req)
		})
		conduct.Know(t, tr, "example.com")
		client := &http.Client{Transport: tr}
		go conduct.Get(client, "http://example.com/busy")
		synctest.Wait()
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("too long"))
		defer cancel()
		req, _ := http.NewRequestWithContext(ctx, "GET", "http://example.com/x", nil)
		assert.NotPanics(t, func() { _, err := tr.RoundTrip(req); t.Log(err) })
	})
}

// A request that need not keep a gap does not end the gap of the others.
func TestGapAfterRobotsTxt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		transport := conduct.NewTransport(t, web)
		for i := range 300 {
			host := fmt.Sprintf("%d.example", i)
			web.Robots(host, conduct.Delayed(10))
			for _, path := range []string{"/1", "/robots.txt", "/2"} {
				_, err := conduct.Get(conduct.Client(transport), "http://"+host+path)
				require.NoError(t, err)
			}
			visits := web.Log().At(host)
			require.Len(t, visits, 4)
			for _, gap := range conduct.Gaps(visits[1:]) {
				require.GreaterOrEqual(t, gap, 10*time.Second, host)
			}
		}
	})
}
