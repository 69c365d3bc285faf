package polite

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/pace"
	"github.com/go-polite/polite/internal/printable"
)

// An asker finds out what is known of a site's robots.txt, and asks for it.
type asker struct {
	client *fetch.Client
	agents []string
	policy *Policy
	line   *line
	cache  *Cache
	sender *sender
}

func newAsker(sender *sender, as *identity, policy *Policy, line *line) asker {
	a := asker{agents: as.agents, policy: policy, line: line, cache: line.cache, sender: sender}
	visitor := a
	a.client = fetch.New(fetch.Options{
		Base: sender.base, UserAgent: as.userAgent, Timeout: policy.timeout(), Visit: visitor.visit,
		MaxRedirects: policy.maxRedirects(), CheckRedirect: policy.checkRedirect(),
	})
	return a
}

// known returns what is known of the site's robots.txt. If it is time to ask again,
// known starts this in the background. If nothing can be used, known waits for an
// answer, until ctx ends.
func (a *asker) known(ctx context.Context, to *site) (*entry, error) {
	e, due := a.cache.find(to.origin)
	return a.have(ctx, to, e, due)
}

// knownNow is known for a request that has waited since. If the turn of the request has
// come, it returns only what is up to date.
func (a *asker) knownNow(ctx context.Context, to *site, come bool) (*entry, error) {
	e, due := a.cache.findAgain(to.origin, come)
	return a.have(ctx, to, e, due)
}

func (a *asker) have(ctx context.Context, to *site, e *entry, due bool) (*entry, error) {
	if e == nil {
		return a.cache.flights.wait(ctx, to.origin, a.asking(to))
	}
	if due && !a.cache.lanes.Held(to.lane()).After(time.Now()) {
		a.cache.flights.refresh(to.origin, a.asking(to))
	}
	return e, nil
}

// asking returns a function that asks for the site's robots.txt.
func (a *asker) asking(to *site) ask {
	asked := *to
	return func(ctx context.Context) (*entry, error) { return a.ask(ctx, &asked) }
}

// ask fetches the robots.txt of to, and keeps what is known then. It serves all who
// wait for the answer, so ctx ends only when nobody waits any more.
func (a *asker) ask(ctx context.Context, to *site) (*entry, error) {
	o := to.origin
	last := a.cache.load(o)
	if last != nil && !last.Due(a.cache.now()) {
		return last, nil // another flight has landed since
	}
	if until := a.cache.lanes.Held(to.lane()); !a.outwait(ctx, until) && ctx.Err() == nil {
		return a.refrain(last, until), nil
	}
	answer, err := a.client.Fetch(a.sender.mark(ctx), o, last.validators())
	if errors.Is(context.Cause(ctx), errNobodyWaits) {
		return nil, errNobodyWaits
	}
	answer.RetryAfter = a.line.pace.retryAfter(answer.RetryAfter)
	var e *entry
	if now := a.cache.now(); unanswered(answer, err) {
		e = fail(last, answer, err, now)
	} else {
		e = succeed(last, answer, err, a.policy.freshness(answer.MaxAge), now)
	}
	a.cache.stats.count(e, answer)
	a.cache.store(o, e)
	if answeredItself(o, answer) {
		a.line.learn(to, answer.Status, answer.RetryAfter)
	}
	a.line.log.asked(o, e, answer, err, a.cache.wall(e.Refresh))
	a.tellDelay(o, e)
	return e, nil
}

// outwait waits until a break is over, and reports whether it is over. It does not wait
// for a long break.
func (a *asker) outwait(ctx context.Context, until time.Time) bool {
	wait := time.Until(until)
	if wait > a.policy.timeout() {
		return false
	}
	if wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// refrain returns what is known until a break is over: that polite does not ask in it. It
// is not kept. A break is no outage, which would let rules count that are older than a
// day.
func (a *asker) refrain(last *entry, until time.Time) *entry {
	err := fmt.Errorf("the site has asked for a break until %s", until.Format(time.RFC3339))
	now := a.cache.now()
	e := fail(last, fetch.Answer{}, err, now)
	e.Refresh = now + int64(time.Until(until))
	return e
}

// tellDelay tells the Logger if polite does not keep to the delay that a site asks for.
func (a *asker) tellDelay(o origin.Origin, e *entry) {
	delay := e.delay(a.agents)
	gap, refuse := a.line.pace.siteDelay(delay)
	gap = max(gap, a.line.pace.MinDelay)
	switch {
	case refuse:
		a.line.log.refusesDelay(o, delay)
	case delay > gap:
		a.line.log.capsDelay(o, delay, gap)
	}
}

// answeredItself reports whether the answer came from o, and not from another origin to
// which o redirected.
func answeredItself(o origin.Origin, answer fetch.Answer) bool {
	if len(answer.Hops) == 0 {
		return true
	}
	last, err := url.Parse(answer.Hops[len(answer.Hops)-1])
	if err != nil {
		return false
	}
	at, err := origin.OfURL(last)
	o.Dial = ""
	return err == nil && at == o
}

// maxVisits is how many redirected fetches may be under way at an origin at the same
// time.
const maxVisits = 2

// visit waits until a fetch that was redirected to another origin may ask there. It
// respects the breaks of this origin: during one it returns an error. It does not wait
// behind the requests for pages of this origin.
func (a *asker) visit(ctx context.Context, at origin.Origin) (leave func(status int, retryAfter time.Duration), err error) {
	to, err := a.visited(at)
	if err != nil {
		return nil, err
	}
	turn, err := a.cache.visits.Take(ctx, at, pace.Terms{Slots: maxVisits, MaxQueue: math.MaxInt})
	if err != nil {
		return nil, err
	}
	if hold := a.cache.lanes.Held(to.lane()); hold.After(time.Now()) {
		turn.Done()
		return nil, fmt.Errorf("redirected to %s, which has asked for a break until %s", at, hold.Format(time.RFC3339))
	}
	return func(status int, retryAfter time.Duration) {
		defer turn.Done()
		a.line.learn(&to, status, retryAfter)
	}, nil
}

// visited returns the site to which a fetch was redirected. If Pace.Key panics, this is
// a failure like any other: polite remembers it.
func (a *asker) visited(at origin.Origin) (to site, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in Pace.Key: %s", printable.Text(fmt.Sprint(p)))
		}
	}()
	to.origin = at
	if key := a.line.pace.Key; key != nil {
		to.key, to.keyed = key(&http.Request{Method: http.MethodGet, URL: at.RobotsURL()}), true
	}
	return to, nil
}
