package memstore

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/internal/memory"
)

// Entries is a [store.Store]. It keeps the octets of an entry even after its time.
//
// The zero Entries is empty and ready for use. It is safe for concurrent use. Do not copy
// it.
type Entries struct {
	mu      sync.Mutex
	claims  memory.Claims
	entries map[string]entry
}

// An entry is what Entries keep of a key.
type entry struct {
	bytes     []byte
	version   string // empty: there is no entry
	put, gone time.Time
}

// Claim returns the entry of key, or claims the right to fetch. See [store.Store].
func (m *Entries) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	if err := ctx.Err(); err != nil {
		return store.Claim{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.entry(key); e.version != "" && e.version != seen {
		return store.Claim{Entry: e.bytes, Version: e.version, Age: time.Since(e.put)}, nil
	}
	if lease <= 0 {
		return store.Claim{}, nil
	}
	if m.claims == nil {
		m.claims, m.entries = make(memory.Claims), make(map[string]entry)
	}
	return m.claims.Take(key, lease), nil
}

// entry returns the entry of a key, unless it may be deleted.
func (m *Entries) entry(key string) entry {
	if e := m.entries[key]; time.Now().Before(e.gone) {
		return e
	}
	return entry{}
}

// Put replaces the entry of key and ends the claim. See [store.Store].
func (m *Entries) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	_, err := m.put(ctx, key, token, entry, keep)
	return err
}

// put reports whether it has replaced an entry by another one with other octets.
func (m *Entries) put(ctx context.Context, key, token string, octets []byte, keep time.Duration) (other bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.claims.Has(key, token) {
		return false, store.ErrLost
	}
	delete(m.claims, key)
	if octets == nil {
		return false, nil
	}
	before, now := m.entry(key), time.Now()
	m.entries[key] = entry{bytes.Clone(octets), token, now, now.Add(keep)}
	return before.version != "" && !bytes.Equal(before.bytes, octets), nil
}
