package polite

import (
	"context"
	"crypto/rand"
	"math"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/pace"
	"github.com/go-polite/polite/store"
)

// A shared is the lanes of this process, as far as Turns keeps them, too.
type shared struct {
	turns store.Turns // nil: they are of this process alone
	lanes *pace.Pacer[laneKey]
	watch watch
	slack slack

	replaced func(key string) // is told of a record; nil: nobody is
	slots    leases
}

func (s *shared) use(turns store.Turns, lanes *pace.Pacer[laneKey]) {
	s.turns, s.lanes, s.slots.turns = turns, lanes, turns
	s.watch = watch{turns: turns, tell: s.hear, wake: lanes.Wake, born: time.Now()}
}

// heed asks Turns whether there is a break, unless all breaks are known.
func (s *shared) heed(ctx context.Context, lane laneKey, told told) error {
	if s.watch.hears() {
		return nil
	}
	r := s.reservation(lane, told)
	grant, err := r.call(ctx, store.Ask{})
	if err == nil {
		s.rest(lane, grant.Wait)
	}
	return err
}

// hear is told of a break, or of a record.
func (s *shared) hear(change store.Change) {
	if change.Key != "" && s.replaced != nil {
		s.replaced(change.Key)
	}
	if lane, ok := laneNamed(change.Lane); ok {
		s.rest(lane, change.Break)
	}
}

// rest keeps a break that Turns knows. It tells nobody: the first request that waits does.
func (s *shared) rest(lane laneKey, left time.Duration) {
	if left > 0 {
		s.lanes.Break(lane, time.Now().Add(min(left, fetch.MaxRetryAfter)), math.MaxInt64)
	}
}

// hold begins a break here. It reports whether someone should be told of a long wait.
func (s *shared) hold(lane laneKey, until time.Time, told told) (tell bool) {
	tell = s.lanes.Break(lane, until, longWait)
	if s.turns == nil {
		return tell
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	began := time.Now()
	told.called(ctx, "break", began, s.turns.Break(ctx, lane.name(), time.Until(until)))
	return tell
}

// next returns when the next turn of a lane with that gap comes as far as Turns knows. It is
// zero if the turn can come now. next reserves nothing for long.
func (s *shared) next(ctx context.Context, lane laneKey, gap time.Duration, told told) (turn time.Time) {
	if s.turns == nil {
		return turn
	}
	r := s.reservation(lane, told)
	r.token = rand.Text()
	grant, err := r.call(ctx, store.Ask{Token: r.token, Gap: gap, MaxWait: 1})
	if err == nil && !grant.Late && gap > 0 {
		r.turns.Done(ctx, r.lane, r.token, true)
	}
	if err == nil && grant.Wait > 0 {
		turn = time.Now().Add(grant.Wait)
	}
	return turn
}

// reservation returns a reservation in a lane that reserves nothing yet.
func (s *shared) reservation(lane laneKey, told told) reservation {
	if s.turns == nil {
		return reservation{}
	}
	return reservation{turns: s.turns, slack: &s.slack, leases: &s.slots, lost: &s.watch.lost, told: told, lane: lane.name()}
}
