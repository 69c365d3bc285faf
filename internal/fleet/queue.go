package fleet

import (
	"context"
	"sync"
	"time"
)

// queues are the tokens of this process that wait in queues of Turns.
type queues struct {
	mu    sync.Mutex
	calls map[string]chan struct{} // by token
}

// join returns what gets a value when a slot is kept for token. Join before the token asks: Turns may call it
// before the answer is here.
func (q *queues) join(token string) <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.calls == nil {
		q.calls = make(map[string]chan struct{})
	}
	q.calls[token] = make(chan struct{}, 1)
	return q.calls[token]
}

// leave no longer listens for token. q may be nil.
func (q *queues) leave(token string) {
	if q == nil {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.calls, token)
}

// call tells that a slot is kept for token, which may be one of another process.
func (q *queues) call(token string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	select {
	case q.calls[token] <- struct{}{}:
	default:
	}
}

// follow notes whether the token of r waits in the queue now.
func (r *reservation) follow(queued bool) {
	if r.queued = queued; queued { // so it has no slot, or none any more
		r.leases.end(r.token)
		r.taken = time.Time{}
	} else {
		r.queues.leave(r.token)
		r.turnComes = nil
	}
}

// pause waits for a while, or until called gets a value.
func pause(ctx context.Context, wait time.Duration, called <-chan struct{}) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-called:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
