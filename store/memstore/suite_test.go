package memstore_test

import (
	"testing"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/go-polite/polite/store/storetest"
)

func TestEntries(t *testing.T) {
	storetest.TestStore(t, storetest.Engine[*memstore.Entries]{
		Open:   func(*testing.T) *memstore.Entries { return new(memstore.Entries) },
		Bubble: true,
	})
}

func TestTurns(t *testing.T) {
	storetest.TestTurns(t, storetest.Engine[*memstore.Turns]{
		Open:   func(*testing.T) *memstore.Turns { return new(memstore.Turns) },
		Bubble: true,
	})
}

func TestStore(t *testing.T) {
	engine := storetest.Engine[*memstore.Store]{
		Open:   func(*testing.T) *memstore.Store { return new(memstore.Store) },
		Bubble: true,
	}
	storetest.TestStore(t, engine)
	storetest.TestTurns(t, engine)
}

// wrapped is Turns in a struct, as a program of somebody else's may have it.
type wrapped struct{ store.Turns }

func (w wrapped) Unwrap() store.Turns { return w.Turns }

func TestWrappedTurns(t *testing.T) {
	storetest.TestTurns(t, storetest.Engine[wrapped]{
		Open:   func(*testing.T) wrapped { return wrapped{new(memstore.Turns)} },
		Bubble: true,
	})
}
