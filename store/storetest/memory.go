package storetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

// Memory is a [store.Store] in memory: a double for tests, and a model for a Store of
// your own. Its clock is time.Now, so in a testing/synctest bubble no test waits. It has
// no bound: it forgets no key.
//
// The zero Memory is empty and ready for use. It is safe for concurrent use. Do not copy
// it.
type Memory struct {
	mu   sync.Mutex
	keys map[string]kept
}

// kept is what a Memory keeps of a key.
type kept struct {
	record  []byte
	version string    // empty: there is no record
	put     time.Time // when
	gone    time.Time // the end of keep
	token   string    // of the newest claim; empty once it was put
	ends    time.Time // when that claim ends
}

// Claim returns the record of key, or claims the right to fetch. See [store.Store].
func (m *Memory) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	if err := ctx.Err(); err != nil {
		return store.Claim{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k, now := m.keys[key], time.Now()
	if !now.Before(k.gone) {
		k.record, k.version = nil, ""
	}
	switch left := k.ends.Sub(now); {
	case k.version != "" && k.version != seen:
		return store.Claim{Entry: k.record, Version: k.version, Age: now.Sub(k.put)}, nil
	case lease <= 0:
		return store.Claim{}, nil
	case k.token != "" && left > 0:
		return store.Claim{Wait: left}, nil
	}
	k.token, k.ends = rand.Text(), now.Add(lease)
	m.set(key, k)
	return store.Claim{Token: k.token}, nil
}

// Put replaces the record of key and ends the claim. See [store.Store].
func (m *Memory) Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error {
	_, err := m.put(ctx, key, token, record, keep)
	return err
}

// put reports whether it has replaced a record by another.
func (m *Memory) put(ctx context.Context, key, token string, record []byte, keep time.Duration) (other bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k, now := m.keys[key], time.Now()
	if token == "" || token != k.token || !now.Before(k.ends) {
		return false, store.ErrLost
	}
	if k.token = ""; record != nil {
		other = k.version != "" && now.Before(k.gone) && !bytes.Equal(k.record, record)
		k.record, k.version, k.put, k.gone = bytes.Clone(record), token, now, now.Add(keep)
	}
	m.set(key, k)
	return other, nil
}

func (m *Memory) set(key string, k kept) {
	if m.keys == nil {
		m.keys = make(map[string]kept)
	}
	m.keys[key] = k
}
