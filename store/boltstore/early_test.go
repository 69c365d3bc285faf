package boltstore_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Neither a break nor a gap ends sooner if the file is opened again and again, also on a
// machine that has much to do.
func TestNothingEndsEarly(t *testing.T) {
	ends := map[string]func(*boltstore.Store) error{"closed": (*boltstore.Store).Close, "killed": (*boltstore.Store).Abandon}
	for name, end := range ends {
		for _, pause := range []time.Duration{0, 10 * time.Millisecond} {
			t.Run(fmt.Sprint(name, " ", pause), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					opened, path := (*boltstore.Store)(nil), filepath.Join(t.TempDir(), "cache")
					open := func() { opened = openWithPause(t, path, pause) }
					open()
					time.Sleep(999 * time.Microsecond) // so that no time is in whole milliseconds
					over := time.Now().Add(time.Minute)
					require.NoError(t, opened.Break(t.Context(), "break", time.Minute))
					_, err := opened.Take(t.Context(), "lane", store.Ask{Token: "a", Gap: time.Minute})
					require.NoError(t, err)
					for range 10 {
						require.NoError(t, end(opened))
						open()
					}
					for lane, ask := range map[string]store.Ask{"break": {}, "lane": {Token: "b", Gap: time.Minute}} {
						grant, err := opened.Take(t.Context(), lane, ask)
						require.NoError(t, err)
						assert.LessOrEqual(t, time.Until(over)-grant.Wait, 10*time.Microsecond, lane)
					}
					require.NoError(t, opened.Close())
				})
			})
		}
	}
}

// openWithPause opens a file while the process has to pause: after it has looked at the time
// of day for the first time.
func openWithPause(t *testing.T, path string, pause time.Duration) *boltstore.Store {
	looks := 0
	store, err := boltstore.Open(path, boltstore.Options{}.At(func() time.Time {
		if looks++; looks == 2 {
			time.Sleep(pause)
		}
		return time.Now()
	}))
	require.NoError(t, err)
	return store
}
