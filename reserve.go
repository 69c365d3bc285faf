package polite

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/pace"
)

// A reservation is the start that the first request of a queue reserves in Turns. It
// names one reservation at most.
type reservation struct {
	turns Turns
	slack *slack
	lane  string
	token string // "" until something is reserved
	gap   time.Duration
}

// take reserves the start of place. The error is a *pace.LateError if this start would
// come too late, or if nobody knows when it comes.
func (r *reservation) take(ctx context.Context, place *pace.Place) error {
	gap, from, limit := place.Ask()
	r.gap = gap
	window, err := r.reserve(ctx, from, limit)
	if err == nil {
		place.Reserve(window)
	}
	return err
}

// reserve reserves a start. The window begins with the wait counted from after the call,
// and ends with the wait counted from before it. So it is within the time that is
// reserved, whenever Turns has looked at its clock.
func (r *reservation) reserve(ctx context.Context, from, limit time.Time) (pace.Window, error) {
	if r.token == "" {
		r.token = rand.Text()
	}
	before := time.Now()
	ask := Ask{Token: r.token, Gap: r.gap, Slack: r.slack.now(), NotBefore: max(from.Sub(before), 0)}
	if !limit.IsZero() {
		ask.MaxWait = max(limit.Sub(before), 1)
	}
	grant, err := r.call(ctx, ask)
	after := time.Now()
	r.slack.learn(after.Sub(before))
	switch {
	case err != nil:
		return pace.Window{}, err
	case grant.Late, ask.MaxWait > 0 && grant.Wait > ask.MaxWait:
		why := fmt.Sprintf("the request can only wait for %v", ask.MaxWait)
		return pace.Window{}, &pace.LateError{Turn: before.Add(grant.Wait), Why: why}
	}
	return pace.Window{From: after.Add(grant.Wait), Until: before.Add(grant.Wait + ask.Slack)}, nil
}

func (r *reservation) call(ctx context.Context, ask Ask) (Grant, error) {
	asking, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	grant, err := r.turns.Take(asking, r.lane, ask)
	switch {
	case err == nil:
		grant.Wait = min(max(grant.Wait, ask.NotBefore), longAge)
		return grant, nil
	case ctx.Err() != nil:
		return grant, context.Cause(ctx)
	default:
		return grant, &pace.LateError{Turn: time.Now().Add(tryTurnsAgain), Why: "its turn could not be reserved", Err: err}
	}
}

// longWait is a wait of which the Logger is told.
const longWait = time.Minute

// tryTurnsAgain is when a request may try again after Turns has failed.
const tryTurnsAgain = time.Second

// hand hands the reservation to a turn that begins in its window.
func (r *reservation) hand(turn *pace.Turn) {
	if r.token == "" {
		return
	}
	own := *r
	turn.Reserved(own.again, own.giveBack)
	r.token = ""
}

// again reserves another start for a request whose connection is ready too late.
func (r *reservation) again(ctx context.Context) (pace.Window, error) {
	r.slack.late()
	limit, _ := ctx.Deadline()
	return r.reserve(ctx, time.Time{}, limit)
}

// giveBack gives back a start that was not used. It does not wait for this. If it fails, a
// turn is lost, and no harm is done.
func (r *reservation) giveBack() {
	if r.token == "" {
		return
	}
	turns, lane, token := r.turns, r.lane, r.token
	go func() {
		defer func() { recover() }()
		ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
		defer cancel()
		turns.Done(ctx, lane, token)
	}()
}

// A slack says how much later than reserved a start may be. It must be longer than a call
// of Turns takes. It grows when calls take long, and when a start was too late.
type slack struct {
	mu    sync.Mutex
	often time.Duration // what calls take, at most, of late
	least time.Duration
}

const (
	leastSlack = 5 * time.Millisecond
	mostSlack  = 10 * time.Second
)

func (s *slack) now() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(max(leastSlack, 2*s.often, s.least), mostSlack)
}

// learn notes how long a call took.
func (s *slack) learn(took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.often = max(took, s.often-s.often/16)
	s.least -= s.least / 64
}

// late notes that a start was too late.
func (s *slack) late() {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.least = min(2*now, mostSlack)
}
