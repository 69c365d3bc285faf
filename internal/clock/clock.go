// Package clock tells how much time has passed, by the monotonic clock or by the time of
// day, whichever ran further. The monotonic clock stands still while a machine sleeps.
// The time of day can be set. So a time limit that must not be exceeded goes by both.
package clock

import (
	"context"
	"sync"
	"sync/atomic"
	"time"
)

// A Clock measures time from its beginning. It never runs backward, and time that it has
// counted stays counted. It is safe for concurrent use.
type Clock struct {
	born  time.Time        // with a monotonic reading
	wall  func() time.Time // the time of day
	began time.Time        // born, by wall
	ahead atomic.Int64     // how much further the time of day has run
	look  atomic.Int64     // when to look at the time of day again, by the monotonic clock

	mu    sync.Mutex
	drift time.Duration // between the two clocks, at the last look
}

const (
	lookEvery = time.Second

	// slewed is the largest drift of a clock that is being corrected slowly. Such a drift
	// does not count.
	slewed = time.Second

	// furthest bounds how far the time of day can be set, so that no sum overflows.
	furthest = 50 * 365 * 24 * time.Hour
)

// New returns a clock that begins now. If wall is nil, the time of day is time.Now.
func New(wall func() time.Time) *Clock {
	if wall == nil {
		wall = time.Now
	}
	return &Clock{born: time.Now(), wall: wall, began: wall().Round(0)}
}

// Now returns the time since c began. If the time of day is set forward, Now notices it
// within a second.
func (c *Clock) Now() time.Duration {
	passed := time.Since(c.born)
	if int64(passed) >= c.look.Load() {
		c.compare(passed)
	}
	return passed + time.Duration(c.ahead.Load())
}

// compare looks at the time of day.
func (c *Clock) compare(passed time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.look.Store(int64(passed + lookEvery))
	drift := min(max(c.wall().Round(0).Sub(c.began), -furthest), furthest) - passed
	if step := drift - c.drift; step > slewed {
		c.ahead.Store(min(c.ahead.Load()+int64(step), int64(furthest)))
		c.drift = drift
	} else if step < -slewed {
		c.drift = drift
	}
}

// Wall returns the time of day for a time of c, unless somebody sets the time of day.
func (c *Clock) Wall(at time.Duration) time.Time { return c.began.Add(at) }

// Later returns the later of two times.
func Later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Pause waits. It returns the cause if ctx ends before.
func Pause(ctx context.Context, wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	alarm := time.NewTimer(wait)
	defer alarm.Stop()
	select {
	case <-alarm.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
