package turns

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/pace"
	"github.com/go-polite/polite/store"
)

const (
	// callTimeout is the longest time that polite waits for Turns.
	callTimeout = 5 * time.Second

	// longest is longer than any time that Turns tells and that is of use.
	longest = 10 * 365 * 24 * time.Hour
)

// A Called is called after a call of a store that began at some time.
type Called func(ctx context.Context, call string, began time.Time, err error)

// A reservation is what the first request of a lane reserves in Turns: a start, and a
// slot if it needs one.
type reservation struct {
	turns         store.Turns
	slack         *slack
	leases        *leases
	lost          *atomic.Int64 // changes when Turns may have lost what was reserved
	called        Called
	lane          string
	token         string // "" until something is reserved
	wish          pace.Wish
	reservedSlack time.Duration // the slack of what is reserved; 0 if nothing is
	taken         time.Time     // when the slot was taken, at the earliest; zero if none is
	placed        bool          // the place has a window
	lostThen      int64         // lost, when something was reserved last
	busy          int           // how often all slots were taken
	ready         bool          // the connection is
}

// take reserves what place needs. If this is not possible yet, it says when to retry. The
// error is a *pace.LateError if the start would come too late, or if nobody knows when it
// comes.
func (r *reservation) take(ctx context.Context, place *pace.Place) error {
	if r.wish = place.Wish(); r.placed && r.lost.Load() == r.lostThen { // the window was of no use
		r.reservedSlack = 0
	}
	r.placed = false
	window, wait, err := r.reserve(ctx)
	if late, ok := err.(*pace.LateError); ok {
		late.Turn = place.Promise(late.Turn)
	}
	switch {
	case err != nil:
		return err
	case wait > 0:
		place.Retry(time.Now().Add(wait))
	default:
		place.Reserve(window)
		r.placed = true
	}
	return nil
}

// reserve reserves a start, and a slot if one is needed. If not both can be had yet, it
// returns when to try again.
//
// The window begins with the wait counted from after the call, and ends with the wait
// counted from before it. So it is within the time that is reserved, whenever Turns has
// looked at its clock.
func (r *reservation) reserve(ctx context.Context) (window pace.Window, wait time.Duration, err error) {
	if r.token == "" {
		r.token = rand.Text()
	}
	lost, before := r.lost.Load(), time.Now()
	r.lostThen = lost
	ask := r.ask(before)
	grant, err := r.call(ctx, ask)
	after := time.Now()
	if grant.Slot && err == nil {
		r.taken = before
	}
	switch {
	case err != nil:
		return window, 0, err
	case grant.Late, ask.MaxWait > 0 && grant.Wait > ask.MaxWait:
		why := fmt.Sprintf("the request can only wait for %v", ask.MaxWait)
		return window, 0, &pace.LateError{Turn: before.Add(grant.Wait), Why: why}
	case grant.Busy, ask.Slots > 0 && !grant.Slot && grant.Wait <= ask.Slack:
		r.busy++
		return window, firstLook << min(r.busy, 4), nil
	case ask.Slots > 0 && !grant.Slot:
		return window, grant.Wait - ask.Slack*3/4, nil // soon enough for another call
	}
	window = pace.Window{From: after.Add(grant.Wait), Until: before.Add(grant.Wait + ask.Slack)}
	if ask.Gap == 0 { // nobody waits for a time after this start
		window.Until = before.Add(slotLease / 2)
	}
	window.Void = func() bool { return r.lost.Load() != lost }
	return window, 0, nil
}

// firstLook is when to look first whether a slot is free again.
const firstLook = 5 * time.Millisecond

func (r *reservation) ask(now time.Time) store.Ask {
	if !r.slack.covers(r.reservedSlack) {
		r.reservedSlack = r.slack.now()
	}
	ask := store.Ask{
		Token: r.token, Gap: r.wish.Gap, Slots: r.wish.Slots, Lease: slotLease, Slack: r.reservedSlack,
		NotBefore: max(r.wish.From.Sub(now), 0),
	}
	if !r.wish.Limit.IsZero() {
		ask.MaxWait = max(r.wish.Limit.Sub(now), 1)
	}
	return ask
}

func (r *reservation) call(ctx context.Context, ask store.Ask) (store.Grant, error) {
	asking, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	began := time.Now()
	grant, err := r.turns.Take(asking, r.lane, ask)
	r.called(ctx, "take", began, err)
	switch {
	case err == nil:
		r.slack.learn(time.Since(began)) // an outage says nothing of the calls after it
		grant.Wait = min(max(grant.Wait, ask.NotBefore), longest)
		return grant, nil
	case ctx.Err() != nil:
		return grant, context.Cause(ctx)
	default:
		return grant, &pace.LateError{Turn: time.Now().Add(tryTurnsAgain), Why: "its turn could not be reserved", Err: err}
	}
}

// tryTurnsAgain is when a request may try again after Turns has failed.
const tryTurnsAgain = time.Second

// hand hands what is reserved to a turn that begins.
func (r *reservation) hand(turn *pace.Turn) {
	if r.token == "" {
		return
	}
	own := *r
	turn.Reserved(own.again, own.finish)
	if !own.taken.IsZero() {
		own.leases.add(own.token, own.lane, own.taken, turn.Lose)
	}
	r.token = ""
}

// again reserves another start for a request whose connection is ready too late. If the
// connection was there already when the last start was reserved, the slack was too small. If
// not, the site connects slowly, and this says nothing of other sites.
func (r *reservation) again(ctx context.Context) (pace.Window, error) {
	if r.ready {
		r.slack.late()
	}
	r.ready, r.reservedSlack, r.wish.From = true, 0, time.Time{}
	r.wish.Limit, _ = ctx.Deadline()
	for {
		window, wait, err := r.reserve(ctx)
		if err != nil || wait == 0 {
			return window, err
		}
		if err := clock.Pause(ctx, wait); err != nil {
			return window, err
		}
	}
}

// giveBack gives back what is reserved and was not used.
func (r *reservation) giveBack() { r.finish(true) }

// finish ends what is reserved. It does not wait for this. If it fails, a turn is lost or
// a slot is free when its lease ends, and no harm is done.
func (r *reservation) finish(unused bool) {
	if r.token == "" || r.taken.IsZero() && !unused {
		return
	}
	r.leases.end(r.token)
	turns, lane, token, called := r.turns, r.lane, r.token, r.called
	go func() {
		defer func() { recover() }()
		ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
		defer cancel()
		began := time.Now()
		called(ctx, "done", began, turns.Done(ctx, lane, token, unused))
	}()
}
