package turns

import (
	"context"
	"crypto/rand"
	"math"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/fetch"
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
	overdue atomic.Uint64
	noticed func(key string) // is called for each notice that an entry was replaced; nil: for none
}

// New returns lanes that take about so many bytes. turns may be nil.
func New(bytes int64, turns store.Turns) *Lanes {
	l := &Lanes{local: pace.New(int(bytes/pace.LaneBytes), pace.Keys[Lane]{Own: Lane.own, Size: Lane.size, Name: Lane.Name, Hash: Lane.hash}), turns: turns, leases: leases{turns: turns}}
	l.watch = watch{turns: turns, tell: l.hear, wake: l.local.Wake, busy: l.local.Busy, born: time.Now()}
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

// longWait is how long a wait is that Hooks.Long reports.
const longWait = time.Minute

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
		l.keepBreak(lane, grant.Wait)
	}
	return err
}

// hear is called for each change that Turns tells.
func (l *Lanes) hear(change store.Change) {
	if change.Key != "" && l.noticed != nil {
		l.noticed(change.Key)
	}
	if lane, ok := laneNamed(change.Lane); ok {
		l.keepBreak(lane, change.Break)
	}
}

// keepBreak keeps a break that Turns knows. It calls no hook: the first request that waits
// does.
func (l *Lanes) keepBreak(lane Lane, left time.Duration) {
	if left > 0 {
		l.local.Break(lane, time.Now().Add(min(left, fetch.MaxRetryAfter)), math.MaxInt64)
	}
}

// beginBreak begins a break here, and tells Turns. It reports whether this makes requests wait
// for long.
func (l *Lanes) beginBreak(lane Lane, until time.Time, called Called) (tell bool) {
	tell = l.local.Break(lane, until, longWait)
	if l.turns == nil {
		return tell
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	began := time.Now()
	called(ctx, "break", began, l.turns.Break(ctx, lane.Name(), time.Until(until)))
	return tell
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
