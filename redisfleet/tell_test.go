package redisfleet_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/redisfleet"
	"github.com/stretchr/testify/require"
)

// After the server's clock was set back, an older break seems to last longer. All hear of the
// new one nevertheless.
func TestBreakAfterStepBack(t *testing.T) {
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{})
	w := watch(t, open(t, d.url(), redisfleet.Options{}))
	w.zero(t)
	require.NoError(t, f.Hold(t.Context(), lane, gap))
	d.step(-time.Minute)
	w.zero(t)
	require.NoError(t, f.Hold(t.Context(), lane, gap))
	var told []time.Duration
	for range 3 {
		for _, c := range w.zero(t) {
			told = append(told, c.Hold)
		}
	}
	require.Len(t, told, 1)
	near(t, time.Minute+gap, told[0])
}
