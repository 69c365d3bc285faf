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

// Request.Cancel is heard while a request waits at the wire: for its gap, and for a break.
func TestCancelAtTheWire(t *testing.T) {
	for name, test := range map[string]struct {
		gap    time.Duration
		method string
		again  bool
		stored bool
	}{
		"a gap":                    {20 * time.Second, "GET", true, false},
		"a gap, POST":              {20 * time.Second, "POST", true, false},
		"a gap, POST once":         {20 * time.Second, "POST", false, false},
		"a gap, stored":            {20 * time.Second, "GET", true, true},
		"a gap, stored, POST once": {20 * time.Second, "POST", false, true},
		"a break, stored":          {0, "GET", true, true},
		"a break":                  {0, "GET", true, false},
		"a break, POST":            {0, "POST", true, false},
		"a break, POST once":       {0, "POST", false, false},
		"both, GET":                {time.Second, "GET", true, false},
		"both, POST once":          {time.Second, "POST", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			onWire(t, func(w *wire) {
				w.tr.Pace.MinDelay = test.gap
				if test.stored {
					w.tr.Cache.Store = new(memstore.Store)
				}
			}, func(w *wire) {
				start := time.Now()
				if test.gap > 10*time.Second { // the first is written after 35 s, so the second waits from 36 s to 55 s
					w.base.CloseIdleConnections()
					w.dials(conduct.InTurn(35*time.Second, 16*time.Second))
					w.get("/first")
				} else {
					w.web.Page("example.com", "/busy", origintest.Delay(5*time.Second, origintest.Status(429, "Retry-After", "60")))
					w.get("/busy")
					time.Sleep(2 * time.Second)
					w.dials(conduct.Always(5 * time.Second))
				}
				c := &call{path: "/cancelled"}
				req, err := http.NewRequestWithContext(w.Context(), test.method, "http://example.com/cancelled", nil)
				require.NoError(t, err)
				if test.method == "POST" {
					sender{wire: w, again: test.again}.addBody(req, c)
				}
				cancel := make(chan struct{})
				//lint:ignore SA1019 it is what is tested
				req.Cancel = cancel
				time.AfterFunc(time.Until(start.Add(40*time.Second)), func() { close(cancel) })
				resp, err := w.tr.RoundTrip(req)
				if err == nil {
					resp.Body.Close()
				}
				assert.ErrorContains(t, err, "cancel")
				assert.Equal(t, 40*time.Second, time.Since(start))
				w.calls = append(w.calls, c)
				w.wait(5 * time.Minute)
				assert.Empty(t, w.arrivals("/cancelled"))
				w.alive()
			})
		})
	}
}
