package fleet

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/store"
)

// leases are the slots that this process has in Turns. It renews them while it has any.
type leases struct {
	turns  store.Turns
	health *health

	mu    sync.Mutex
	slots map[string]*slot // by token
	next  *time.Timer      // when to renew them; nil if there are none
}

// A slot belongs to a request until it is done.
type slot struct {
	lane string
	lose func(error) // ends the request
	gone sync.Once   // it is lost once
	end  *time.Timer // loses the slot before its lease ends
}

const (
	slotLease  = 10 * time.Second
	renewEvery = slotLease / 4
	giveAgain  = slotLease / 100
	giveFor    = slotLease / 10 // how long one call may take

	// slotMargin is how long before the end of its lease a request ends.
	slotMargin = slotLease / 5
)

// errSlotLost ends a request whose slot is lost.
var errSlotLost = errors.New("polite: the request has lost its slot, because Cache.Turns did not renew it")

// add renews the slot of token, which was taken after a time. If the slot is lost, add
// calls lose.
func (l *leases) add(token, lane string, taken time.Time, lose func(error)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slots == nil {
		l.slots = make(map[string]*slot)
	}
	if l.next == nil {
		l.next = time.AfterFunc(renewEvery, l.renew)
	}
	s := &slot{lane: lane, lose: lose}
	s.end = time.AfterFunc(lasts(taken), func() { l.lost(s) })
	l.slots[token] = s
}

// lost loses a slot, and counts it.
func (l *leases) lost(s *slot) {
	s.gone.Do(func() {
		s.lose(errSlotLost)
		l.health.count(store.HealthLostSlot, errSlotLost)
	})
}

// lasts returns for how long a slot may be used that was renewed after a time.
func lasts(renewed time.Time) time.Duration { return time.Until(renewed) + slotLease - slotMargin }

// end stops to renew the slot of token.
func (l *leases) end(token string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slot := l.slots[token]; slot != nil {
		slot.end.Stop()
		delete(l.slots, token)
	}
	if len(l.slots) == 0 && l.next != nil {
		l.next.Stop()
		l.next = nil
	}
}

// give gives back what token has, without waiting for it. If Turns is away, it tries again
// until the lease has ended.
func (l *leases) give(lane, token string, unused bool, called Called) {
	l.end(token)
	go func() {
		defer func() { recover() }()
		for ends := time.Now().Add(slotLease); ; clock.Pause(context.Background(), giveAgain) {
			ctx, cancel := context.WithTimeout(context.Background(), giveFor)
			began := time.Now()
			err := l.turns.Done(ctx, lane, token, unused)
			cancel()
			if called(context.Background(), "done", began, err); err == nil || errors.Is(err, store.ErrClosed) || time.Now().After(ends) {
				return
			}
		}
	}()
}

// renew renews all slots. If this fails, they are lost when their time is over.
func (l *leases) renew() {
	ctx, cancel := context.WithTimeout(context.Background(), renewEvery)
	defer cancel()
	began, turns := time.Now(), l.lanes()
	lost, err := l.ask(ctx, turns)
	if err != nil {
		l.health.called("renew", began, err)
	}
	for _, token := range lost {
		if slot := l.slot(token); slot != nil {
			l.lost(slot)
		}
		delete(turns, token)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for token := range turns {
		if slot := l.slots[token]; slot != nil && err == nil {
			slot.end.Reset(lasts(began))
		}
	}
	if l.next != nil {
		l.next.Reset(time.Until(began) + renewEvery)
	}
}

// ask asks Turns to renew slots. If Turns panics, they are not renewed.
func (l *leases) ask(ctx context.Context, turns map[string]string) (lost []string, err error) {
	err = errSlotLost
	defer func() { recover() }()
	return l.turns.Renew(ctx, slotLease, maps.Clone(turns))
}

func (l *leases) slot(token string) *slot {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.slots[token]
}

// lanes returns the lanes of all slots by their tokens.
func (l *leases) lanes() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	turns := make(map[string]string, len(l.slots))
	for token, slot := range l.slots {
		turns[token] = slot.lane
	}
	return turns
}
