package wire

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A crowd is inside Base, and was not written, when a break of a minute begins.
type crowdInBase struct {
	name    string
	edit    func(*wire)
	crowd   int
	mixed   bool                 // every other request is a POST that cannot be sent again
	sends   func(*wire) sender   // nil: GET requests by the Transport of the wire
	busy    http.HandlerFunc     // what begins the break; nil: a 429
	begins  func(*wire)          // begins the break in another way
	dials   func() time.Duration // how long the crowd connects
	excused int                  // requests that Base may be writing at the moment of the answer
	other   func(*wire) sender   // who gets the answer; nil: the Transport of the wire
}

func crowdsInBase() []crowdInBase {
	oneConn := func(w *wire) { w.base.MaxConnsPerHost = 1 }
	post := func(w *wire) sender { return sender{wire: w, method: http.MethodPost, again: true} }
	once := func(w *wire) sender { return sender{wire: w, method: http.MethodPost} }
	ofAnother := func(w *wire) sender { return sender{wire: w, tr: w.another()} }
	slots := func(n int) func(*wire) { return func(w *wire) { w.tr.Pace.Concurrency = n } }
	stored := func(edit func(*wire)) func(*wire) {
		return func(w *wire) { w.tr.Cache.Store = new(memstore.Store); edit(w) }
	}
	nothing := func(*wire) {}
	told := func(w *wire) {
		time.Sleep(time.Second)
		require.NoError(w, w.tr.Cache.Store.(*memstore.Store).Break(w.Context(), "origin http://example.com", time.Minute))
	}
	unready := conduct.InTurn(1500*time.Millisecond, 2*time.Second, 30*time.Second, 59*time.Second, 65*time.Second)
	return []crowdInBase{
		{name: "one connection", edit: oneConn, crowd: 49},
		{name: "one connection, an empty answer", edit: oneConn, crowd: 49, busy: emptyStatus(429, "Retry-After", "60"), excused: 1},
		{name: "one connection, a slot", edit: func(w *wire) { oneConn(w); slots(1)(w) }, crowd: 49},
		{name: "one connection, POST once", edit: oneConn, crowd: 9, sends: once},
		{name: "dialing", edit: nothing, crowd: 20, dials: conduct.Always(3 * time.Second)},
		{name: "dialing for long", edit: nothing, crowd: 20, dials: unready},
		{name: "dialing, POST", edit: nothing, crowd: 20, sends: post, dials: conduct.Always(3 * time.Second)},
		{name: "dialing, POST once", edit: nothing, crowd: 20, sends: once, dials: conduct.Always(3 * time.Second)},
		{name: "slots", edit: slots(8), crowd: 49, dials: conduct.Always(3 * time.Second)},
		{name: "stored, one connection", edit: stored(oneConn), crowd: 49},
		{name: "stored, dialing", edit: stored(nothing), crowd: 20, dials: conduct.Always(3 * time.Second)},
		{name: "told, one connection", edit: stored(oneConn), crowd: 49, begins: told},
		{name: "told, dialing", edit: stored(nothing), crowd: 20, begins: told, dials: conduct.Always(3 * time.Second)},
		{name: "of another Transport, one connection", edit: oneConn, crowd: 49, other: ofAnother},
		{name: "dialing, GET and POST once", edit: nothing, crowd: 20, mixed: true, dials: conduct.Always(3 * time.Second)},
		{name: "one connection, GET and POST once", edit: oneConn, crowd: 20, mixed: true},
		{name: "slots, GET and POST once", edit: func(w *wire) { oneConn(w); slots(3)(w) }, crowd: 20, mixed: true},
		{name: "wrapped, dialing", edit: func(w *wire) { w.tr.Base = origintest.RoundTripper(w.base.RoundTrip) }, crowd: 20, dials: conduct.Always(3 * time.Second)},
		{name: "by a Key, at another host", edit: func(w *wire) { w.tr.Pace.Key = func(*http.Request) string { return "all" } }, crowd: 20, dials: conduct.Always(3 * time.Second), sends: func(w *wire) sender {
			return sender{wire: w, from: "other.example"}
		}},
	}
}

