package redisfleet_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// After its connection was cut, a process that finds the same server does not pause: nothing is lost.
func TestSlotsAfterTheConnectionWasCut(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	proxy := network.Start(t, s.address())
	f := open(t, proxy.URL(), redisfleet.Options{})
	for i := range 3 {
		token := string('a' + rune(i))
		require.True(t, takes(t, f, lane, slot(token, 1)).Slot)
		require.NoError(t, f.Done(t.Context(), lane, token, false))
		proxy.Cut(false)
		began := time.Now()
		for grant := (store.Grant{}); !grant.Slot && assert.Less(t, time.Since(began), lease/2); time.Sleep(10 * time.Millisecond) {
			grant, _ = f.Take(t.Context(), lane, slot(token+"again", 1))
		}
		require.NoError(t, f.Done(t.Context(), lane, token+"again", false))
	}
	do(t, s.client(), "FLUSHALL")
	proxy.Cut(false)
	assert.Eventually(t, func() bool {
		grant, err := f.Take(t.Context(), lane, slot("z", 1))
		return err == nil && grant.Busy
	}, lease, 10*time.Millisecond, "all was lost meanwhile")
}
