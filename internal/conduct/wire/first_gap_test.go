package wire

import (
	"testing"
	"time"

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
