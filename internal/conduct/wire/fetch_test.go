package wire

import (
	"net/http"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A break that begins while robots.txt is asked for is kept by what is still to be written:
// by retries, redirects, and by a fetch that connects.
func TestFetchAtTheWire(t *testing.T) {
	fresh := conduct.Caching(conduct.Rules, 300)
	slowly := func(answer http.HandlerFunc) http.HandlerFunc { return origintest.Delay(2*time.Second, answer) }
	for _, test := range []struct {
		name  string
		again []http.HandlerFunc // the answers of robots.txt after the first
		dials time.Duration      // from the second fetch on
	}{
		{"a retry", []http.HandlerFunc{slowly(origintest.Reset), fresh}, 0},
		{"retries", []http.HandlerFunc{origintest.Reset, slowly(origintest.Reset), fresh}, 0},
		{"a retry after a cut body", []http.HandlerFunc{slowly(origintest.Cut(conduct.Rules)), fresh}, 0},
		{"a retry that connects", []http.HandlerFunc{origintest.Reset, fresh}, 3 * time.Second},
		{"a redirect", []http.HandlerFunc{slowly(origintest.Redirect("/r.txt"))}, 0},
		{"a redirect that connects", []http.HandlerFunc{origintest.Redirect("/r.txt")}, 3 * time.Second},
		{"the first that connects", []http.HandlerFunc{fresh}, 3 * time.Second},
	} {
		for _, stored := range []bool{false, true} {
			name := test.name
			if stored {
				name += ", stored"
			}
			t.Run(name, func(t *testing.T) {
				onWire(t, func(w *wire) {
					w.crowd = 0
					w.web.Robots("example.com", append([]http.HandlerFunc{fresh}, test.again...)...)
					w.web.Page("example.com", "/r.txt", fresh)
					w.tr.Policy.Timeout = 19 * time.Second
					w.base.DisableKeepAlives = test.dials > 0
					if stored {
						w.tr.Cache.Store = new(memstore.Store)
					}
				}, func(w *wire) { askInBreak(w, test.dials) })
			})
		}
	}
}

func askInBreak(w *wire, dials time.Duration) {
	w.web.Page("example.com", "/busy", origintest.Delay(101*time.Second, origintest.Status(429, "Retry-After", "60")))
	time.Sleep(200 * time.Second) // the answer is not due yet
	first := w.get("/busy")
	w.dials(conduct.Always(dials))
	time.Sleep(100 * time.Second)
	require.Len(w, w.web.Log().Robots(), 1)
	conduct.Decide(w.T, w.tr, "/public") // now it is due: asks in the background
	w.wait(10 * time.Minute)
	w.quiet(first.ended, first.ended.Add(time.Minute))
	w.get("/public")
	w.wait(10 * time.Minute)
	w.answered("/busy")
	assert.Greater(w, len(w.web.Log().Robots()), 1)
}

// The robots.txt of another origin that leads to one in a break is not asked for there.
func TestFetchOfAnotherAtTheWire(t *testing.T) {
	onWire(t, func(w *wire) {
		w.tr.Policy.Timeout = 19 * time.Second
		w.base.DisableKeepAlives = true
	}, func(w *wire) {
		w.web.Page("example.com", "/busy", origintest.Delay(time.Second, origintest.Status(429, "Retry-After", "60")))
		w.web.Robots("www.example.com", origintest.Redirect("http://example.com/r.txt"))
		w.web.Page("example.com", "/r.txt", origintest.Text(conduct.Rules))
		first := w.get("/busy")
		w.dials(conduct.Always(700 * time.Millisecond)) // so that the second connect ends in the break
		sender{wire: w, from: "www.example.com"}.call("/page")
		w.wait(10 * time.Minute)
		for _, a := range w.web.Log().At("example.com") {
			assert.False(w, a.Time.After(first.ended) && a.Time.Before(first.ended.Add(time.Minute)), a.URI)
		}
	})
}
