package boltstore

import (
	"sync"
	"time"
)

// claims are the claims that have not ended. They live as long as the process: no other
// has the file open meanwhile.
type claims struct {
	mu  sync.Mutex
	all map[string]claim
}

type claim struct {
	token string
	until time.Time // by the monotonic clock
}

// sweep drops some claims that have ended, so that those of lost holders do not pile up.
// The caller holds the lock.
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

// take returns how long another holds the claim of key, or claims it. The caller holds
// the lock.
func (c *claims) take(key, token string, lease time.Duration) (wait time.Duration) {
	now := time.Now()
	if held, ok := c.all[key]; ok && held.until.After(now) {
		return held.until.Sub(now)
	}
	c.sweep(now)
	c.all[key] = claim{token: token, until: now.Add(lease)}
	return 0
}

// end ends the claim of key if it is token's. The caller holds the lock.
func (c *claims) end(key, token string) bool {
	held, ok := c.all[key]
	if !ok || held.token != token || !held.until.After(time.Now()) {
		return false
	}
	delete(c.all, key)
	return true
}

func (c *claims) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	clear(c.all)
}
