package ask

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/claims"
	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/fleet"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/turns"
)

// An inquiry finds out what is known of one site: in memory, in the Store, and at the site.
type inquiry struct {
	asker    *Asker
	to       *turns.Site
	last     *answers.Known // what was known before
	found    *claims.Found  // the newest entry of the Store
	brought  *answers.Known // what this inquiry has brought; nil if nothing
	alone    bool           // do not go by the Store: it fails, or there is none
	outdated bool           // a change notice says that last is out of date
	seen     int64          // the count of notices when the Store was asked last
	fetched  *Fetch         // from the site; nil if nothing was
	until    time.Time      // when the right to fetch ends; zero if it does not
	stopped  atomic.Bool    // a break has ended the fetch
}

// find takes what is known from another flight that has landed since, from the Store, or
// from the site.
func (q *inquiry) find(ctx context.Context) (*answers.Known, error) {
	q.asker.Desk.flights.asking(ctx, true)
	m := q.asker.Memory
	now := m.Now()
	q.outdated = q.last != nil && m.Outdated(q.last)
	if !q.outdated && !q.due(ctx, q.last, now) {
		return q.last, nil
	}
	if k := q.look(ctx); k != nil {
		return q.recall(k), nil
	}
	if q.outdated && !q.shouldAsk(ctx) {
		return q.last, nil
	}
	for n := 0; ; n++ {
		q.alone = q.alone || n == maxPolls
		k, wait, err := q.claimAndFetch(ctx)
		if k != nil || err != nil {
			return k, err
		}
		if err := clock.Pause(ctx, min(wait, firstPoll<<min(n, 5))); err != nil {
			return nil, err
		}
	}
}

const (
	// firstPoll is when polite looks first whether another process has fetched
	// robots.txt.
	firstPoll = 25 * time.Millisecond

	// maxPolls is how often polite looks before it asks the site all the same: for a
	// quarter of an hour.
	maxPolls = 1000
)

// read returns what k means to this Asker, or nil if it has to ask itself.
func (q *inquiry) read(ctx context.Context, k *answers.Known) *answers.Known {
	return q.asker.Memory.Read(ctx, q.to.Origin, k)
}

// due reports whether it is time to ask again, where k is known.
func (q *inquiry) due(ctx context.Context, k *answers.Known, now int64) bool {
	k = q.read(ctx, k)
	return k == nil || k.Due(now, q.asker.Memory.MaxAge)
}

// expired reports whether nothing in k can be used any more.
func (q *inquiry) expired(ctx context.Context, k *answers.Known, now int64) bool {
	k = q.read(ctx, k)
	return k == nil || k.State(now, q.asker.Memory.MaxAge) == known.Expired
}

// look looks for an entry to go by. It returns nil if there is none.
func (q *inquiry) look(ctx context.Context) *answers.Known {
	c := q.claim(ctx, "", 0)
	q.found, q.alone = c.Found, c.Alone
	k := q.weigh(ctx, q.asker.recalled(q.found, q.to))
	if k == nil && q.outdated {
		q.confirm(ctx)
	}
	return k
}

// claim asks the Store.
func (q *inquiry) claim(ctx context.Context, seen string, fetch time.Duration) claims.Claim {
	q.seen = q.asker.Memory.Notices()
	return q.asker.claims.Claim(ctx, q.key(), seen, fetch)
}

// key returns the key of the site's entry.
func (q *inquiry) key() string { return entry.Key(q.asker.Agent, q.to.Origin) }

// confirm notes that the Store has nothing newer than what was known, or that it fails.
func (q *inquiry) confirm(ctx context.Context) {
	switch {
	case !q.alone:
		q.last.Confirm(q.seen)
	case ctx.Err() == nil:
		q.last.Doubt(q.asker.Memory.Now())
	}
}

// shouldAsk reports whether the site should be asked, also if there were no change notice.
func (q *inquiry) shouldAsk(ctx context.Context) bool {
	now, most, last := q.asker.Memory.Now(), q.asker.Memory.MaxAge, q.read(ctx, q.last)
	return last == nil || last.Due(now, most) && (!last.UpToDate(now, most) || last.Pressing(now, 0, most))
}

