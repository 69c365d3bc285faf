package storetest

import (
	"context"
	"time"
)

// Both is [Memory] and [Lanes] in one: a double of an engine that is a [store.Store] and
// [store.Turns]. Its Watch also tells of records.
//
// The zero Both is ready for use. It is safe for concurrent use. Do not copy it.
type Both struct {
	Memory
	Lanes
}

// Put replaces the record of key, ends the claim, and tells of another record. See
// [store.Store].
func (b *Both) Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error {
	other, err := b.put(ctx, key, token, record, keep)
	if other && key != "" {
		b.replaced(key)
	}
	return err
}
