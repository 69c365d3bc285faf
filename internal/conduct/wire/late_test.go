package wire

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A request whose turn comes too late for its context fails at once, and says when it could be
// sent. This is counted from when the request before was written, and not from when it left the
// queue: it may have connected for long, or have waited for one that did.
func TestTooLateAtTheWire(t *testing.T) {
	const gap, dials = 5 * time.Second, 3 * time.Second
	for _, test := range []struct {
		name  string
		asks  time.Duration // when it asks; it can wait for four seconds
		turn  time.Duration
		after []string // the requests before
	}{
		{"after one that connected", 3500 * time.Millisecond, 8 * time.Second, []string{"/connects"}},
		{"after one that waited", 8500 * time.Millisecond, 13 * time.Second, []string{"/connects", "/waits"}},
	} {
		for _, mode := range long.Last(modes...) {
			t.Run(test.name+", "+mode.name, func(t *testing.T) {
				var late *call
				var began time.Time
				onWireIn(t, mode.Backoff, func(w *wire) { w.tr.Pace.MinDelay = gap }, func(w *wire) {
					w.base.CloseIdleConnections()
					w.dials(conduct.InTurn(dials, 0))
					began = time.Now()
					for _, path := range test.after {
						w.get(path)
					}
					time.Sleep(test.asks)
					require.Len(w, w.web.Log().Pages(), len(test.after), "they are written")
					ctx, cancel := context.WithTimeout(w.Context(), 4*time.Second)
					defer cancel()
					late = sender{wire: w, ctx: ctx}.call("/late")
					w.wait(time.Minute)
					assert.Empty(w, w.arrivals("/late"))
				})
				refusal, ok := errors.AsType[*polite.DelayError](late.err)
				require.True(t, ok, late.err)
				assert.Equal(t, began.Add(test.turn), refusal.Turn)
				assert.Equal(t, late.began, late.ended, "it fails at once")
			})
		}
	}
}
