package boltstore_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const bound = 1 << 20 // of a file in these tests

// within checks that the file is no larger than it may be.
func (m *machine) within(most int64) {
	m.Helper()
	info, err := os.Stat(m.path)
	require.NoError(m, err)
	m.Logf("the file has %d KB, of %d that may be in use: %+v", info.Size()>>10, most>>10, m.store.Stats())
	assert.LessOrEqual(m, info.Size(), most*3/2+1<<20)
}

func hostile(i int) string {
	return fmt.Sprintf("origin http://%d.%s.hostile.example", i, strings.Repeat("x", 50))
}

// beginAll begins breaks of a hostile domain, many at a time.
func (m *machine) beginAll(from, to int, wait time.Duration) {
	m.Helper()
	done := make(chan error)
	for ; from < to; from += 100 {
		for i := range 100 {
			go func() { done <- m.store.Break(m.Context(), hostile(from+i), wait) }()
		}
		for range 100 {
			require.NoError(m, <-done)
		}
	}
}

// A hostile domain cannot fill the file with breaks, and does not push out the break of
// another site.
func TestBreaksWithinBound(t *testing.T) {
	on(t, func(m *machine) {
		m.options.MaxBytes = bound
		m.restart()
		m.begin("origin http://before.example", time.Hour)
		n := long.Or(4000, 100_000)
		m.beginAll(0, n/2, 24*time.Hour)
		m.begin("origin http://amid.example", time.Hour)
		m.beginAll(n/2, n, 24*time.Hour)
		m.begin("origin http://after.example", time.Hour)
		for range 3 {
			assert.Equal(t, time.Hour, m.left("origin http://before.example"))
			assert.Equal(t, time.Hour, m.left("origin http://amid.example"))
			assert.Equal(t, time.Hour, m.left("origin http://after.example"))
			assert.Equal(t, 24*time.Hour, m.left(hostile(0)), "what came before is kept")
			assert.LessOrEqual(t, m.store.Stats().TurnsBytes, int64(bound/4))
			kept := m.store.Breaks()
			assert.Equal(t, m.store.Stats().Breaks, kept[0])
			assert.Less(t, kept[1], 3*kept[0])
			m.within(bound)
			m.restart()
		}
		kept := m.store.Breaks()
		assert.Equal(t, kept[0], kept[1])
		m.options.MaxBytes = 4
		m.restart()
		assert.Equal(t, time.Hour, m.left("origin http://after.example"), "there is some room in any case")
	})
}

// A hostile domain cannot fill the file with starts. What is forgotten of a lane never makes
// a start too early.
func TestStartsWithinBound(t *testing.T) {
	on(t, func(m *machine) {
		m.options.MaxBytes = bound
		m.restart()
		const honest = "origin http://honest.example"
		m.take(honest, "a", time.Hour)
		time.Sleep(time.Minute)
		for i := range long.Or(5000, 100_000) {
			m.take(hostile(i), "a", 30*time.Second)
		}
		assert.LessOrEqual(t, m.store.Stats().TurnsBytes, int64(bound/4))
		assert.Equal(t, 59*time.Minute, m.take(honest, "b", time.Hour))
		m.done(honest, "b")
		time.Sleep(time.Second)
		for i := range 5000 {
			assert.GreaterOrEqual(t, m.take(hostile(i), "b", 30*time.Second), 29*time.Second, i)
		}
		time.Sleep(time.Hour)
		for i := range 5000 {
			m.take(hostile(i), "c", time.Hour)
		}
		m.restart()
		assert.LessOrEqual(t, m.store.Starts(), 5000)
		m.within(bound)
		for i := range 5000 {
			assert.GreaterOrEqual(t, m.take(hostile(i), "d", time.Hour), time.Hour, i)
		}
		m.restart()
		assert.Equal(t, time.Duration(0), max(0, m.take("origin http://new.example", "a", time.Second)-time.Second))
	})
}

// A process with less room forgets starts that the process before has left, and none is made too early.
func TestFewerStarts(t *testing.T) {
	on(t, func(m *machine) {
		for i := range 2000 {
			m.take(hostile(i), "a", time.Hour)
		}
		for _, most := range []int64{4, 0} {
			m.options.MaxBytes = most
			m.restart()
		}
		assert.Less(t, m.store.Starts(), 1500)
		for i := range 2000 {
			require.GreaterOrEqual(t, m.take(hostile(i), "b", time.Hour), time.Hour)
		}
	})
}

// Lanes with slots are never forgotten.
func TestSlotsOutliveTheBound(t *testing.T) {
	on(t, func(m *machine) {
		m.options.MaxBytes = bound
		m.restart()
		slots := func(i int) store.Ask { return store.Ask{Token: "a", Slots: 1, Lease: time.Hour} }
		for i := range 2000 {
			m.ask(hostile(i), slots(i))
		}
		turns := make(map[string]string)
		for i := range 2000 {
			clear(turns)
			turns["a"] = hostile(i)
			lost, err := m.store.Renew(m.Context(), time.Hour, turns)
			require.NoError(t, err)
			require.Empty(t, lost)
		}
	})
}

// Many entries at once do not make the file larger than it may be. They leave room for breaks.
func TestBurstWithinBound(t *testing.T) {
	for _, size := range []int{100, 1000, 20_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			on(t, func(m *machine) {
				most := long.Or[int64](2*bound, 8*bound)
				m.options.MaxBytes = most
				m.restart()
				m.beginAll(0, 1000, 24*time.Hour)
				for i := range int(long.Or(3*most, 12*most)) / (size + 500) {
					m.put(hostile(i), strings.Repeat("x", size), year)
				}
				m.settle()
				m.within(most)
				stats := m.store.Stats()
				assert.Equal(t, 1000, stats.Breaks)
				assert.LessOrEqual(t, stats.EntriesBytes+stats.TurnsBytes, most)
				assert.Zero(t, stats.PendingBytes)
				m.restart()
				m.within(most)
			})
		})
	}
}

// What the Store has in memory is what it tells, also when it has just been opened.
func TestHeapIsCounted(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures the heap")
	}
	m := &machine{T: t, path: t.TempDir() + "/cache"}
	m.start()
	breaks := long.Or(10_000, 30_000)
	for i := range 3000 {
		m.take(hostile(i), "a", time.Hour)
	}
	m.beginAll(0, breaks, 24*time.Hour)
	require.NoError(t, m.store.Close())
	m.store = nil
	before := heap()
	s, err := boltstore.Open(m.path, boltstore.Options{})
	require.NoError(t, err)
	grown, stats := heap()-before, s.Stats()
	t.Logf("%d KB on the heap: %+v", grown>>10, stats)
	assert.Equal(t, breaks, stats.Breaks)
	assert.Less(t, grown, stats.TurnsBytes*5/4+1<<20)
	require.NoError(t, s.Close())
}
