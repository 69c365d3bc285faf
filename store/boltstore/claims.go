package boltstore

import (
	"sync"
	"time"
)

// claims are those that have not ended. They are in memory: no other process has the
// file open.
type claims struct {
	mu  sync.Mutex
	all map[string]claim
}

type claim struct {
	token string
	until time.Time // by the monotonic clock
}

// take claims key for token, or returns how long another holds it. The caller holds the
// lock.
func (c *claims) take(key, token string, lease time.Duration) (wait time.Duration) {
	now := time.Now()
	if held, ok := c.all[key]; ok && held.until.After(now) {
		return held.until.Sub(now)
	}
	c.sweep(now)
	c.all[key] = claim{token: token, until: now.Add(lease)}
	return 0
}

// holds tells whether the claim of key is token's. The caller holds the lock.
func (c *claims) holds(key, token string) bool {
	held, ok := c.all[key]
	return ok && held.token == token && held.until.After(time.Now())
}

// sweep drops some claims that have ended, so that those of lost holders do not pile up.
func (c *claims) sweep(now time.Time) {
	looks := 4
	for key, held := range c.all {
		if !held.until.After(now) {
			delete(c.all, key)
		}
		if looks--; looks == 0 {
			return
		}
	}
}

func (c *claims) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.all)
}
