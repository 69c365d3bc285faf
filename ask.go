package polite

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
)

// An asker finds out what is known of a site's robots.txt, and asks for it.
type asker struct {
	client *fetch.Client
	agents []string
	policy *Policy
	line   *line
	cache  *Cache
	shelf  shelf
	sender *sender
	told   told
}

func newAsker(sender *sender, as *identity, policy *Policy, line *line) asker {
	a := asker{agents: as.agents, policy: policy, line: line, cache: line.cache, sender: sender, told: line.told}
	a.shelf = shelf{cache: a.cache, agent: strings.ToLower(as.shown()), agents: as.agents, policy: policy, told: line.told}
	visitor := visitor{line}
	a.client = fetch.New(fetch.Options{
		Base: sender.base, UserAgent: as.userAgent, Timeout: policy.timeout(), Visit: visitor.visit,
		MaxRedirects: policy.maxRedirects(), CheckRedirect: policy.checkRedirect(),
	})
	return a
}

// known returns what is known of the site's robots.txt. If it is time to ask again,
// known starts this in the background. If nothing can be used, known waits for an
// answer, until ctx ends.
func (a *asker) known(ctx context.Context, to *site) (*entry, Lookup, error) {
	e, lookup, due := a.cache.find(to.origin)
	e, err := a.have(ctx, to, e, due)
	return e, lookup, err
}

// knownNow is known for a request that has waited since. If the turn of the request has
// come, it returns only what is up to date.
func (a *asker) knownNow(ctx context.Context, to *site, come bool) (*entry, error) {
	e, due := a.cache.findAgain(to.origin, come)
	return a.have(ctx, to, e, due)
}

func (a *asker) have(ctx context.Context, to *site, e *entry, due bool) (_ *entry, err error) {
	if e == nil {
		if e, err = a.cache.flights.wait(ctx, to.origin, a.asking(to)); err != nil {
			return nil, err
		}
		now := a.cache.now()
		due = e.begin(now, a.cache.outdated(e, now)) // it may have come from the Store
	}
	if due && !a.cache.lanes.Held(to.lane()).After(time.Now()) {
		a.cache.flights.refresh(to.origin, a.asking(to))
	}
	return e, nil
}

// asking returns a function that asks for the site's robots.txt.
func (a *asker) asking(to *site) ask {
	asked := *to
	return func(ctx context.Context, end context.CancelCauseFunc) (*entry, error) {
		return a.ask(ctx, &inquiry{shelf: &a.shelf, to: &asked, last: a.cache.memory.load(asked.origin)}, end)
	}
}

// ask finds out what is known of the site's robots.txt by now. It serves all who wait for
// the answer, so ctx ends only when nobody waits any more. It tells of what is new once
// the fetch has given its place back, and the next may begin: who is told may ask for this
// robots.txt or for another.
func (a *asker) ask(ctx context.Context, q *inquiry, end context.CancelCauseFunc) (*entry, error) {
	e, err := a.find(ctx, q, end)
	a.cache.flights.landed(ctx, q.to.origin)
	if f := q.fetched; f != nil {
		a.told.asked(q.to.origin, q.news, f.Answer, f.err, f.took, a.cache.wall(q.news.Refresh))
	}
	if q.news != nil {
		a.tellDelay(q.to, q.news)
		a.told.changed(q.to.origin, q.last, q.news)
	}
	return e, err
}