// Nothing that is inside Base when a break begins is written before it is over. Then one goes
// first, and the others follow its answer.
func TestBreakAtTheWire(t *testing.T) {
	for _, mode := range long.Last(modes...) {
		for _, test := range crowdsInBase() {
			t.Run(test.name+", "+mode.name, func(t *testing.T) { onWireIn(t, mode.Backoff, test.edit, test.run) })
		}
	}
}

func (test crowdInBase) run(w *wire) {
	busy := test.busy
	if busy == nil {
		busy = origintest.Status(429, "Retry-After", "60")
	}
	if test.begins != nil {
		busy = origintest.Delay(9*time.Second, origintest.Text("ok")) // keeps its connection for longer than the break takes to begin
	}
	w.web.Page("example.com", "/busy", origintest.Delay(time.Second, busy))
	for i := range test.crowd {
		for _, host := range []string{"example.com", "other.example"} {
			w.web.Page(host, fmt.Sprint("/", i), origintest.Delay(time.Second, origintest.Text("ok")))
		}
	}
	conduct.Know(w.T, w.tr, "other.example")
	w.base.CloseIdleConnections()
	var first *call
	if test.other != nil {
		conduct.Get(conduct.Client(w.tr), "http://example.com/warm") // so that its connection is there
		w.web.Page("example.com", "/hold", origintest.Delay(1500*time.Millisecond, origintest.Text("ok")))
		w.get("/hold") // takes it
		first = test.other(w).call("/busy")
	} else {
		first = w.get("/busy")
	}
	if test.dials != nil {
		w.dials(test.dials)
	}
	s := sender{wire: w}
	if test.sends != nil {
		s = test.sends(w)
	}
	for i := range test.crowd {
		if test.mixed {
			s.method = []string{"GET", "POST"}[i%2]
		}
		s.call(fmt.Sprint("/", i))
	}
	began := time.Now().Add(time.Second)
	if test.begins != nil {
		test.begins(w)
		began = time.Now()
	}
	w.wait(10 * time.Minute)
	w.answered("/busy")
	if test.begins == nil {
		require.Equal(w, began, first.ended, "the answer is known")
	}
	test.judge(w, began)
}

func (test crowdInBase) judge(w *wire, began time.Time) {
	over := began.Add(time.Minute)
	early, pages := 0, []origintest.Arrival{}
	for _, a := range w.web.Log().Pages() {
		switch {
		case slices.Contains([]string{"/busy", "/warm", "/hold"}, a.URI):
		case a.Time.Before(over) && !a.Time.After(began):
			early++
		default:
			pages = append(pages, a)
		}
	}
	assert.LessOrEqual(w, early, test.excused, "requests that arrive at the moment of the answer")
	w.quiet(began, over)
	require.Len(w, pages, test.crowd-early)
	if first := pages[0]; !first.Time.Before(over) {
		assert.GreaterOrEqual(w, pages[1].Time.Sub(first.Time), time.Second, "the others follow the answer of the first")
	}
	if len(w.calls[len(w.calls)-1].bodies) != 1 { // who waits with a connection goes when the connection is ready
		assert.Equal(w, fmt.Sprint("/", early), pages[0].URI, "who came first goes first")
	}
}

// Nobody waits who need not: without a gap, a limit and a break all are written at once. Until a
// process hears the others, a request takes its turn among them, which is soon.
func TestNobodyWaitsAtTheWire(t *testing.T) {
	const soon = 20 * time.Millisecond
	for name, edit := range map[string]func(*wire){
		"alone":  nil,
		"stored": func(w *wire) { w.tr.Cache.Store = new(memstore.Store) },
	} {
		t.Run(name, func(t *testing.T) {
			onWire(t, edit, func(w *wire) {
				w.web.Page("example.com", "/slow", origintest.Delay(10*time.Second, origintest.Text("ok")))
				w.base.CloseIdleConnections()
				w.dials(conduct.Always(2 * time.Second))
				start := time.Now()
				for range 50 {
					w.get("/slow")
				}
				w.wait(12*time.Second + soon)
				w.answered("")
				for _, at := range w.arrivals("/slow") {
					assert.InDelta(w, 2*time.Second, at.Sub(start), float64(soon))
				}
			})
		})
	}
}
