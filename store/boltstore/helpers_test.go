package boltstore_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const year = 365 * 24 * time.Hour

// A machine has a file, a clock that can be set, and the process that has the file open.
type machine struct {
	*testing.T
	path    string
	options boltstore.Options
	ahead   time.Duration // how far the time of day was set
	store   *boltstore.Store
}

// on runs a test on a new machine, where time passes at once.
func on(t *testing.T, f func(m *machine)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := &machine{T: t, path: filepath.Join(t.TempDir(), "cache")}
		m.start()
		f(m)
	})
}

func (m *machine) start() {
	m.Helper()
	store, err := boltstore.Open(m.path, m.options.At(func() time.Time { return time.Now().Add(m.ahead) }))
	require.NoError(m, err)
	m.store = store
	m.Cleanup(func() { store.Abandon() })
}

// restart closes the file and opens it again.
func (m *machine) restart() {
	m.Helper()
	require.NoError(m, m.store.Close())
	m.start()
}

// crash ends the process without Close.
func (m *machine) crash() {
	m.Helper()
	require.NoError(m, m.store.Abandon())
	m.start()
}

// win claims a key, whatever its entry is.
func (m *machine) win(key string) string {
	m.Helper()
	seen := m.look(key).Version
	c, err := m.store.Claim(context.Background(), key, seen, time.Minute)
	require.NoError(m, err)
	require.NotEmpty(m, c.Token)
	return c.Token
}

func (m *machine) put(key, entry string, keep time.Duration) {
	m.Helper()
	require.NoError(m, m.store.Put(context.Background(), key, m.win(key), []byte(entry), keep))
}

// look returns the entry of a key, and claims nothing.
func (m *machine) look(key string) store.Claim {
	m.Helper()
	c, err := m.store.Claim(context.Background(), key, "", 0)
	require.NoError(m, err)
	return c
}

func (m *machine) has(key, entry string) {
	m.Helper()
	assert.Equal(m, entry, string(m.look(key).Entry))
}

func (m *machine) begin(lane string, wait time.Duration) {
	m.Helper()
	require.NoError(m, m.store.Break(context.Background(), lane, wait))
}

// left returns what is left of a break.
func (m *machine) left(lane string) time.Duration {
	m.Helper()
	return m.ask(lane, store.Ask{})
}

// take reserves a start, and returns how long it is until then.
func (m *machine) take(lane, token string, gap time.Duration) time.Duration {
	m.Helper()
	return m.ask(lane, store.Ask{Token: token, Gap: gap})
}

func (m *machine) ask(lane string, ask store.Ask) time.Duration {
	m.Helper()
	grant, err := m.store.Take(context.Background(), lane, ask)
	require.NoError(m, err)
	require.False(m, grant.Late)
	return grant.Wait
}

// entries returns all entries.
func (m *machine) entries() map[string]string {
	m.Helper()
	all := make(map[string]string)
	for r, err := range m.store.Entries() {
		require.NoError(m, err)
		if _, twice := all[r.Key]; twice {
			require.Fail(m, "an entry is there twice", r.Key)
		}
		all[r.Key] = string(r.Bytes)
	}
	return all
}

func (m *machine) done(lane, token string) {
	m.Helper()
	require.NoError(m, m.store.Done(context.Background(), lane, token, true))
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// keyOf returns the key of an entry. Keys come in random order, as a crawler meets sites.
func keyOf(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 0))
	return fmt.Sprintf("https://%x.example.com", r.Uint64())
}
