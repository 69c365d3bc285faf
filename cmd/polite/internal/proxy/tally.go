package proxy

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"time"
)

// A Tally is what a Proxy has done.
type Tally struct {
	Connections int64 // that programs have opened
	Tunnels     int64 // that they have asked for by CONNECT
	Locked      int64 // requests of who may not use the proxy (407)

	Requests int64            // for sites: each was sent, refused or left, or it failed
	Sent     int64            // that brought an answer
	Refused  map[string]int64 // by kind: see report.RefusalOf, and KindProtocol and the others
	Failed   int64            // to which no answer came
	Left     int64            // whose program hung up before the answer
	Robots   int64            // for robots.txt, that were answered with what is known

	Waits   int64         // for a turn
	Wait    time.Duration // all of them together
	Longest time.Duration // the longest of them
}

// counts are a Tally that grows.
type counts struct {
	mu    sync.Mutex
	tally Tally
}

// add lets one thing be counted.
func (c *counts) add(one func(*Tally)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one(&c.tally)
}

// refused counts a refusal.
func (c *counts) refused(kind string) {
	c.add(func(t *Tally) {
		if t.Refused == nil {
			t.Refused = make(map[string]int64)
		}
		t.Refused[kind]++
	})
}

func (c *counts) summary() Tally {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.tally
	t.Refused = maps.Clone(t.Refused)
	return t
}

type countsKey struct{}

// in returns a context by which Waited finds c.
func (c *counts) in(ctx context.Context) context.Context {
	return context.WithValue(ctx, countsKey{}, c)
}

// moment is longer than it takes to ask the file that runs share.
const moment = 50 * time.Millisecond

// Waited counts a wait for a turn. Set it as the Trace.Waited of the transport of a Proxy.
func Waited(req *http.Request, wait time.Duration, _ error) {
	c, ok := req.Context().Value(countsKey{}).(*counts)
	if !ok || wait < moment {
		return
	}
	c.add(func(t *Tally) {
		t.Waits++
		t.Wait += wait
		t.Longest = max(t.Longest, wait)
	})
}
