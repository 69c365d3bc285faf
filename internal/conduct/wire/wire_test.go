package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// errHangs ends a request that should have ended by itself.
var errHangs = errors.New("it hangs")

// patience is the time after which a request hangs.
const patience = 2 * time.Hour

// A wire is a site in memory, a Transport to it, and the requests that were made.
type wire struct {
	*testing.T
	web   *origintest.Server
	tr    *polite.Transport
	base  *http.Transport
	calls []*call
	under sync.WaitGroup
	crowd int // how many are on their way before the test begins, so that many may be in it

	connects conduct.Connects // of base
}

// crowding lets many requests be on their way at once, which is what the gate is for. With
// the zero Backoff they wait in the queue until good answers have shown what the site bears.
var crowding = polite.Backoff{Off: true}

// modes are how a Transport finds what a site bears.
var modes = []struct {
	name string
	polite.Backoff
}{{"as by default", polite.Backoff{}}, {"without a Backoff", crowding}}

// onWire runs test as onWireIn does, in each of the modes.
func onWire(t *testing.T, edit func(*wire), test func(*wire)) {
	t.Helper()
	for _, mode := range long.Last(modes...) {
		t.Run(mode.name, func(t *testing.T) { onWireIn(t, mode.Backoff, edit, test) })
	}
}

// onWireIn runs test in a bubble. There edit has changed the Transport, the rules of
// example.com are known, and the Transport hears its Turns, if it has any. Many requests may be
// on their way at once.
func onWireIn(t *testing.T, mode polite.Backoff, edit func(*wire), test func(*wire)) {
	synctest.Test(t, func(t *testing.T) {
		w := &wire{T: t, web: origintest.NewInMemory(t), crowd: 60}
		w.tr = conduct.NewTransport(t, w.web)
		w.tr.Cache, w.tr.Pace.Backoff = new(polite.Cache), mode
		w.base = w.tr.Base.(*http.Transport)
		t.Cleanup(func() { w.tr.CloseIdleConnections() })
		if edit != nil {
			edit(w)
		}
		w.dials(conduct.Always(0))
		w.connects.Slowing(w.base)
		conduct.Know(t, w.tr, "example.com")
		w.opens()
		synctest.Wait()
		test(w)
	})
}

// opens lets a crowd be on its way at once, by good answers, and forgets them. polite remembers
// these for a minute.
func (w *wire) opens() {
	if w.tr.Pace.Backoff.Off || w.crowd == 0 {
		return
	}
	tr := w.another() // without the gap and the limit of w.tr
	tr.Base, tr.Pace.Key = w.base, w.tr.Pace.Key
	w.web.Page("example.com", "/opens", origintest.Delay(time.Millisecond, origintest.Text("ok")))
	for range w.crowd {
		w.under.Go(func() {
			for range 120 / w.crowd {
				conduct.Get(conduct.Client(tr), "http://example.com/opens")
			}
		})
	}
	w.under.Wait()
	w.base.CloseIdleConnections()
	conduct.Listen(w.T, w.tr, 15*time.Second) // for ten, a request that is alone passes no gate
	w.web.Take()
}

// another returns a Transport with a Base of its own that shares the Cache.
func (w *wire) another() *polite.Transport {
	tr := conduct.NewTransport(w.T, w.web)
	tr.Cache, tr.Pace.Backoff = w.tr.Cache, w.tr.Pace.Backoff
	w.Cleanup(tr.CloseIdleConnections)
	return tr
}

// A call is a request and what became of it.
type call struct {
	path         string
	began, ended time.Time
	status       int
	err          error
	bodies       []*conduct.Body // that it has sent, or wanted to
}

// A sender makes calls by a Transport.
type sender struct {
	*wire
	tr     *polite.Transport
	method string
	again  bool            // the body can be read again
	ctx    context.Context // nil: that of the test
	from   string          // the host; empty: example.com
}

// get makes a GET request by the Transport of w.
func (w *wire) get(path string) *call { return sender{wire: w}.call(path) }

// call makes a request, and returns when nothing more happens at this moment.
func (s sender) call(path string) *call {
	c := &call{path: path, began: time.Now()}
	s.calls = append(s.calls, c)
	s.under.Go(func() { s.make(c) })
	synctest.Wait()
	return c
}

func (s sender) make(c *call) {
	tr, host, method := s.tr, s.from, s.method
	if tr == nil {
		tr = s.wire.tr
	}
	if host == "" {
		host = "example.com"
	}
	if s.ctx == nil {
		s.ctx = s.Context()
	}
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	hanging := time.AfterFunc(patience, func() { cancel(errHangs) }) // on the bubble's clock
	defer hanging.Stop()
	req, err := http.NewRequestWithContext(ctx, method, "http://"+host+c.path, nil)
	require.NoError(s, err)
	if method == http.MethodPost {
		s.addBody(req, c)
	}
	var resp *http.Response
	if resp, c.err = conduct.Client(tr).Do(req); c.err == nil {
		c.status = resp.StatusCode
		_, c.err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	if context.Cause(ctx) == errHangs {
		c.err = errHangs
	}
	c.ended = time.Now()
}

func (s sender) addBody(req *http.Request, c *call) {
	var mu sync.Mutex
	open := func() (io.ReadCloser, error) {
		mu.Lock()
		defer mu.Unlock()
		b := &conduct.Body{Reader: strings.NewReader("a=b")}
		c.bodies = append(c.bodies, b)
		return b, nil
	}
	req.Body, _ = open()
	req.ContentLength = 3
	if s.again {
		req.GetBody = open
	}
}

// wait waits until all calls have ended, and closed each of their bodies once.
func (w *wire) wait(longest time.Duration) {
	w.Helper()
	start := time.Now()
	w.under.Wait()
	assert.LessOrEqual(w, time.Since(start), longest, "until all have ended")
	time.Sleep(time.Minute) // until net/http has left what nobody wants any more
	for _, c := range w.calls {
		for i, b := range c.bodies {
			assert.EqualValues(w, 1, b.Closed.Load(), "body %d of %s closed", i, c.path)
		}
	}
}

// answered asserts that all calls but those to the pages of that name got a status of 200.
func (w *wire) answered(but string) {
	w.Helper()
	others := make(map[string]int)
	for _, c := range w.calls {
		if c.path != but && (c.err != nil || c.status != 200) {
			others[fmt.Sprint(c.status, " ", c.err)]++
		}
	}
	assert.Empty(w, others, "what became of calls, and how often")
}

// quiet asserts that nothing arrives after from and before until.
func (w *wire) quiet(from, until time.Time) {
	w.Helper()
	arrived, last := 0, time.Time{}
	for _, a := range w.web.Log() {
		if a.Time.After(from) && a.Time.Before(until) {
			arrived, last = arrived+1, a.Time
		}
	}
	assert.Zero(w, arrived, "requests that arrive within %v, the last after %v", until.Sub(from), last.Sub(from))
}

// arrivals returns when requests for a page have arrived.
func (w *wire) arrivals(path string) (at []time.Time) {
	for _, a := range w.web.Log() {
		if a.URI == path {
			at = append(at, a.Time)
		}
	}
	return at
}

// dials makes each connection from now on take as long as takes says.
func (w *wire) dials(takes func() time.Duration) { w.connects.Change(takes) }

// emptyStatus answers with a status, a header and no body, so that the connection is free
// for the next request before the answer is read.
func emptyStatus(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.Header().Set("Content-Length", "0")
		w.WriteHeader(code)
	}
}
