package fleet

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

// leases are the slots that this process has in Turns. It renews them while it has any.
type leases struct {
	turns  store.Turns
	health *health

	mu    sync.Mutex
	slots map[string]*slot // by token
	next  *time.Timer      // when to renew them; nil if there are none

	owed     []debt    // what could not be given back, the oldest first
	pays     bool      // it is given back now
	payAgain time.Time // no sooner than this
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
	mostOwed   = 1000

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

// end no longer renews the slot of token.
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

// give gives back what token has, and does not wait for the call. If the call fails, give keeps a debt. If
// it is not sure that token has anything, as after a failed Take, nothing is given back while turns fail.
func (l *leases) give(lane, token string, unused, sure bool, called Called) {
	l.end(token)
	d := debt{lane: lane, token: token, unused: unused, sure: sure, ends: time.Now().Add(slotLease), called: called}
	if !sure && l.health.failing() {
		l.owe(d)
		return
	}
	go func() {
		if !d.pay(l.turns) {
			l.owe(d)
		}
	}()
}

// A debt is what a token may have and could not be given back yet. It is over with the lease.
type debt struct {
	lane, token string
	unused      bool
	sure        bool // it has something
	ends        time.Time
	called      Called
}

// pay gives back what the token has. It reports whether nothing is owed any more.
func (d *debt) pay(turns store.Turns) (paid bool) {
	defer func() { recover() }() // a Turns that panics gets nothing back
	ctx, cancel := context.WithTimeout(context.Background(), giveFor)
	defer cancel()
	began := time.Now()
	paid = true
	err := turns.Done(ctx, d.lane, d.token, d.unused)
	d.called(context.Background(), "done", began, err)
	return err == nil || errors.Is(err, store.ErrClosed)
}

// owe notes a debt. If there are too many, it forgets the oldest: then a turn is lost, or a slot is
// free when its lease ends. If the token has something, others wait for it, so this process tries again
// soon.
func (l *leases) owe(d debt) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owed = append(l.owed, d); len(l.owed) > mostOwed {
		l.owed = slices.Delete(l.owed, 0, 1)
	}
	l.payLater()
}

// payLater lets what is owed for sure be given back soon. The caller has the lock.
func (l *leases) payLater() {
	if slices.ContainsFunc(l.owed, func(d debt) bool { return d.sure }) {
		time.AfterFunc(giveAgain, l.pay)
	}
}

// pay starts to give back what is owed, one debt after the other, and does not wait.
func (l *leases) pay() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.owed) == 0 || l.pays || time.Now().Before(l.payAgain) {
		return
	}
	l.pays = true
	go func() {
		for l.payNext() {
		}
	}()
}

// payNext gives back what is owed for longest. It reports whether to go on.
func (l *leases) payNext() (more bool) {
	l.mu.Lock()
	now := time.Now()
	l.owed = slices.DeleteFunc(l.owed, func(d debt) bool { return !now.Before(d.ends) })
	if l.pays = len(l.owed) > 0; !l.pays {
		l.mu.Unlock()
		return false
	}
	d := l.owed[0]
	l.owed = slices.Delete(l.owed, 0, 1)
	l.mu.Unlock()
	if d.pay(l.turns) {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owed = append(l.owed, d)
	l.pays, l.payAgain = false, time.Now().Add(giveAgain)
	l.payLater()
	return false
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
