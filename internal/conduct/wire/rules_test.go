package wire

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
)

// A crowd is inside Base, and was not written, when other rules become known.
type crowdUnderOldRules struct {
	name    string
	edit    func(*wire)
	holds   bool                          // a page takes the only connection that is there
	dials   func() time.Duration          // how long the crowd connects
	sends   func(*wire) sender            // nil: GET requests
	learner func(*wire) *polite.Transport // who asks for the new rules; nil: the Transport of the crowd
	path    string                        // of the pages that become disallowed; empty: /private/
	excused int                           // requests that Base may be writing at the moment of the new rules
}

func crowdsUnderOldRules() []crowdUnderOldRules {
	nothing := func(*wire) {}
	oneConn := func(w *wire) { w.base.MaxConnsPerHost = 1 }
	stored := func(edit func(*wire)) func(*wire) {
		return func(w *wire) { w.tr.Cache.Store = new(memstore.Store); edit(w) }
	}
	once := func(w *wire) sender { return sender{wire: w, method: http.MethodPost} }
	ofProcess := func(w *wire) *polite.Transport { // another process, with the same store
		tr := w.another()
		tr.Cache = &polite.Cache{Store: w.tr.Cache.Store}
		return tr
	}
	long := conduct.Always(400 * time.Second)
	own := conduct.InTurn(append(slices.Repeat([]time.Duration{400 * time.Second}, 13), 0)...)
	return []crowdUnderOldRules{
		{name: "one connection", edit: oneConn, holds: true, learner: (*wire).another},
		{name: "one connection, POST once", edit: oneConn, holds: true, learner: (*wire).another, sends: once},
		{name: "one connection, of another process", edit: stored(oneConn), holds: true, learner: ofProcess},
		{name: "dialing", edit: nothing, dials: long, learner: (*wire).another},
		{name: "dialing, asking by itself", edit: nothing, holds: true, dials: own, excused: 1},
		{name: "dialing, POST once", edit: nothing, dials: long, learner: (*wire).another, sends: once},
		{name: "dialing, a gap", edit: func(w *wire) { w.tr.Pace.MinDelay = time.Second }, dials: long, learner: (*wire).another},
		{name: "dialing, of another process", edit: stored(nothing), dials: long, learner: ofProcess},
		{name: "dialing, redirected", edit: func(w *wire) { w.base.DisableKeepAlives = true }, dials: conduct.InTurn(append(slices.Repeat([]time.Duration{time.Second}, 13), slices.Repeat([]time.Duration{400 * time.Second}, 30)...)...), learner: (*wire).another, path: "/to/"},
	}
}

// Nothing is written that the rules disallow which are known then. It is refused. What they
// allow goes on.
func TestRulesAtTheWire(t *testing.T) {
	for _, mode := range long.Last(modes...) {
		for _, test := range crowdsUnderOldRules() {
			t.Run(test.name+", "+mode.name, func(t *testing.T) {
				onWireIn(t, mode.Backoff, func(w *wire) {
					w.web.Robots("example.com", conduct.Changing(conduct.Caching("", 300), time.Minute, conduct.Caching(conduct.Rules, 300)))
					test.edit(w)
				}, test.run)
			})
		}
	}
}

