package storetest_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/storetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var store polite.Store = new(storetest.Memory)
		first, err := store.Claim(t.Context(), "site", "", time.Minute)
		require.NoError(t, err)
		time.Sleep(2 * time.Minute)
		second, err := store.Claim(t.Context(), "site", "", time.Minute)
		require.NoError(t, err)
		require.ErrorIs(t, store.Put(t.Context(), "site", first.Token, []byte("old"), time.Hour), polite.ErrLost)
		require.NoError(t, store.Put(t.Context(), "site", second.Token, []byte("new"), time.Hour))
		time.Sleep(time.Minute)
		got, err := store.Claim(t.Context(), "site", "", 0)
		require.NoError(t, err)
		assert.Equal(t, polite.Claim{Record: []byte("new"), Version: second.Token, Age: time.Minute}, got)
	})
}

func TestLanes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns polite.Turns = new(storetest.Lanes)
		for i := range 3 {
			grant, err := turns.Take(t.Context(), "site", polite.Ask{Token: string(rune('a' + i)), Gap: time.Second})
			require.NoError(t, err)
			assert.Equal(t, polite.Grant{Wait: time.Duration(i) * time.Second}, grant)
		}
		require.NoError(t, turns.Hold(t.Context(), "site", time.Minute))
		grant, err := turns.Take(t.Context(), "site", polite.Ask{Token: "d", Gap: time.Second})
		require.NoError(t, err)
		assert.Equal(t, polite.Grant{Wait: time.Minute}, grant)
	})
}
