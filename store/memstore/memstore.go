// Package memstore keeps entries and turns in memory, for one process. Use it in tests of code that
// uses a [store.Store] or [store.Turns], or in an engine of your own that goes on while its server is
// away. Its clock is time.Now, so in a testing/synctest bubble no test waits.
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

// Turns is [store.Turns], and a [store.Teacher]. It forgets a lane some ten minutes after the lane has last
// delayed a request, when it is asked for other lanes.
//
// The zero Turns is ready for use. It is safe for concurrent use. Do not copy it.
type Turns struct{ turns memory.Turns }

// Take reserves the next start of a lane. See [store.Turns].
func (t *Turns) Take(ctx context.Context, lane string, ask store.Ask) (store.Grant, error) {
	if err := ctx.Err(); err != nil {
		return store.Grant{}, err
	}
	grant, _ := t.turns.Take(lane, ask, memory.Start{})
	return grant, nil
}

// Done ends what token has. See [store.Turns].
func (t *Turns) Done(ctx context.Context, lane, token string, unused bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.turns.Done(lane, token, unused)
	return nil
}

// Renew lets slots be taken for longer. See [store.Turns].
func (t *Turns) Renew(ctx context.Context, lease time.Duration, turns map[string]string) (lost []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return t.turns.Renew(lease, turns), nil
}

// Break begins a break of a lane. See [store.Turns].
func (t *Turns) Break(ctx context.Context, lane string, wait time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if wait > 0 {
		t.turns.Break(lane, memory.Break{Until: time.Now().Add(wait), Length: wait})
	}
	return nil
}

// Teach begins a break of a lane, and lets each Watch tell lesson. See [store.Teacher].
func (t *Turns) Teach(ctx context.Context, lane string, wait time.Duration, lesson string, keep time.Duration) error {
	if err := t.Break(ctx, lane, wait); err != nil {
		return err
	}
	t.turns.Teach(lane, lesson, keep)
	return nil
}

// Watch calls f for each break. See [store.Turns].
func (t *Turns) Watch(ctx context.Context, f func(store.Change)) error { return t.turns.Watch(ctx, f) }

// Clear forgets all starts and breaks, like an engine that has lost its data. Slots stay taken. The
// first start of each lane comes a gap later.
func (t *Turns) Clear() { t.turns.Clear() }

// Has reports whether a lane is known: a request in it may be delayed.
func (t *Turns) Has(lane string) bool { return t.turns.Has(lane) }

// Len returns how many lanes are kept, also lanes that delay nobody and are not forgotten yet.
func (t *Turns) Len() int {
	lanes, _, _ := t.turns.Count()
	return lanes
}

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
