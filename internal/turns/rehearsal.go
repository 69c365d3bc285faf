package turns

import (
	"net/http"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/quota"
)

// A Rehearsal knows when requests that do not wait would have had their turns, if all before them had
// waited. It keeps no turn in any lane. The zero Rehearsal is ready, and safe for concurrent use.
type Rehearsal struct {
	mu    sync.Mutex
	turns map[fleet.Key]time.Time // the next turn of a lane
}

// mostRehearsed is of how many lanes a Rehearsal knows the turns.
const mostRehearsed = 10_000

// Turn returns when a request judged by v would have had its turn. It is not before now. If the site asks
// for too long a crawl-delay, the error is when to ask again.
func (r *Rehearsal) Turn(t *Taker, to *Site, v *judge.Verdict) (turn time.Time, err error) {
	terms, err := t.terms(to, v)
	if err != nil {
		return turn, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	turn = later(time.Now(), r.turns[to.Lane])
	if to.Group != nil {
		turn = later(turn, r.turns[to.Group.Lane])
		r.keep(to.Group.Lane, turn.Add(to.Group.Gap()))
	}
	r.keep(to.Lane, turn.Add(terms.Gap))
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
		r.keep(to.Lane, later(now.Add(wait), r.turns[to.Lane]))
	}
}

// keep notes the next turn of a lane. If there are too many, the lanes whose turns are over are forgotten,
// or all.
func (r *Rehearsal) keep(key fleet.Key, turn time.Time) {
	if r.turns == nil {
		r.turns = make(map[fleet.Key]time.Time)
	}
	if r.turns[key] = turn; len(r.turns) <= mostRehearsed {
		return
	}
	now := time.Now()
	for other, at := range r.turns {
		if !at.After(now) {
			delete(r.turns, other)
		}
	}
	if len(r.turns) > mostRehearsed/2 {
		clear(r.turns)
	}
}

// Late returns the error that a request would have got, or what it is told of one whose turn would have
// come then.
func Late(turn time.Time) *lane.LateError {
	return &lane.LateError{Turn: turn, Why: "it would have waited for its turn"}
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
