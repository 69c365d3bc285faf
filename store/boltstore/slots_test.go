package boltstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slot asks for the only slot of a lane, and returns whether it is taken.
func (m *machine) slot(lane, token string, lease time.Duration) bool {
	m.Helper()
	grant, err := m.store.Take(m.Context(), lane, store.Ask{Token: token, Slots: 1, Lease: lease})
	require.NoError(m, err)
	require.NotEqual(m, grant.Slot, grant.Busy)
	return grant.Slot
}

// A lane whose slots are taken is not forgotten. One whose leases have ended is.
func TestLanesWithSlotsAreForgotten(t *testing.T) {
	on(t, func(m *machine) {
		for i := range 1000 {
			require.True(t, m.slot(fmt.Sprint("long", i), "", 24*time.Hour))
			require.True(t, m.slot(fmt.Sprint("short", i), "", time.Minute))
		}
		time.Sleep(time.Hour)
		for i := range 3000 {
			require.True(t, m.slot(fmt.Sprint("another", i), "", time.Hour))
		}
		assert.Less(t, m.store.Lanes(), 4500)
		for i := range 1000 {
			require.False(t, m.slot(fmt.Sprint("long", i), "a", time.Hour))
			require.True(t, m.slot(fmt.Sprint("short", i), "a", time.Hour))
		}
	})
}

// Clear forgets when requests started, but they are under way.
func TestClearLeavesSlots(t *testing.T) {
	on(t, func(m *machine) {
		require.True(t, m.slot("lane", "a", time.Hour))
		require.NoError(t, m.store.Clear())
		assert.False(t, m.slot("lane", "b", time.Hour))
		assert.Equal(t, time.Hour, m.take("lane", "b", time.Hour))
		lost, err := m.store.Renew(m.Context(), time.Hour, map[string]string{"a": "lane", "b": "lane"})
		assert.NoError(t, err)
		assert.Equal(t, []string{"b"}, lost)
		m.done("lane", "a")
		assert.True(t, m.slot("lane", "b", time.Hour))
	})
}

// The requests of a process end with it.
func TestSlotsEndWithTheProcess(t *testing.T) {
	on(t, func(m *machine) {
		require.True(t, m.slot("lane", "a", time.Hour))
		m.restart()
		assert.True(t, m.slot("lane", "b", time.Hour))
	})
}

// A lease lasts for a day at most.
func TestLeasesWithoutEnd(t *testing.T) {
	on(t, func(m *machine) {
		require.True(t, m.slot("lane", "a", 1<<63-1))
		time.Sleep(24*time.Hour - time.Nanosecond)
		require.False(t, m.slot("lane", "b", time.Hour))
		time.Sleep(time.Nanosecond)
		assert.True(t, m.slot("lane", "b", time.Hour))
	})
}
