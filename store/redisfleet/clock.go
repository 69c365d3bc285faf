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
	lost  time.Time     // when data was lost last, as far as is known
	cut   time.Time     // when the connection changed last; zero once the server was found to be the same since then
	next  chan struct{} // closed at the next change
}

func (c *change) note(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.After(c.at) {
		c.at = at
	}
	if at.After(c.lost) {
		c.lost = at
	}
	c.tell()
}

// noteCut notes that the connection has changed now.
func (c *change) noteCut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = time.Now()
	c.at = c.cut
	c.tell()
}

// same notes that the server is the one of before the change with this count, and has lost nothing.
func (c *change) same(count int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.count == count {
		c.cut = time.Time{}
	}
}

// tell counts a change. The caller has the lock.
func (c *change) tell() {
	c.count++
	if c.next != nil {
		close(c.next)
		c.next = nil
	}
}

// last returns how many changes there were, and how long a start must wait that comes no sooner than a gap after
// the last, and a lease after data may have been lost.
func (c *change) last(gap, lease time.Duration) (count int, wait time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := func(at time.Time, d time.Duration) time.Duration {
		if at.IsZero() {
			return 0
		}
		return d - time.Since(at)
	}
	return c.count, max(left(c.at, gap), left(c.lost, lease), left(c.cut, lease), 0)
}

// isCut reports whether the connection has changed, and it is not known whether the server is the same.
func (c *change) isCut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.cut.IsZero()
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
