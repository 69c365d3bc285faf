package memstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
	"github.com/go-polite/polite/store/storetest"
	"github.com/stretchr/testify/assert"
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

// No method does anything for a context that has ended. A lane is known once it has delayed a request.
func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s := new(memstore.Store)
	_, claim := s.Claim(ctx, "key", "", time.Hour)
	put := s.Put(ctx, "key", "", nil, 0)
	_, take := s.Take(ctx, "lane", store.Ask{Token: "a", Gap: time.Hour})
	done := s.Done(ctx, "lane", "a", true)
	_, renew := s.Renew(ctx, time.Hour, nil)
	begin := s.Break(ctx, "lane", time.Hour)
	teach := s.Teach(ctx, "lane", time.Hour, "lesson", time.Hour)
	for _, err := range []error{claim, put, take, done, renew, begin, teach, s.Watch(ctx, func(store.Change) {})} {
		assert.ErrorIs(t, err, context.Canceled)
	}
	assert.False(t, s.Has("lane"))
	assert.Zero(t, s.Len())
	_, err := s.Take(t.Context(), "lane", store.Ask{Token: "a", Gap: time.Hour})
	assert.NoError(t, err)
	assert.True(t, s.Has("lane"))
	assert.Equal(t, 1, s.Len())
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
