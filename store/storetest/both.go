package storetest

import (
	"context"
	"time"
)

// Both is [Memory] and [Lanes] in one: a double of an engine that is a [store.Store] and
// [store.Turns]. Its Watch also tells of replaced entries.
//
// The zero Both is ready for use. It is safe for concurrent use. Do not copy it.
type Both struct {
	Memory
	Lanes
}

// Put replaces the entry of key, ends the claim, and tells of an entry of other octets. See
// [store.Store].
func (b *Both) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	other, err := b.put(ctx, key, token, entry, keep)
	if other && key != "" {
		b.turns.Replaced(key)
	}
	return err
}
