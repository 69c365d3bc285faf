package polite

import (
	"container/list"
	"context"
	"errors"
	"sync"
	"time"
)

// places bounds how many fetches are under way. While others wait, slow fetches get at
// most half of the places. So sites that never answer cannot hold all places.
type places struct {
	mu      sync.Mutex
	free    int
	most    int
	under   list.List // of *place, the oldest first
	waiting list.List // of chan struct{}
}

// A place is held by a fetch that is under way.
type place struct {
	since time.Time
	end   context.CancelCauseFunc // of the fetch
}

// slowAfter is the time after which a fetch is slow.
const slowAfter = 3 * time.Second

// errGaveWay ends a slow fetch.
var errGaveWay = errors.New("no answer within 3s, while other sites were waiting to be asked")

func newPlaces(most int) *places { return &places{free: most, most: most} }

// take waits for a place in order of arrival. It returns a function that gives the
// place back. If the fetch has to give way, end is called.
func (p *places) take(ctx context.Context, end context.CancelCauseFunc) (leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free == 0 || p.waiting.Len() > 0 {
		if err := p.wait(ctx); err != nil {
			return nil, err
		}
	}
	p.free--
	at := p.under.PushBack(&place{time.Now(), end})
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.under.Remove(at)
		p.free++
		p.wake()
	}, nil
}

// wait waits until a place is free and all who came before have theirs. The caller
// holds p.mu before and after.
func (p *places) wait(ctx context.Context) error {
	wake := make(chan struct{}, 1)
	at := p.waiting.PushBack(wake)
	defer func() {
		p.waiting.Remove(at)
		p.wake()
	}()
	for p.free == 0 || p.waiting.Front() != at {
		var alarm *time.Timer
		var rung <-chan time.Time
		if p.waiting.Front() == at {
			alarm = time.NewTimer(p.hurry(time.Now()))
			rung = alarm.C
		}
		p.mu.Unlock()
		select {
		case <-wake:
		case <-rung:
		case <-ctx.Done():
		}
		if alarm != nil {
			alarm.Stop()
		}
		p.mu.Lock()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// hurry ends the oldest fetch if too many are slow. It returns when to look again.
func (p *places) hurry(now time.Time) time.Duration {
	slow := 0
	for at := p.under.Front(); at != nil; at = at.Next() {
		left := slowAfter - now.Sub(at.Value.(*place).since)
		if left > 0 {
			return left
		}
		if slow++; slow > p.most/2 {
			p.under.Front().Value.(*place).end(errGaveWay)
			return slowAfter
		}
	}
	return slowAfter
}

// wake tells the first in the queue that it is the first, or that a place may be free.
func (p *places) wake() {
	if first := p.waiting.Front(); first != nil {
		select {
		case first.Value.(chan struct{}) <- struct{}{}:
		default:
		}
	}
}
