package turns

import (
	"net/http"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/quota"
)

// A Rehearsal knows when requests that do not wait would have had their turns, if all before them had
// waited. It keeps no turn in any lane. The zero Rehearsal is ready, and safe for concurrent use.
type Rehearsal struct {
	mu    sync.Mutex
	lanes map[fleet.Key]rehearsed
}

// rehearsed is what a Rehearsal knows of a lane.
type rehearsed struct {
	next        time.Time // the next turn
	from, until time.Time // of the last break
}

// turn returns the turn of a request that came at a time. A break that began later does not hold this
// request up.
func (l rehearsed) turn(came time.Time) time.Time {
	if l.from.After(came) {
		return l.next
	}
	return clock.Later(l.next, l.until)
}

// mostRehearsed is the number of lanes that a Rehearsal remembers.
const mostRehearsed = 10_000

// Turn returns when a request that came at a time, and is judged by v, would have had its turn. It is not
// before now. If the site asks for too long a crawl-delay, the error is when to ask again.
func (r *Rehearsal) Turn(t *Taker, to *Site, v *judge.Verdict, came time.Time) (turn time.Time, err error) {
	terms, err := t.terms(to, v)
	if err != nil {
		return turn, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	turn = clock.Later(time.Now(), r.lanes[to.Lane].turn(came))
	if to.Group != nil {
		turn = clock.Later(turn, r.lanes[to.Group.Lane].turn(came))
		r.keep(to.Group.Lane, func(l *rehearsed) { l.next = turn.Add(to.Group.Gap()) })
	}
	r.keep(to.Lane, func(l *rehearsed) { l.next = turn.Add(terms.Gap) })
	return turn, nil
}

// Heard notes a break for which the answer to a request asks.
func (r *Rehearsal) Heard(to *Site, resp *http.Response) {
	if resp == nil {
		return
	}
	now := time.Now()
	if wait := to.Pace.RetryAfter(quota.Read(resp.StatusCode, resp.Header, now).Break); wait > 0 {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.keep(to.Lane, func(l *rehearsed) { l.from, l.until = now, clock.Later(now.Add(wait), l.until) })
	}
}

// keep changes what is known of a lane. If there are too many lanes, it forgets those whose turns are
// over. If many are left, it forgets all.
func (r *Rehearsal) keep(key fleet.Key, change func(*rehearsed)) {
	if r.lanes == nil {
		r.lanes = make(map[fleet.Key]rehearsed)
	}
	lane := r.lanes[key]
	change(&lane)
	if r.lanes[key] = lane; len(r.lanes) <= mostRehearsed {
		return
	}
	now := time.Now()
	for other, l := range r.lanes {
		if !l.turn(now).After(now) {
			delete(r.lanes, other)
		}
	}
	if len(r.lanes) > mostRehearsed/2 {
		clear(r.lanes)
	}
}

// Late returns the error for a request whose turn would have come at turn.
func Late(turn time.Time) *lane.LateError {
	return &lane.LateError{Turn: turn, Why: "it would have waited for its turn"}
}
