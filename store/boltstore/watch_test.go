package boltstore_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

// watchEntries returns the keys that a Watch tells, and what waits until all are told.
func (m *machine) watchEntries() (told *[]string, wait func()) {
	told = new([]string)
	go m.store.Watch(m.Context(), func(c store.Change) {
		if c.Key != "" {
			*told = append(*told, c.Key)
		}
	})
	return told, func() {
		time.Sleep(time.Second / 10)
		synctest.Wait()
	}
}

// An entry is compared with the one before, wherever this is: it waits to be written, it is
// in the file, or another process has put it. One that is past its use is none.
func TestWatchTellsOfEntries(t *testing.T) {
	on(t, func(m *machine) {
		m.put("over", "a", time.Second)
		m.put("old", "a", time.Hour)
		m.settle()
		m.restart()
		told, wait := m.watchEntries()
		wait()
		m.put("over", "b", time.Hour)
		m.put("old", "a", time.Hour)
		m.put("new", "a", time.Hour)
		m.put("new", "a", time.Hour)
		wait()
		assert.Empty(t, *told)
		m.put("new", "b", time.Hour)
		wait()
		m.settle()
		m.put("new", "b", time.Hour)
		m.put("new", "c", time.Hour)
		wait()
		m.put("old", "b", time.Hour)
		wait()
		assert.Equal(t, []string{"new", "new", "old"}, *told)
	})
}
