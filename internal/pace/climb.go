package pace

import (
	"context"
	"time"
)

// JoinAbove takes a place in the queue of key for a request that has the place below, or none if
// that is nil. It waits no longer than below may. If ahead, the place is before those that came in
// order. The error is that of Join.
func (p *Pacer[K]) JoinAbove(ctx context.Context, key K, terms Terms, below *Place, ahead bool) (w *Place, err error) {
	if below != nil && !below.limit.IsZero() {
		terms.MaxWait = max(time.Until(below.limit), 1)
	}
	if ahead {
		w, err = p.joinAhead(ctx, key, terms)
	} else {
		w, err = p.Join(ctx, key, terms)
	}
	if err == nil {
		w.below = below
	}
	return w, err
}

func (p *Pacer[K]) joinAhead(ctx context.Context, key K, terms Terms) (*Place, error) {
	l := p.lane(key, p.hash(key), true)
	defer l.mu.Unlock()
	now := time.Now()
	w := newPlace(ctx, l, terms, now)
	if w.late(l.ready(w.gap(), now), now) {
		return nil, w.refusal(now)
	}
	l.queue.addAhead(w)
	return w, nil
}

// Late returns the error of Join for a turn that would come too late. It takes no place.
func (p *Pacer[K]) Late(ctx context.Context, key K, terms Terms) error {
	l := p.lane(key, p.hash(key), true)
	defer l.mu.Unlock()
	now := time.Now()
	if w := newPlace(ctx, l, terms, now); w.late(l.turn(terms, now), now) {
		return w.refusal(now)
	}
	return nil
}
