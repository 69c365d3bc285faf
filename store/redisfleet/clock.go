package redisfleet

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// A clock estimates the server's clock from replies. It is never ahead of it.
type clock struct {
	born   time.Time
	behind atomic.Int64 // what the server's clock shows when this one shows zero, in µs; 0: unknown
}

// learn notes a time that the server's clock has shown.
func (c *clock) learn(server int64) {
	c.behind.Store(server - time.Since(c.born).Microseconds())
}

func (c *clock) forget() { c.behind.Store(0) }

// after returns what the server's clock shows when d has passed. If nobody knows, it
// is a time that is over.
func (c *clock) after(d time.Duration) string {
	behind := c.behind.Load()
	if behind == 0 {
		return "0"
	}
	return strconv.FormatInt(max(behind+(time.Since(c.born)+d).Microseconds(), 0), 10)
}

// A change is when the connection or the server's data changed last. Reservations from
// before may be lost.
type change struct {
	mu    sync.Mutex
	count int
	at    time.Time     // zero: never
	next  chan struct{} // closed at the next change
}

func (c *change) note(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count++
	if at.After(c.at) {
		c.at = at
	}
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// last returns how many changes there were, and how long a start must wait that comes
// no sooner than a gap after the last.
func (c *change) last(gap time.Duration) (count int, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() {
		return c.count, 0
	}
	return c.count, max(gap-time.Since(c.at), 0)
}

// wait returns a channel that is closed at the next change.
func (c *change) wait() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.next == nil {
		c.next = make(chan struct{})
	}
	return c.next
}
