package boltstore_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// linesOf returns the lines of a Journal.
func (m *machine) linesOf(name string) (keys []string, values map[string]string) {
	values = make(map[string]string)
	for line, err := range m.store.Journal(name).Lines(m.Context()) {
		require.NoError(m, err)
		keys = append(keys, line.Key)
		values[line.Key] = string(line.Value)
	}
	return keys, values
}

// Journals of two names keep their lines when the process ends, beside entries and breaks.
func TestJournal(t *testing.T) {
	on(t, func(m *machine) {
		long := strings.Repeat("x", 1000)
		keys, _ := m.linesOf("none")
		assert.Empty(t, keys)
		m.put("key", "entry", year)
		a, b := m.store.Journal("a"), m.store.Journal("b")
		require.NoError(t, a.Write(t.Context(), map[string][]byte{"i2": []byte("two"), "i1": []byte("one"), "i3": {}, long: []byte("long"), "i0": nil}))
		require.NoError(t, b.Write(t.Context(), map[string][]byte{"i1": []byte("other")}))
		for _, end := range []string{"a", "b"} {
			require.NoError(t, m.store.Journal(strings.Repeat("x", 40_000)+end).Write(t.Context(), map[string][]byte{end: nil, "of": []byte(end)}))
		}
		require.NoError(t, a.Write(t.Context(), map[string][]byte{"i2": nil, "i1": []byte("new"), "absent": nil}))
		for range 2 {
			keys, values := m.linesOf("a")
			assert.Equal(t, map[string]string{"i1": "new", "i3": "", long: "long"}, values)
			assert.Less(t, strings.Index(fmt.Sprint(keys), "i1"), strings.Index(fmt.Sprint(keys), "i3"))
			_, values = m.linesOf("b")
			assert.Equal(t, map[string]string{"i1": "other"}, values)
			_, values = m.linesOf(strings.Repeat("x", 40_000) + "b")
			assert.Equal(t, map[string]string{"of": "b"}, values)
			m.has("key", "entry")
			require.NoError(t, m.store.Clear())
			m.put("key", "entry", year)
			m.restart()
		}
		a = m.store.Journal("a")
		require.NoError(t, m.store.Close())
		assert.ErrorIs(t, a.Write(t.Context(), map[string][]byte{"i1": nil}), store.ErrClosed)
		for _, err := range a.Lines(t.Context()) {
			assert.ErrorIs(t, err, store.ErrClosed)
		}
		m.start()
	})
}

// Lines yields all of many lines, once.
func TestJournalOfMany(t *testing.T) {
	on(t, func(m *machine) {
		changes := make(map[string][]byte)
		for i := range 25_000 {
			changes[fmt.Sprintf("i%08d", i)] = []byte("line")
		}
		require.NoError(t, m.store.Journal("a").Write(t.Context(), changes))
		for range m.store.Journal("a").Lines(t.Context()) {
			break // who did not read it to its end does not use it
		}
		keys, values := m.linesOf("a")
		assert.Len(t, keys, 25_000)
		assert.Len(t, values, 25_000)
	})
}

// A second queue gets an error: it would write over the lines of the first.
func TestJournalInUse(t *testing.T) {
	on(t, func(m *machine) {
		m.linesOf("a")
		m.linesOf("b")
		errs := 0
		for line, err := range m.store.Journal("a").Lines(t.Context()) {
			assert.ErrorContains(t, err, `another queue of this process uses the journal "a"`)
			assert.Empty(t, line.Key)
			errs++
		}
		assert.Equal(t, 1, errs)
		m.restart()
		m.linesOf("a")
	})
}

// A line that is damaged is an error, and not a page less.
func TestDamagedJournal(t *testing.T) {
	on(t, func(m *machine) {
		j := m.store.Journal("a")
		require.NoError(t, j.Write(t.Context(), map[string][]byte{"i1": []byte("a line of the journal")}))
		require.NoError(t, m.store.Close())
		whole, err := os.ReadFile(m.path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(m.path, bytes.ReplaceAll(whole, []byte("a line of"), []byte("b line of")), 0o600))
		m.start()
		for line, err := range m.store.Journal("a").Lines(t.Context()) {
			assert.ErrorIs(t, err, boltstore.ErrDamaged)
			assert.Empty(t, line.Key)
		}
	})
}