// claimAndFetch fetches robots.txt once there is capacity for the fetch. If another
// process fetches it, claimAndFetch gives the capacity back, and returns for how long to
// wait at most.
func (q *inquiry) claimAndFetch(ctx context.Context) (k *answers.Known, wait time.Duration, err error) {
	a := q.asker
	a.Desk.flights.asking(ctx, false)
	way := a.Taker.WayOfRobots(q.to, false)
	defer way.Leave()
	if err := way.First(ctx); err != nil { // without capacity, which others need
		return nil, 0, err
	}
	leave, err := a.Desk.capacity.take(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	if ctx.Err() != nil {
		return nil, 0, context.Cause(ctx)
	}
	a.Desk.flights.asking(ctx, true)
	lanes := a.Taker.Lanes
	lanes.Refresh(ctx, q.to.Lane, a.Hooks.Called) // if Turns fails, this process asks by what it knows
	if until := lanes.BreakEnd(q.to.Lane); !q.waitOutBreak(ctx, until, way) {
		return q.knownInBreak(until), 0, nil
	}
	c, k := q.claimUnlessNewer(ctx)
	switch {
	case k != nil:
		return q.recall(k), 0, nil
	case c.Wait > 0:
		return nil, c.Wait, nil
	case lanes.InBreak(q.to.Lane): // it has begun meanwhile
		q.giveBack(ctx, c)
		return nil, firstPoll, nil
	}
	if c.Token != "" {
		a.Desk.flights.claimed(ctx)
	}
	return q.fetchInTurn(ctx, c, way)
}

// fetchInTurn is fetch, once the turn above has come. If the claim has ended by then, it looks and claims again, and
// does not lose the turn.
func (q *inquiry) fetchInTurn(ctx context.Context, c claims.Claim, way *fleet.Way) (k *answers.Known, wait time.Duration, err error) {
	ticket, err := way.Take(ctx)
	if err != nil {
		q.giveBack(ctx, c)
		return nil, 0, err
	}
	defer ticket.Done()
	if q.until = c.Until; ticket != nil && q.isLate() {
		if c, k = q.claimUnlessNewer(ctx); k != nil {
			return q.recall(k), 0, nil
		}
		if c.Wait > 0 {
			return nil, c.Wait, nil
		}
		q.until = c.Until
	}
	k, err = q.fetch(ctx, c, ticket)
	return k, 0, err
}

// waitOutBreak waits until a break is over, and reports whether it is over. It does not wait
// for a long break. Others may have their turns above meanwhile.
func (q *inquiry) waitOutBreak(ctx context.Context, until time.Time, way *fleet.Way) bool {
	wait := time.Until(until)
	if wait > 0 {
		way.Leave()
	}
	return wait <= q.asker.Memory.Timeout && clock.Pause(ctx, wait) == nil
}

// knownInBreak returns what is known until a break is over: polite does not ask in it. This is
// not kept. A break is no outage, in which rules apply that are older than a day.
func (q *inquiry) knownInBreak(until time.Time) *answers.Known {
	now := q.asker.Memory.Now()
	k := answers.Failed(q.last, fetch.Answer{}, q.asker.InBreak(until), now)
	k.Failure.Next = now + int64(time.Until(until))
	return k
}

// fetch asks the site in its turn above, and keeps what is known then. It returns nil if the Store is to be asked
// once more.
func (q *inquiry) fetch(ctx context.Context, c claims.Claim, above *lane.Ticket) (*answers.Known, error) {
	a := q.asker
	basis, began := q.basis(c), time.Now()
	admission := a.Taker.Lanes.Enter(q.to.Lane)
	defer admission.Done()
	answer, err := a.client.Fetch(a.Mark(ctx), q.to.Origin, basis.Validators(), fetch.Visit{Guard: a.Taker.GuardRobots(q.to, above, q.halt)})
	if errors.Is(context.Cause(ctx), errNobodyWaits) {
		q.giveBack(ctx, c)
		return nil, errNobodyWaits
	}
	if err != nil && q.stopped.Load() {
		q.giveBack(ctx, c)
		return q.knownInBreak(a.Taker.Lanes.BreakEnd(q.to.Lane)), nil
	}
	if err != nil && q.isLate() {
		return nil, nil // another may have fetched it
	}
	if err != nil && err.Error() == io.EOF.Error() {
		err = errNoAnswer
	}
	answer.RetryAfter = q.to.Pace.RetryAfter(answer.RetryAfter)
	now := a.Memory.Now()
	k := answers.Failed(q.last, answer, err, now)
	if isClear(answer, err) {
		k = answers.Answered(basis, answer, err, a.Agents, now)
	}
	own := a.Memory.ReadOwn(ctx, q.to.Origin, k)
	a.Memory.Fetched(k, answer.Unchanged)
	q.put(ctx, c, k, answer, err, now)
	if answer.Status > 0 {
		admission.Closes(answer.Closes)
	}
	if answeredItself(q.to.Origin, answer) {
		a.Taker.Learn(q.to, answer.Status, answer.RetryAfter)
	}
	q.keep(k, now) // last: nobody goes by an answer before the break that it asks for is kept
	q.fetched = &Fetch{answer, err, time.Since(began), k.Tries(), a.Memory.Next(own)}
	return k, nil
}

// errNoAnswer says what happened where net/http says no more than "EOF".
var errNoAnswer = fmt.Errorf("the server closed the connection without an answer: %w", io.EOF)

// isLate reports whether the right to fetch has ended: this process stood still.
func (q *inquiry) isLate() bool { return !q.until.IsZero() && time.Now().After(q.until) }

// halt returns an error, which ends the fetch, if the right to fetch has ended, or if the site has asked for a
// break.
func (q *inquiry) halt() error {
	if q.isLate() {
		return context.DeadlineExceeded
	}
	until := q.asker.Taker.Lanes.BreakEnd(q.to.Lane)
	if !until.After(time.Now()) {
		return nil
	}
	q.stopped.Store(true)
	return q.asker.InBreak(until)
}

// recall keeps k, which comes from the Store, in memory.
func (q *inquiry) recall(k *answers.Known) *answers.Known {
	q.asker.Memory.Recalled()
	q.keep(k, q.found.At)
	return k
}

// keep keeps k in memory. It is new to this process, and its entry was put at a time.
func (q *inquiry) keep(k *answers.Known, put int64) {
	m := q.asker.Memory
	if q.asker.Desk.store != nil {
		seen := q.seen
		if m.Now()-put <= int64(known.Exact) { // notices since then are of this entry
			seen = m.Notices()
		}
		k.Stored(put, seen)
	}
	m.Keep(q.to.Origin, k)
	q.asker.Taker.Lanes.Recheck(q.to.Lane)
	q.brought = k
}

// maxFinds is how many entries polite looks at before it asks a site all the same.
const maxFinds = 8

// claimUnlessNewer claims the right to fetch, unless there is a newer entry to go by.
func (q *inquiry) claimUnlessNewer(ctx context.Context) (c claims.Claim, k *answers.Known) {
	for range maxFinds {
		if q.alone {
			break
		}
		c = q.claim(ctx, q.found.Seen(), q.asker.Memory.Timeout)
		if c.Found == nil {
			return c, nil
		}
		q.found = c.Found
		if k := q.weigh(ctx, q.asker.recalled(q.found, q.to)); k != nil {
			return c, k
		}
	}
	return claims.Claim{}, nil
}

// weigh weighs k against what was known before. It returns k, with the last good copy, if
// it is of use to the requests that wait, else nil.
func (q *inquiry) weigh(ctx context.Context, k *answers.Known) *answers.Known {
	now := q.asker.Memory.Now()
	switch {
	case k == nil:
		return nil
	case q.last == nil:
		q.last = k // it may be the last good copy
	case q.last.AnsweredAfter(&k.Facts):
		return nil
	case !q.expired(ctx, q.last, now) && !q.better(ctx, k, now):
		return nil
	}
	if k = k.With(q.last, now); q.expired(ctx, k, now) {
		return nil
	}
	return k
}

// better reports whether k is better than q.last, which can still be used: q.last is due
// and k is not, or a change notice announced k and k is newer.
func (q *inquiry) better(ctx context.Context, k *answers.Known, now int64) bool {
	if q.outdated && k.Newer(&q.last.Facts) {
		return true
	}
	return q.due(ctx, q.last, now) && !q.due(ctx, k, now)
}

// basis returns the copy that the site is asked to confirm. If there is a Store, the text
// of the copy must be there, since it is needed for the next entry. basis also lets
// q.last be the newest copy.
func (q *inquiry) basis(c claims.Claim) *answers.Known {
	if c.Token == "" {
		return q.last
	}
	kept := q.asker.recalled(q.found, q.to)
	if kept != nil {
		q.last = answers.Newest(q.last, kept, q.asker.Memory.Now())
	}
	return kept
}

// put keeps k, which an answer has brought, in the Store.
func (q *inquiry) put(ctx context.Context, c claims.Claim, k *answers.Known, answer fetch.Answer, err error, now int64) {
	if c.Token != "" {
		q.asker.claims.Put(ctx, q.key(), c.Token, entryOf(k, answer, err, q.found, now), keepFor(k))
	}
}

// giveBack lets others fetch.
func (q *inquiry) giveBack(ctx context.Context, c claims.Claim) {
	if c.Token != "" {
		q.asker.claims.Put(ctx, q.key(), c.Token, nil, 0)
	}
}

// recalled returns what an entry of the Store tells, or nil if it says nothing that can be
// relied on.
func (a *Asker) recalled(f *claims.Found, to *turns.Site) *answers.Known {
	if f == nil || f.Entry == nil {
		return nil
	}
	var facts known.Facts
	var file *answers.File
	var answer fetch.Answer
	var err error
	if came := f.Answer; came != nil {
		answer, err = fetch.Answer{Status: came.Status, Hops: came.Hops, Beyond: came.Beyond, Validators: came.Validators}, came.Err()
		if !isClear(answer, err) {
			return nil
		}
		if err == nil && came.Status/100 == 2 {
			file = answers.NewFile(came.Body, a.Agents)
		}
		facts = known.Answered(came.Status, file != nil, came.MaxAge, f.At-int64(came.Since))
	}
	if failed := f.Failure; failed != nil {
		facts = facts.Failing(failureOf(failed, f.At), to.Pace.RetryAfter(failed.RetryAfter), f.At)
	}
	if f.Doubtful {
		facts = facts.Doubted(a.Memory.Now())
	}
	return answers.Recalled(facts, file, answer, err)
}

// failureOf returns the tries in an entry that was put at a time.
func failureOf(failed *entry.Failure, at int64) *known.Failure {
	f := &known.Failure{
		Since: at - int64(failed.Since), Tries: failed.Tries, Status: failed.Status, Hops: failed.Hops, Beyond: failed.Beyond, TimedOut: failed.TimedOut,
	}
	if failed.Err != "" {
		f.Err = errors.New(failed.Err)
	}
	return f
}

// entryOf returns the stored entry for k, which an answer has brought. before is the
// entry before, or nil. If there is no new answer, the last one stays, as old as it is.
func entryOf(k *answers.Known, answer fetch.Answer, err error, before *claims.Found, now int64) *entry.Entry {
	e := new(entry.Entry)
	if f := k.Failure; f != nil {
		failure := entry.Failure{
			Since: time.Duration(now - f.Since), Tries: f.Tries, Status: f.Status, Hops: f.Hops, Beyond: f.Beyond, TimedOut: f.TimedOut, RetryAfter: answer.RetryAfter,
		}
		if f.Err != nil {
			failure.Err = f.Err.Error()
		}
		e.Failure = &failure
		if last := before.Kept(); last != nil && last.Answer != nil && k.Status != 0 {
			kept := *last.Answer
			kept.Since += time.Duration(now - before.At)
			e.Answer = &kept
		}
		return e
	}
	came := entry.Answer{
		Status: answer.Status, Hops: answer.Hops, Beyond: answer.Beyond, TooManyRedirects: err != nil, MaxAge: answer.MaxAge,
		Validators: answer.Validators, Body: answer.Body,
	}
	if answer.Unchanged {
		last := before.Answer
		came.Status, came.Body = last.Status, last.Body
		if answer.MaxAge < 0 {
			came.MaxAge = last.MaxAge
		}
	}
	e.Answer = &came
	return e
}

// longOutage is how long an entry may be of use while the site cannot be reached.
const longOutage = 30 * 24 * time.Hour

// keepFor returns how long the entry of k may be of use to any reader.
func keepFor(k *answers.Known) time.Duration {
	if k.Rules || k.Failure != nil { // a last good copy, or the beginning of an outage
		return longOutage + known.MaxAge
	}
	return min(max(k.Age, known.MaxAge), known.LongMaxAge) + known.MaxAge
}
