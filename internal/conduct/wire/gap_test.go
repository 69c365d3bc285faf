package wire

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// assertGaps asserts that no two pages are closer than the larger of the gaps that their paths
// begin with: "/5s/1".
func (w *wire) assertGaps() {
	w.Helper()
	pages := w.web.Log().Pages()
	least := make(map[string]time.Duration)
	for i, later := range pages {
		for _, earlier := range pages[:i] {
			gap := max(gapOf(w.T, earlier.URI), gapOf(w.T, later.URI))
			pair := earlier.URI[:3] + " " + later.URI[:3]
			if got := later.Time.Sub(earlier.Time); got < gap {
				if before, ok := least[pair]; !ok || got < before {
					least[pair] = got
				}
			}
		}
	}
	assert.Empty(w, least, "the least gaps that are too short")
}

func gapOf(t *testing.T, path string) time.Duration {
	gap, err := time.ParseDuration(path[1:3])
	require.NoError(t, err, path)
	return gap
}

// mixed returns senders to one lane with gaps of 5 seconds, of 1 second, and none.
func (w *wire) mixed() (five, one, none sender) {
	with := func(gap time.Duration) sender {
		tr := w.another()
		tr.Pace, tr.Base = w.tr.Pace, w.base
		tr.Pace.MinDelay = gap
		return sender{wire: w, tr: tr}
	}
	return with(5 * time.Second), with(time.Second), with(0)
}

// Those who share a lane keep the larger of two gaps, whoever comes first, and however long
// they connect.
func TestMixedGapsAtTheWire(t *testing.T) {
	third := map[string]func(*wire){
		"kept":          func(*wire) {},
		"slots":         func(w *wire) { w.tr.Pace.Concurrency = 3 },
		"not kept":      func(w *wire) { w.base.DisableKeepAlives = true },
		"one at a time": func(w *wire) { w.base.MaxConnsPerHost = 1 },
	}
	for name, edit := range third {
		for _, stored := range []bool{false, true} {
			for _, dials := range []time.Duration{0, 300 * time.Millisecond, 3 * time.Second} {
				t.Run(fmt.Sprintf("%s, stored %v, dials %v", name, stored, dials), func(t *testing.T) {
					onWire(t, func(w *wire) {
						if stored {
							w.tr.Cache.Store = new(memstore.Store)
						}
						edit(w)
					}, func(w *wire) { mixGaps(w, dials) })
				})
			}
		}
	}
}

func mixGaps(w *wire, dials time.Duration) {
	random := rand.New(rand.NewPCG(1, uint64(dials)))
	if dials > 0 {
		w.base.CloseIdleConnections()
		connecting := rand.New(rand.NewPCG(2, uint64(dials)))
		w.dials(func() time.Duration { return time.Duration(connecting.Int64N(int64(dials))) })
	}
	five, one, none := w.mixed()
	five.call("/5s/first") // so that the lane knows of the gap
	for i := range 60 {
		time.Sleep(time.Duration(random.Int64N(int64(1500 * time.Millisecond))))
		switch random.IntN(6) {
		case 0:
			five.call(fmt.Sprint("/5s/", i))
		case 1:
			one.call(fmt.Sprint("/1s/", i))
		default:
			none.call(fmt.Sprint("/0s/", i))
		}
	}
	w.wait(20 * time.Minute)
	w.answered("")
	w.assertGaps()
}

// A page that net/http sends again, since its connection was closed, keeps the gap, too.
func TestGapOfARetryAtTheWire(t *testing.T) {
	onWire(t, func(w *wire) { w.tr.Pace.MinDelay = 5 * time.Second }, func(w *wire) {
		w.web.Page("example.com", "/5s/again", origintest.Reset, origintest.Text("ok"))
		w.get("/5s/1")
		w.get("/5s/again")
		w.get("/5s/2")
		w.wait(time.Minute)
		w.answered("")
		require.Len(w, w.arrivals("/5s/again"), 2)
		w.assertGaps()
	})
}

