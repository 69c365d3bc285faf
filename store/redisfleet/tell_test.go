package redisfleet_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/store/redisfleet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// After the server's clock was set back, an older break seems to last longer. All hear of the
// new one nevertheless.
func TestBreakAfterStepBack(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{})
	w := watch(t, open(t, d.url(), redisfleet.Options{}))
	w.zero(t)
	require.NoError(t, f.Break(t.Context(), lane, gap))
	d.step(-time.Minute)
	w.zero(t)
	require.NoError(t, f.Break(t.Context(), lane, gap))
	var told []time.Duration
	for range 3 {
		for _, c := range w.zero(t) {
			told = append(told, c.Break)
		}
	}
	require.Len(t, told, 1)
	near(t, time.Minute+gap, told[0])
}

// A server that is full cannot keep a break, but all who listen hear of it.
func TestBreakIsToldWithoutMemory(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{})
	w := watch(t, open(t, s.url(), redisfleet.Options{}))
	w.zero(t)
	do(t, s.client(), "CONFIG SET maxmemory 1")
	require.ErrorContains(t, f.Break(t.Context(), lane, gap), "out of memory")
	told := w.zero(t)
	for range 3 {
		told = append(told, w.zero(t)...)
	}
	require.NotEmpty(t, told)
	assert.Equal(t, lane, told[0].Lane)
	near(t, gap, told[0].Break)
}
