// Package repeats tells a message from one that was told a moment ago.
package repeats

import (
	"crypto/sha256"
	"sync"
	"time"
)

// suppressed is how long a repeated message is suppressed.
const suppressed = time.Minute

// Repeats knows the messages of the last minute. The zero Repeats knows none. It is safe
// for concurrent use. Do not copy it.
type Repeats struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]*message // by its digest, since a text may be long
}

type message struct {
	until  time.Time
	others int // that came since
}

// most is how many messages are known.
const most = 1000

// Note notes that a message came. It reports whether the message is the first in a
// minute, and how many of the same came after the first one before.
func (r *Repeats) Note(text string, now time.Time) (first bool, others int) {
	key := sha256.Sum256([]byte(text))
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.known[key]
	if m == nil {
		m = new(message)
		r.add(key, m)
	}
	if now.Before(m.until) {
		m.others++
		return false, 0
	}
	others, m.others, m.until = m.others, 0, now.Add(suppressed)
	return true, others
}

// IsFull reports whether messages of the last minute may be forgotten, since there were so many.
func (r *Repeats) IsFull() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.known) >= most
}

func (r *Repeats) add(key [sha256.Size]byte, m *message) {
	if r.known == nil {
		r.known = make(map[[sha256.Size]byte]*message)
	}
	for one := range r.known { // any
		if len(r.known) < most {
			break
		}
		delete(r.known, one)
	}
	r.known[key] = m
}
