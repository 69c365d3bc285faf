package memstore

import (
	"context"
	"time"
)

// Store is [Entries] and [Turns] in one. Its Watch also tells of replaced entries.
//
// The zero Store is ready for use. It is safe for concurrent use. Do not copy it.
type Store struct {
	Entries
	Turns
}

// Put replaces the entry of key, ends the claim, and tells of an entry of other octets. See
// [store.Store].
func (s *Store) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	other, err := s.put(ctx, key, token, entry, keep)
	if other && key != "" {
		s.turns.Replaced(key)
	}
	return err
}
