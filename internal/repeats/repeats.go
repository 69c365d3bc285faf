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
	mu     sync.Mutex
	known  map[digest]*message
	oldest int      // in order, once it is full
	order  []digest // of the known messages, as they came: a ring
}

// A digest stands for a text, which may be long.
type digest [sha256.Size]byte

type message struct {
	until  time.Time
	others int // that came since
}

// most is how many messages are known.
const most = 1000

// Note notes that a message came. It reports whether the message is the first in a
// minute, and how many of the same came after the first one before.
func (r *Repeats) Note(text string, now time.Time) (first bool, others int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.message(text)
	if now.Before(m.until) {
		m.others++
		return false, 0
	}
	others, m.others, m.until = m.others, 0, now.Add(suppressed)
	return true, others
}

// Nth notes that a message came, and returns which of the minute it is: 1 is the first.
func (r *Repeats) Nth(text string, now time.Time) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.message(text)
	if m.others++; !now.Before(m.until) {
		m.others, m.until = 0, now.Add(suppressed)
	}
	return 1 + m.others
}

// IsFull reports whether messages of the last minute may be forgotten, since there were so many.
func (r *Repeats) IsFull() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.known) >= most
}

// message returns what is known of a message. If there are too many, it forgets the one that came first.
func (r *Repeats) message(text string) *message {
	key := digest(sha256.Sum256([]byte(text)))
	if m := r.known[key]; m != nil {
		return m
	}
	switch {
	case r.known == nil:
		r.known = make(map[digest]*message)
		fallthrough
	case len(r.order) < most:
		r.order = append(r.order, key)
	default:
		delete(r.known, r.order[r.oldest])
		r.order[r.oldest] = key
		r.oldest = (r.oldest + 1) % most
	}
	m := new(message)
	r.known[key] = m
	return m
}
