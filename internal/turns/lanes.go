package turns

import (
	"context"
	"crypto/rand"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/pace"
	"github.com/go-polite/polite/internal/send"
	"github.com/go-polite/polite/store"
)

// Lanes are all lanes of a Cache: in this process, and in store.Turns, if there is one.
// They are safe for concurrent use.
type Lanes struct {
	local   *pace.Pacer[Lane]
	turns   store.Turns // nil: the lanes are of this process alone
	watch   watch
	slack   slack
	leases  leases
	breaks  breaks
	overdue atomic.Uint64
	health  health
	peers   peers
	noticed func(key string) // is called for each notice that an entry was replaced; nil: for none
}

// New returns lanes that take about so many bytes. turns may be nil.
func New(bytes int64, turns store.Turns) *Lanes {
	l := &Lanes{local: pace.New(int(bytes/pace.LaneBytes), pace.Keys[Lane]{Own: Lane.own, Size: Lane.size, Name: Lane.Name, Hash: Lane.hash}), turns: turns}
	l.leases = leases{turns: turns, health: &l.health}
	l.watch = watch{turns: turns, health: &l.health, status: l.status, tell: l.hear, wake: l.local.Wake, busy: l.local.Busy, all: l.breaks.tellAgain, born: time.Now()}
	l.breaks.local, l.breaks.turns, l.breaks.generation = l.local, turns, l.watch.generation
	l.breaks.me = rand.Text()
	l.breaks.told = func() { l.health.count(Retold, nil) }
	return l
}

// OnNotice lets noticed be called with the key of each entry that was replaced in the
// store, and missed when such notices may have been missed. Call it before l is used.
func (l *Lanes) OnNotice(noticed func(key string), missed func()) {
	l.noticed, l.watch.miss = noticed, missed
}

// Bytes returns the memory that the lanes take, without what they take in any case.
func (l *Lanes) Bytes() int64 {
	return l.local.Bytes()
}

// Overdue returns how many requests were written too late for their turns.
func (l *Lanes) Overdue() uint64 { return l.overdue.Load() }

// CountOverdue counts a request that was written too late.
func (l *Lanes) CountOverdue() { l.overdue.Add(1) }

// StopWatching ends the listening to Turns, until the next request.
func (l *Lanes) StopWatching() { l.watch.stop() }

// BreakEnd returns when the break of a lane ends, or the zero time.
func (l *Lanes) BreakEnd(lane Lane) time.Time { return l.local.BreakEnd(lane) }

// InBreak reports whether a lane has a break now.
func (l *Lanes) InBreak(lane Lane) bool { return l.BreakEnd(lane).After(time.Now()) }

// Enter counts a request of a lane that takes no turn, until it is done.
func (l *Lanes) Enter(lane Lane) pace.Pass { return l.local.Enter(lane) }

// Recheck looks whether new rules forbid requests of a lane that are not written yet.
func (l *Lanes) Recheck(lane Lane) { l.local.Recheck(lane) }

// Guard returns a Guard for the requests of a lane that take no turn. stopped says why they
// must not be written.
func (l *Lanes) Guard(lane Lane, stopped func() error) *send.Guard {
	guard := &send.Guard{Stopped: stopped}
	if l.turns != nil {
		guard.Connected = func(took time.Duration) { l.local.Connected(lane, took) }
	}
	return guard
}

// knows reports whether all breaks of a lane are known.
func (l *Lanes) knows(lane Lane) bool {
	return l.turns == nil || l.watch.hears() && !l.local.Evicted(lane)
}

// Refresh asks Turns whether a lane has a break, unless all breaks are known. What was
// forgotten for lack of memory is not.
func (l *Lanes) Refresh(ctx context.Context, lane Lane, called Called) error {
	if l.knows(lane) {
		return nil
	}
	r := l.reservation(lane, called)
	grant, err := r.call(ctx, store.Ask{})
	if err == nil {
		l.breaks.keep(lane, grant.Wait)
	}
	return err
}

// hear is called for each change that Turns tells.
func (l *Lanes) hear(change store.Change) {
	if change.Profile != "" {
		l.health.differs(l.peers.hear(change.Profile))
	}
	if change.Key != "" && l.noticed != nil {
		l.noticed(change.Key)
	}
	if lane, ok := laneNamed(change.Lane); ok {
		l.breaks.keep(lane, change.Break)
		l.breaks.learn(lane, change.Lesson)
	}
}

// next returns when the next start in a lane with that gap comes, if Turns knows. It is
// zero if the start can be now. next reserves nothing for long.
func (l *Lanes) next(ctx context.Context, lane Lane, gap time.Duration, called Called) (start time.Time) {
	if l.turns == nil {
		return start
	}
	r := l.reservation(lane, called)
	r.token = rand.Text()
	grant, err := r.call(ctx, store.Ask{Token: r.token, Gap: gap, MaxWait: 1})
	if err == nil && !grant.Late && gap > 0 {
		done, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
		defer cancel()
		l.turns.Done(done, r.lane, r.token, true)
	}
	if err == nil && grant.Wait > 0 {
		start = time.Now().Add(grant.Wait)
	}
	return start
}

// reservation returns a reservation in a lane that reserves nothing yet.
func (l *Lanes) reservation(lane Lane, called Called) reservation {
	if l.turns == nil {
		return reservation{}
	}
	return reservation{turns: l.turns, slack: &l.slack, leases: &l.leases, watch: &l.watch, called: called, lane: lane.Name()}
}

// Health returns how this process fares with Turns.
func (l *Lanes) Health() Health {
	h := l.health.get()
	h.Slack, h.Lead, h.Overdue = l.slack.now(), l.local.Lead(), l.overdue.Load()
	if at, silent := l.watch.silent(); h.Hears && silent {
		h.Hears, h.Since, h.Err = false, at, errSilent
	}
	return h
}

// status returns what others are told of this process.
func (l *Lanes) status() store.Status {
	h := l.Health()
	return store.Status{Profile: l.peers.profile(), Health: h.text()}
}