func (test crowdUnderOldRules) run(w *wire) {
	began := time.Now()
	time.Sleep(100 * time.Second)
	w.opens()
	if test.holds {
		w.web.Page("example.com", "/hold", origintest.Delay(450*time.Second, origintest.Text("ok")))
		w.get("/hold")
	} else {
		w.base.CloseIdleConnections()
	}
	if test.dials != nil {
		w.dials(test.dials)
	}
	path, s := "/private/", sender{wire: w}
	if test.path != "" {
		path = test.path
	}
	if test.sends != nil {
		s = test.sends(w)
	}
	var private, public []*call
	for i := range 13 {
		to := fmt.Sprint("/private/", i)
		w.web.Page("example.com", to, origintest.Delay(time.Second, origintest.Text("ok")))
		w.web.Page("example.com", fmt.Sprint("/to/", i), origintest.Redirect(to))
		if i%4 == 1 {
			public = append(public, s.call(fmt.Sprint("/public/", i)))
		} else {
			private = append(private, s.call(fmt.Sprint(path, i)))
		}
	}
	time.Sleep(time.Until(began.Add(301 * time.Second)))
	learner := w.tr
	if test.learner != nil {
		learner = test.learner(w)
	}
	known := w.learn(learner)
	w.wait(20 * time.Minute)
	for _, c := range public {
		assert.NoError(w, c.err, c.path)
	}
	refused := 0
	for _, c := range private {
		if refusal, ok := errors.AsType[*polite.DisallowedError](c.err); ok && refusal.Rule.Pattern == "/private" {
			refused++
		}
	}
	assert.GreaterOrEqual(w, refused, len(private)-test.excused, "refusals")
	w.assertNone("/private/", known)
	w.alive()
}

// learn lets tr ask for robots.txt again, and returns when the answer came.
func (w *wire) learn(tr *polite.Transport) (known time.Time) {
	before := len(w.web.Log().Robots())
	conduct.Decide(w.T, tr, "/")
	synctest.Wait()
	assert.Len(w, w.web.Log().Robots(), before+1, "it asks for the rules")
	return time.Now()
}

// assertNone asserts that nothing under path has arrived after since.
func (w *wire) assertNone(path string, since time.Time) {
	w.Helper()
	n := 0
	for _, a := range w.web.Log() {
		if strings.HasPrefix(a.URI, path) && a.Time.After(since) {
			n++
		}
	}
	assert.Zero(w, n, "disallowed requests that arrive")
}

// alive asserts that as many requests as the lane has slots can be under way.
func (w *wire) alive() {
	w.Helper()
	w.dials(conduct.Always(0))
	n := max(w.tr.Pace.Concurrency, 1)
	if w.base.MaxConnsPerHost > 0 {
		n = min(n, w.base.MaxConnsPerHost)
	}
	w.web.Page("example.com", "/well", origintest.Delay(time.Second, origintest.Text("ok")))
	for range n { // good answers, after which a break counts no more
		for range n {
			w.get("/well")
		}
		time.Sleep(3 * time.Second)
	}
	w.web.Page("example.com", "/alive", origintest.Delay(time.Hour, origintest.Text("ok")))
	for range n {
		w.get("/alive")
	}
	time.Sleep(30 * time.Minute)
	assert.Len(w, w.arrivals("/alive"), n, "of so many slots")
	w.wait(time.Hour)
}

// Other rules that are announced count at the wire before they are read, also where the answer
// by which a request was judged has been confirmed since.
func TestAnnouncedRulesAtTheWire(t *testing.T) {
	for _, confirmed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			web, store, dials := origintest.NewInMemory(t), conduct.NewEngine(), &conduct.Connects{Takes: conduct.Always(0)}
			one := conduct.Process(t, web, store)
			t.Cleanup(one.CloseIdleConnections)
			dials.Slowing(one.Base.(*http.Transport))
			conduct.Fresh(one)
			conduct.Fetch(t, one, "http://example.com/")
			conduct.Listen(t, one, time.Minute)
			web.Take()
			dials.Change(conduct.Always(5 * time.Minute))
			refused := make(chan error, 1)
			go func() {
				_, err := conduct.Get(conduct.Client(one), "http://example.com/private")
				refused <- err
			}()
			time.Sleep(time.Minute)
			if confirmed {
				store.Replace(t, "user-agent: *\n")
				conduct.Decide(t, one, "/") // reads it
				time.Sleep(time.Minute)
			}
			store.Replace(t, conduct.Rules)
			assert.ErrorIs(t, <-refused, polite.ErrDisallowed)
			assert.Empty(t, web.Log().Pages(), "confirmed %v", confirmed)
		})
	}
}
