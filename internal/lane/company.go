package lane

import (
	"sync/atomic"
	"time"
)

// company counts the requests that are under way in each lane, also where no lane is kept. Several
// lanes share a counter. So a request that is alone may seem to have company. Then it gets a ticket
// that it does not need.
type company [1024]counter

// of returns the counter of the lanes with a hash.
func (c *company) of(hash uint64) *counter { return &c[hash%uint64(len(c))] }

// busy reports whether any request is under way.
func (c *company) busy() bool {
	for i := range c {
		if c[i].under.Load() > 0 {
			return true
		}
	}
	return false
}

type counter struct {
	under atomic.Int32  // requests that were handed on and are not answered
	flags atomic.Uint32 // lone, shut
	last  atomic.Uint64 // the hash of the lane whose request was handed on last, and when
	good  atomic.Uint64 // the sections of this lane that have answered well
}

const (
	lone uint32 = 1 << iota // one of those under way has no ticket
	shut                    // the last answer closed its connection
)

func (c *counter) is(flag uint32) bool { return c.flags.Load()&flag != 0 }

// mark sets a flag, or takes it back.
func (c *counter) mark(flag uint32, on bool) {
	switch {
	case c.is(flag) == on:
	case on:
		c.flags.Or(flag)
	default:
		c.flags.And(^flag)
	}
}

// enter counts a request that is handed on. It reports whether no other is under way.
func (c *counter) enter() (alone bool) { return c.under.Add(1) == 1 }

func (c *counter) leave() { c.under.Add(-1) }

// admit hands on a request of the lane with this hash that is alone, and needs no ticket.
func (c *counter) admit(hash uint64) Admission {
	c.mark(lone, true)
	return Admission{counter: c, hash: hash, lone: true}
}

// note notes that a request of the lane with this hash was handed on at a time.
func (c *counter) note(hash uint64, at time.Duration) {
	now, last := hash>>32<<32|uint64(uint32(at/time.Millisecond+1)), c.last.Load()
	if now == last { // all read this value, so it is not written without need
		return
	}
	if c.last.Store(now); last>>32 != hash>>32 {
		c.good.Store(0)
	}
}

// learn notes that a section of the lane with this hash has answered a request well that took no
// turn.
func (c *counter) learn(hash uint64, section uint8) {
	if is := uint64(1) << (section % 64); c.last.Load()>>32 == hash>>32 && c.good.Load()&is == 0 {
		c.good.Or(is)
	}
}

// known returns the sections of the lane with this hash that have answered well, as far as that is
// known.
func (c *counter) known(hash uint64) uint64 {
	if c.last.Load()>>32 != hash>>32 {
		return 0
	}
	return c.good.Load()
}

// noted returns how long before now a request of the lane with this hash was handed on. It
// returns false if this is not known.
func (c *counter) noted(hash uint64, now time.Duration) (ago time.Duration, ok bool) {
	last := c.last.Load()
	if last == 0 || last>>32 != hash>>32 {
		return 0, false
	}
	ms := int32(uint32(now/time.Millisecond) - uint32(last))
	return max(time.Duration(ms), 0) * time.Millisecond, ms >= -1
}

// keptFor is how long a connection is likely to be kept. After a longer time a request is
// likely to connect.
const keptFor = 10 * time.Second

// idle returns how long before now no request of the lane with this hash was handed on.
func (c *counter) idle(hash uint64, now time.Duration) time.Duration {
	if ago, ok := c.noted(hash, now); ok {
		return ago
	}
	return keptFor + 1
}
