package conduct

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/origintest"
)

// Connects is how long connecting takes.
type Connects struct {
	mu    sync.Mutex
	Takes func() time.Duration
}

// Change makes connecting take another time from now on.
func (c *Connects) Change(takes func() time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Takes = takes
}

// Slowing makes connections of base take as long as c says.
func (c *Connects) Slowing(base *http.Transport) {
	dial := base.DialContext
	base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c.mu.Lock()
		wait := c.Takes()
		c.mu.Unlock()
		if !origintest.Wait(ctx, wait) {
			return nil, context.Cause(ctx)
		}
		return dial(ctx, network, address)
	}
}

// Always takes the same time.
func Always(d time.Duration) func() time.Duration { return func() time.Duration { return d } }

// InTurn takes these times, one after the other, again and again.
func InTurn(times ...time.Duration) func() time.Duration {
	n := 0
	return func() time.Duration { n++; return times[(n-1)%len(times)] }
}
