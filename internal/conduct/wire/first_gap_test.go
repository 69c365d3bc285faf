package wire

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// If those who share turns ask for different gaps, the larger counts between two requests. This holds also after a
// request that was alone and asked for none, for which nothing is kept but its time.
func TestFirstGapAfterNoneAtTheWire(t *testing.T) {
	const gap = 5 * time.Second
	for name, edit := range map[string]func(*wire){
		"alone":  nil,
		"stored": func(w *wire) { w.tr.Cache.Store = new(memstore.Store) },
	} {
		t.Run(name, func(t *testing.T) {
			onWire(t, edit, func(w *wire) {
				w.get("/warm") // so that the connection of the next is there
				time.Sleep(time.Second)
				w.get("/none")
				time.Sleep(time.Second)
				w.spaced(gap).call("/gap")
				w.wait(time.Minute)
				w.answered("")
				w.assertGapBetween(gap, "/none", "/gap")
			})
		})
	}
}

// It holds also where the request was written late, since it had to connect, and its lane was
// forgotten. polite has room for the last writes of a thousand such lanes, and lanes share it. So
// one of three may be lost by chance.
func TestFirstGapOfAForgottenLaneAtTheWire(t *testing.T) {
	const gap, dials, sites = 30 * time.Second, 8 * time.Second, 3
	onWire(t, nil, func(w *wire) {
		kept := 0
		for i := range sites {
			host := fmt.Sprintf("site%d.example", i)
			conduct.Know(w.T, w.tr, host)
			time.Sleep(15 * time.Second) // after ten, a request that is alone passes the gate
			w.base.CloseIdleConnections()
			w.dials(conduct.Always(dials))
			sender{wire: w, from: host}.call("/none")
			time.Sleep(dials)
			w.dials(conduct.Always(0))
			for range 70 { // polite goes through all that it keeps, and forgets what binds nobody
				w.get("/other")
				time.Sleep(100 * time.Millisecond)
			}
			s := w.spaced(gap)
			s.from = host
			s.call("/gap")
			w.wait(2 * time.Minute)
			pages := w.web.Log().At(host).Pages()
			require.Len(w, pages, 2)
			if pages[1].Time.Sub(pages[0].Time) >= gap {
				kept++
			}
		}
		w.answered("")
		assert.GreaterOrEqual(w, kept, sites-1, "gaps that are kept")
	})
}

// spaced returns a sender that shares the turns of w and asks for a gap.
func (w *wire) spaced(gap time.Duration) sender {
	tr := w.another()
	tr.Pace, tr.Base = w.tr.Pace, w.base
	tr.Pace.MinDelay = gap
	return sender{wire: w, tr: tr}
}

// assertGapBetween asserts that two pages arrive once each, and so far apart.
func (w *wire) assertGapBetween(gap time.Duration, one, then string) {
	w.Helper()
	first, second := w.arrivals(one), w.arrivals(then)
	require.Len(w, first, 1, one)
	require.Len(w, second, 1, then)
	assert.GreaterOrEqual(w, second[0].Sub(first[0]), gap)
}
