package pace

import (
	"sync"
	"sync/atomic"
	"time"
)

// evicted are the breaks that were forgotten before they were over, for lack of memory.
// It may take a key for one of them that is none.
type evicted struct {
	mu   sync.Mutex
	some atomic.Pointer[marks] // nil if there are none
}

// marks has a bit for each hash, and more than one hash for a bit.
type marks struct {
	bits  [evictedBits / 64]atomic.Uint64
	until atomic.Pointer[time.Time] // when the last of the breaks ends
}

const evictedBits = 1 << 17

// any reports whether there may be some under way.
func (e *evicted) any() bool { return e.load() != nil }

// has reports whether a break of that hash may be under way.
func (e *evicted) has(hash uint64) bool {
	m := e.load()
	return m != nil && m.bits[hash%evictedBits/64].Load()&(1<<(hash%64)) != 0
}

// load returns the marks. It drops them when all breaks are over.
func (e *evicted) load() *marks {
	m := e.some.Load()
	if m == nil || m.until.Load().After(time.Now()) {
		return m
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !m.until.Load().After(time.Now()) {
		e.some.CompareAndSwap(m, nil)
	}
	return e.some.Load()
}

// note notes that a break was forgotten.
func (e *evicted) note(hash uint64, until time.Time) {
	if !until.After(time.Now()) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	m := e.some.Load()
	if m == nil {
		m = new(marks)
		m.until.Store(&until)
	} else if until.After(*m.until.Load()) {
		m.until.Store(&until)
	}
	m.bits[hash%evictedBits/64].Or(1 << (hash % 64))
	e.some.Store(m)
}
