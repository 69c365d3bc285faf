package wire

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A site to which no connection can be made is tried at its gap: a request that fails to connect has had
// its turn.
func TestFailedConnectionsKeepTheGap(t *testing.T) {
	const gap = 10 * time.Second
	onWire(t, func(w *wire) { w.tr.Pace.MinDelay = gap }, func(w *wire) {
		var dials []time.Time
		w.base.DialContext = func(context.Context, string, string) (net.Conn, error) {
			dials = append(dials, time.Now())
			time.Sleep(50 * time.Millisecond)
			return nil, errors.New("no route")
		}
		w.base.CloseIdleConnections()
		for range 5 {
			w.get("/page")
		}
		w.wait(time.Hour)
		assert.Len(w, dials, 5)
		for i := 1; i < len(dials); i++ {
			assert.GreaterOrEqual(w, dials[i].Sub(dials[i-1]), gap)
		}
	})
}
