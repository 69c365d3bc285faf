package ask

import (
	"container/list"
	"context"
	"sync"
	"time"
)

// A capacity bounds how many fetches are under way. While other fetches wait, slow fetches get at most
// half of the capacity, and fetches for which nobody waits get none. So sites that never answer cannot
// take all of it.
type capacity struct {
	mu      sync.Mutex
	free    int
	most    int
	under   list.List // of *underway, the oldest first
	waiting list.List // of chan struct{}
}

// An underway is a fetch that takes capacity.
type underway struct {
	since  time.Time
	flight *flight
	ended  bool // it gives way, but is not over yet
}

// slowAfter is the time after which a fetch is slow.
const slowAfter = 3 * time.Second

func newCapacity(most int) *capacity { return &capacity{free: most, most: most} }

// take waits for capacity for the flight of ctx, in order of arrival. It returns a function that gives
// the capacity back. If the fetch has to give way, its flight ends.
func (c *capacity) take(ctx context.Context) (leave func(), err error) {
	flight, _ := flightOf(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.wait(ctx); err != nil {
		return nil, err
	}
	c.free--
	at := c.under.PushBack(&underway{since: time.Now(), flight: flight})
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.under.Remove(at)
		c.free++
		c.wake()
	}, nil
}

// wait waits until there is capacity and all fetches that came before have theirs. The caller has c.mu
// locked before and after.
func (c *capacity) wait(ctx context.Context) error {
	wake := make(chan struct{}, 1)
	at := c.waiting.PushBack(wake)
	defer func() {
		c.waiting.Remove(at)
		c.wake()
	}()
	for c.free == 0 || c.waiting.Front() != at {
		var alarm *time.Timer
		var rung <-chan time.Time
		if c.waiting.Front() == at {
			alarm = time.NewTimer(c.makeRoom(time.Now()))
			rung = alarm.C
		}
		c.mu.Unlock()
		select {
		case <-wake:
		case <-rung:
		case <-ctx.Done():
		}
		if alarm != nil {
			alarm.Stop()
		}
		c.mu.Lock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// makeRoom ends the oldest fetch if too many fetches are slow, or a fetch for which nobody waits. It
// returns when to look again.
func (c *capacity) makeRoom(now time.Time) time.Duration {
	if c.yield(now) {
		return slowAfter
	}
	slow := 0
	for at := c.under.Front(); at != nil; at = at.Next() {
		left := slowAfter - now.Sub(at.Value.(*underway).since)
		if left > 0 {
			return left
		}
		if slow++; slow > c.most/2 {
			c.under.Front().Value.(*underway).flight.end(errGaveWay)
			return slowAfter
		}
	}
	return slowAfter
}

// yield ends the oldest fetch that nobody waits for, and reports whether one ends.
func (c *capacity) yield(now time.Time) bool {
	for at := c.under.Front(); at != nil; at = at.Next() {
		u := at.Value.(*underway)
		if u.ended = u.ended || u.flight.giveWay(now.Sub(u.since) >= slowAfter); u.ended {
			return true
		}
	}
	return false
}

// yielded tells the first in the queue that nobody waits for a fetch any more.
func (c *capacity) yielded() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wake()
}

// wake tells the first in the queue that it is the first, or that there may be capacity.
func (c *capacity) wake() {
	if first := c.waiting.Front(); first != nil {
		select {
		case first.Value.(chan struct{}) <- struct{}{}:
		default:
		}
	}
}