// find takes what is known from another flight that has landed since, from the Store, or
// from the site.
func (a *asker) find(ctx context.Context, q *inquiry, end context.CancelCauseFunc) (*entry, error) {
	now := a.cache.now()
	q.outdated = q.last != nil && a.cache.outdated(q.last, now)
	if q.last != nil && !q.last.Due(now) && !q.outdated {
		return q.last, nil
	}
	if e := q.look(ctx); e != nil {
		return a.recall(q, e), nil
	}
	if q.enough() {
		return q.last, nil
	}
	for n := 0; ; n++ {
		q.alone = q.alone || n == maxPolls
		e, wait, err := a.inPlace(ctx, q, end)
		if e != nil || err != nil {
			return e, err
		}
		if err := pause(ctx, min(wait, firstPoll<<min(n, 5))); err != nil {
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

// inPlace fetches robots.txt once there is a place for the fetch. If another process
// fetches it, inPlace gives the place back, and returns for how long to wait at most.
func (a *asker) inPlace(ctx context.Context, q *inquiry, end context.CancelCauseFunc) (e *entry, wait time.Duration, err error) {
	leave, err := a.cache.places.take(ctx, end)
	if err != nil {
		return nil, 0, err
	}
	defer leave()
	a.cache.shared.heed(ctx, q.to.lane(), a.told) // if Turns fails, this process asks by what it knows
	if until := a.cache.lanes.Held(q.to.lane()); !a.outwait(ctx, until) {
		return a.refrain(q.last, until), 0, nil
	}
	claim, e := q.claim(ctx)
	switch {
	case e != nil:
		return a.recall(q, e), 0, nil
	case claim.wait > 0:
		return nil, claim.wait, nil
	case a.cache.lanes.Held(q.to.lane()).After(time.Now()): // a break has begun meanwhile
		q.giveBack(ctx, claim)
		return nil, firstPoll, nil
	}
	e, err = a.fetch(ctx, q, claim)
	return e, 0, err
}

// recall keeps e, which comes from the Store, in memory.
func (a *asker) recall(q *inquiry, e *entry) *entry {
	a.cache.stats.recalled.Add(1)
	return a.keep(q, e, q.find.at)
}

// keep keeps e in memory. It is new to this process, and its record was put at a time.
func (a *asker) keep(q *inquiry, e *entry, put int64) *entry {
	if a.cache.Store != nil {
		e.heard = &heard{put: put}
		e.heard.seen.Store(q.seen)
		if a.cache.now()-put <= int64(known.Exact) { // news since then is of this record
			e.heard.seen.Store(a.cache.memory.news.count.Load())
		}
	}
	a.cache.memory.keep(q.to.origin, e)
	q.news = e
	return e
}

// fetch asks the site, and keeps what is known then.
func (a *asker) fetch(ctx context.Context, q *inquiry, c claim) (*entry, error) {
	basis, began := q.basis(c), time.Now()
	answer, err := a.client.Fetch(a.sender.mark(ctx), q.to.origin, basis.validators())
	if errors.Is(context.Cause(ctx), errNobodyWaits) {
		q.giveBack(ctx, c)
		return nil, errNobodyWaits
	}
	answer.RetryAfter = q.to.pace.retryAfter(answer.RetryAfter)
	now := a.cache.now()
	e := fail(q.last, answer, err, now)
	if !unanswered(answer, err) {
		e = succeed(basis, answer, err, a.agents, a.policy.freshness(answer.MaxAge), now)
	}
	a.cache.stats.count(e, answer)
	q.put(ctx, c, e, answer, err, now)
	if answeredItself(q.to.origin, answer) {
		a.line.learn(q.to, answer.Status, answer.RetryAfter)
	}
	a.keep(q, e, now) // last: nobody goes by an answer before the break that it asks for is kept
	q.fetched = &fetched{answer, err, time.Since(began)}
	return e, nil
}

// outwait waits until a break is over, and reports whether it is over. It does not wait
// for a long break.
func (a *asker) outwait(ctx context.Context, until time.Time) bool {
	wait := time.Until(until)
	return wait <= a.policy.timeout() && pause(ctx, wait) == nil
}

// refrain returns what is known until a break is over: that polite does not ask in it. It
// is not kept. A break is no outage, which would let rules count that are older than a
// day.
func (a *asker) refrain(last *entry, until time.Time) *entry {
	now := a.cache.now()
	e := fail(last, fetch.Answer{}, &BreakError{until}, now)
	e.Refresh = now + int64(time.Until(until))
	return e
}

// tellDelay tells the Logger if polite does not keep to the delay that a site asks for.
func (a *asker) tellDelay(to *site, e *entry) {
	delay := e.delay(a.agents)
	gap, refuse := to.pace.siteDelay(delay)
	gap = max(gap, to.pace.MinDelay)
	switch {
	case refuse:
		a.line.log.refusesDelay(to.origin, delay)
	case delay > gap:
		a.line.log.capsDelay(to.origin, delay, gap)
	}
}
