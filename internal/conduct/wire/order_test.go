package wire

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
)

// Requests that wait for a gap are written in the order in which they came, also where their
// connections are ready in another order.
func TestOrderAtTheWire(t *testing.T) {
	const rounds = 10 // of which one can be in order by chance
	for _, test := range []struct {
		name   string
		apart  time.Duration // how long before the connection of a request that of the next is ready
		stored bool
	}{
		{"at once", 0, false},
		{"at once, stored", 0, true},
		{"in reverse", 50 * time.Millisecond, false},
		{"in reverse, stored", 50 * time.Millisecond, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range rounds {
				assert.Equal(t, "/0 /1 /2 /3 /4 /5", writtenOrder(t, test.apart, test.stored))
			}
		})
	}
}

// writtenOrder returns the order in which six requests arrive that came one after the other.
// They leave the queue a second apart, since there is a gap. The connection of the first is
// ready after ten seconds. Those of the others are ready before the gap that follows is over.
func writtenOrder(t *testing.T, apart time.Duration, stored bool) (order string) {
	const gap, crowd = time.Second, 5
	onWireIn(t, crowding, func(w *wire) {
		w.tr.Pace.MinDelay = gap
		w.base.DisableKeepAlives = true
		if stored {
			w.tr.Cache.Store = new(memstore.Store)
		}
	}, func(w *wire) {
		first, n := time.Now().Add(10*time.Second), 0
		w.dials(func() time.Duration { // is called in the order in which they leave the queue
			if n++; n == 1 {
				return time.Until(first)
			}
			return time.Until(first.Add(gap/2 - time.Duration(n)*apart))
		})
		for i := range 1 + crowd {
			w.get(fmt.Sprint("/", i))
		}
		w.wait(time.Minute)
		w.answered("")
		assert.Equal(w, 1+crowd, n, "each has a connection of its own")
		w.assertApart(gap)
		paths := w.web.Log().Pages().URIs()
		order = strings.Join(paths, " ")
	})
	return order
}

// assertApart asserts that pages arrive at least so far apart.
func (w *wire) assertApart(gap time.Duration) {
	w.Helper()
	for _, apart := range conduct.Gaps(w.web.Log().Pages()) {
		assert.GreaterOrEqual(w, apart, gap)
	}
}