// Two values of Concurrency in one lane: all end, and nobody has more under way than allowed,
// however long connecting takes.
func TestMixedSlotsAtTheWire(t *testing.T) {
	for _, stored := range []bool{false, true} {
		for _, gap := range []time.Duration{0, 100 * time.Millisecond, time.Second} {
			for _, dials := range []time.Duration{0, 300 * time.Millisecond, 3 * time.Second, 40 * time.Second} {
				t.Run(fmt.Sprintf("stored %v, gap %v, dials %v", stored, gap, dials), func(t *testing.T) {
					onWire(t, func(w *wire) {
						if stored {
							w.tr.Cache.Store = new(memstore.Store)
						}
						w.tr.Pace.MinDelay = gap
						w.tr.Pace.Key = func(*http.Request) string { return "together" }
						w.base.DisableKeepAlives = true
					}, func(w *wire) { mixSlots(w, dials) })
				})
			}
		}
	}
}

func mixSlots(w *wire, dials time.Duration) {
	const takes = 2 * time.Second
	w.web.Page("example.com", "/1", origintest.Delay(takes, origintest.Text("ok")))
	w.web.Page("example.com", "/3", origintest.Delay(takes, origintest.Text("ok")))
	w.dials(conduct.InTurn(dials, dials/3)) // who comes later is ready sooner
	with := func(slots int) sender {
		tr := w.another()
		tr.Pace, tr.Base = w.tr.Pace, w.base
		tr.Pace.Concurrency = slots
		return sender{wire: w, tr: tr}
	}
	one, three := with(1), with(3)
	for i := range 20 {
		if i%3 == 0 {
			one.call("/1")
		} else {
			three.call("/3")
		}
		time.Sleep(130 * time.Millisecond)
	}
	w.wait(20*(dials+2*time.Second+w.tr.Pace.MinDelay) + time.Minute)
	w.answered("")
	most := make(map[string]int)
	pages := w.web.Log().Pages()
	for _, later := range pages {
		under := 0
		for _, earlier := range pages {
			if earlier.Time.Before(later.Time) && later.Time.Before(earlier.Time.Add(takes)) {
				under++
			}
		}
		most[later.URI] = max(most[later.URI], under)
	}
	assert.LessOrEqual(w, most["/1"], 0, "others under way when one is written that allows one")
	assert.LessOrEqual(w, most["/3"], 2, "others under way when one is written that allows three")
}

// However long connecting takes, a lane sends at nine tenths of its rate.
func TestRateOfSlowConnections(t *testing.T) {
	for _, test := range []struct {
		name        string
		stored      bool
		transports  int
		kept        bool
		least, most time.Duration // of a connect
		edit        func(*wire)
	}{
		{"alone", false, 1, false, 1200 * time.Millisecond, 3 * time.Second, nil},
		{"stored", true, 1, false, 1200 * time.Millisecond, 3 * time.Second, nil},
		{"stored, always the same", true, 1, false, 1200 * time.Millisecond, 1200*time.Millisecond + 1, nil},
		{"stored, a little longer than the gap", true, 1, false, 900 * time.Millisecond, 1100 * time.Millisecond, nil},
		{"stored, now and then", true, 1, false, 0, 5 * time.Second, nil},
		{"stored, two Transports", true, 2, false, 1200 * time.Millisecond, 3 * time.Second, nil},
		{"stored, kept connections", true, 1, true, 1200 * time.Millisecond, 3 * time.Second, nil},
		{"stored, slots", true, 1, false, 1200 * time.Millisecond, 3 * time.Second, func(w *wire) { w.tr.Pace.Concurrency = 6 }},
	} {
		t.Run(test.name, func(t *testing.T) {
			onWire(t, func(w *wire) {
				if test.stored {
					w.tr.Cache.Store = new(memstore.Store)
				}
				w.tr.Pace.MinDelay = time.Second
				w.base.DisableKeepAlives = !test.kept
				if test.edit != nil {
					test.edit(w)
				}
			}, func(w *wire) {
				random := rand.New(rand.NewPCG(1, 2))
				w.dials(func() time.Duration { return test.least + time.Duration(random.Int64N(int64(test.most-test.least))) })
				var senders []sender
				for range test.transports {
					tr := w.another()
					tr.Pace, tr.Base = w.tr.Pace, w.base
					senders = append(senders, sender{wire: w, tr: tr})
				}
				start := time.Now()
				for i := range 200 {
					senders[i%test.transports].call(fmt.Sprintf("/1s/%d", i))
				}
				w.wait(time.Hour)
				w.answered("")
				w.assertGaps()
				pages := w.web.Log().Pages()
				took := pages[len(pages)-1].Time.Sub(start)
				assert.Less(t, took, 199*time.Second*10/9+test.most, "for 199 gaps of a second")
			})
		})
	}
}
