package redisfleet

import (
	"strconv"
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
