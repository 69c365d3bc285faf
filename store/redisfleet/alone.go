package redisfleet

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

// An alone is how this process goes on while the server is away: at a share of the rate.
// A nil *alone never does.
type alone struct {
	share int // a start in so many of the gaps

	mu    sync.Mutex
	away  bool
	until time.Time // go on alone; then ask the server again
	lanes map[string]*lonely
}

// A lonely lane is one that this process has to itself.
type lonely struct {
	token string               // of the newest start
	at    time.Time            // of it
	next  time.Time            // the soonest start after it
	slots map[string]time.Time // when leases end, by token
}

const (
	// askAgain is how long to go on alone before the server is asked again.
	askAgain = time.Second

	// patience is how long to wait for an answer before the server counts as away. If a
	// caller has less time, this says nothing about the server.
	patience = time.Second

	// mostLonely is how many lanes there may be. A turn in one more fails.
	mostLonely = 1 << 16
)

// learn learns how a call of the server went and how long it took. gone says to go on
// alone, and back that the server is there again.
func (a *alone) learn(err error, took time.Duration) (gone, back bool) {
	if a == nil {
		return false, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	hasty := errors.Is(err, context.DeadlineExceeded) && took < patience
	if gone = err != nil && away(err) && !hasty; gone {
		a.away, a.until = true, time.Now().Add(askAgain)
		return true, false
	}
	if back = a.away && err == nil; back {
		a.away = false
		a.tidy()
	}
	return false, back
}

// tidy forgets the lanes without slots: the server has them again.
func (a *alone) tidy() {
	for name, l := range a.lanes {
		if len(l.slots) == 0 {
			delete(a.lanes, name)
		}
	}
}

// take reserves a start if the server is away, and if there is room.
func (a *alone) take(lane string, ask store.Ask) (grant store.Grant, ok bool) {
	if a == nil {
		return grant, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	if !a.away || now.After(a.until) {
		return grant, false
	}
	if ask.Gap <= 0 && ask.Slots <= 0 {
		return grant, true
	}
	gap := min(max(ask.Gap, 0), day) * time.Duration(min(a.share, 1000))
	l := a.lane(lane, now.Add(gap))
	if l == nil {
		return grant, false
	}
	return l.take(ask, now, gap, max(ask.Slots/a.share, 1)), true
}

// lane returns a lane, or nil if there are too many. The first start in a new one is
// late enough for what others may have done before.
func (a *alone) lane(name string, first time.Time) *lonely {
	if l := a.lanes[name]; l != nil {
		return l
	}
	if len(a.lanes) >= mostLonely {
		return nil
	}
	if a.lanes == nil {
		a.lanes = make(map[string]*lonely)
	}
	l := &lonely{next: first, slots: make(map[string]time.Time)}
	a.lanes[name] = l
	return l
}

func (l *lonely) take(ask store.Ask, now time.Time, gap time.Duration, slots int) store.Grant {
	at := now.Add(min(max(ask.NotBefore, 0), week))
	soonest := l.next
	if l.token == ask.Token {
		soonest = l.at
	}
	if ask.Gap > 0 && soonest.After(at) {
		at = soonest
	}
	slack := min(max(ask.Slack, 0), day)
	grant := store.Grant{Wait: at.Sub(now)}
	if ask.MaxWait > 0 && grant.Wait > ask.MaxWait {
		grant.Late = true
		return grant
	}
	if ask.Slots > 0 && grant.Wait <= slack {
		if grant.Slot = l.slot(ask, now, slots); !grant.Slot {
			grant.Busy = true
			return grant
		}
	}
	if ask.Gap > 0 {
		l.token, l.at, l.next = ask.Token, at, at.Add(slack+gap)
	}
	return grant
}

// slot takes a slot, and reports whether there was one.
func (l *lonely) slot(ask store.Ask, now time.Time, slots int) bool {
	for token, end := range l.slots {
		if token == ask.Token || !end.After(now) {
			delete(l.slots, token)
		}
	}
	if len(l.slots) >= slots {
		return false
	}
	l.slots[ask.Token] = now.Add(max(ask.Lease, 0))
	return true
}

func (a *alone) done(lane, token string) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	l := a.lanes[lane]
	if l == nil {
		return
	}
	if delete(l.slots, token); !a.away && len(l.slots) == 0 {
		delete(a.lanes, lane)
	}
}

// renew renews the slots that were taken alone. It returns the tokens of the others, by
// their lanes.
func (a *alone) renew(lease time.Duration, turns map[string]string) map[string][]string {
	others := make(map[string][]string)
	if a != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
	}
	now := time.Now()
	for token, lane := range turns {
		if a != nil && a.lanes[lane].renew(token, now, lease) {
			continue
		}
		others[lane] = append(others[lane], token)
	}
	return others
}

func (l *lonely) renew(token string, now time.Time, lease time.Duration) bool {
	if l == nil || !l.slots[token].After(now) {
		return false
	}
	l.slots[token] = now.Add(max(lease, 0))
	return true
}
