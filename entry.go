package polite

import (
	"crypto/sha256"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/sieve"
	"github.com/go-polite/polite/robots"
)

// An entry is what is known of an origin's robots.txt. Times are by the clock of
// its cache. Once it is stored, only visited, asked and replaced change, and its
// place in the cache.
type entry struct {
	file     *file                         // nil if there is none
	failure  *failure                      // of the tries since the answer that counts; nil if there was none
	refresh  int64                         // from when to ask again, once it is pressing
	fresh    int64                         // until when the answer that counts is fresh
	fetched  int64                         // when it came, or was confirmed
	visited  atomic.Int64                  // when the last request came, to a second
	asked    atomic.Int64                  // when a request has begun to ask again, in the background
	replaced atomic.Pointer[chan struct{}] // closed when another entry takes its place; nil if nobody waits for that
	details  *details                      // of the answer that counts; nil if there is nothing to tell
	cost     int32
	status   int16 // of the answer that counts; 0 if there is none
	sieve.Node[origin.Origin, *entry]
}

type details struct {
	hops       []string
	err        error // too many redirects
	validators fetch.Validators
}

type failure struct {
	since  int64
	tries  int
	status int
	err    error
	hops   []string
}

const (
	maxAge     = 24 * time.Hour // RFC 9309 §2.4
	minAge     = 5 * time.Minute
	maxLongAge = 30 * 24 * time.Hour
	firstRetry = time.Minute
	lastRetry  = time.Hour
	longOutage = 30 * 24 * time.Hour
)

// due reports whether it is time to ask again.
func (e *entry) due(now int64) bool { return now >= e.refresh }

// visit notes that a request comes, and returns how long there was none before.
func (e *entry) visit(now int64) (gap int64) {
	gap = now - max(e.visited.Load(), e.fetched)
	if gap >= int64(time.Second) { // not to write all the time to what all read
		e.visited.Store(now)
	}
	return gap
}

// pressing reports whether to ask again with a request that comes now, when it is
// due, rather than with a later one: not much time is left for a failure to pass,
// or less than it may take until two more requests have come. So a site is asked
// about once a day, and no request waits.
func (e *entry) pressing(now, gap int64) bool {
	left := e.fresh - now
	return e.failure != nil || left < e.enough() || left < 2*gap
}

// enough is the time that is to be left for a failure to pass.
func (e *entry) enough() int64 {
	enough := (e.fresh - e.refresh) / 4
	if e.file == nil {
		enough *= 2 // there is no copy that could go on to count
	}
	return enough
}

// look returns how long who waits for a turn can wait before it is time to ask
// again.
func (e *entry) look(now int64) time.Duration {
	due := e.refresh
	if e.failure == nil {
		due = e.fresh - e.enough()
	}
	return time.Duration(max(due, e.asked.Load()+int64(askedFor))-now) + 1
}

// askedFor is how long to wait for what a request has begun to ask, until another
// one asks.
const askedFor = time.Minute

// counts reports whether there is an answer, and it can be used: within its time,
// or as the last good copy of rules (RFC 9309 §2.3.1.4).
func (e *entry) counts(now int64) bool {
	return e.status != 0 && (e.file != nil && e.failure != nil || now < max(e.fresh, e.fetched+int64(maxAge)))
}

// usable reports whether e may be used while it is asked for again. That the site
// could not be reached when it was last tried says nothing after a day.
func (e *entry) usable(now int64) bool {
	return e.counts(now) && now < max(e.fresh, e.refresh+int64(maxAge)) || e.failure != nil && !e.due(now)
}

// outdated reports whether to wait for another answer rather than to use e, if
// there was time to ask: it is not fresh, and it is time to try again.
func (e *entry) outdated(now int64) bool { return now >= e.fresh && e.due(now) }

// gone returns a channel that is closed when another entry takes the place of e.
func (e *entry) gone() <-chan struct{} {
	wait := make(chan struct{})
	if e.replaced.CompareAndSwap(nil, &wait) {
		return wait
	}
	return *e.replaced.Load()
}

// replace tells who waits that another entry takes the place of e.
func (e *entry) replace() {
	done := make(chan struct{})
	close(done)
	if waited := e.replaced.Swap(&done); waited != nil {
		close(*waited)
	}
}

// stale reports whether e is a copy that should have been replaced by now.
func (e *entry) stale(now int64) bool { return e.counts(now) && now >= e.fresh }

// succeed returns what is known after an answer that tells what the site wants:
// rules, or that there are none.
func succeed(known *entry, answer fetch.Answer, err error, p *Policy, now int64) *entry {
	age := p.freshness(answer.MaxAge)
	if answer.Unchanged && answer.MaxAge < 0 {
		age = time.Duration(known.fresh - known.fetched) // what it said still holds (RFC 9111 §4.3.4)
	}
	e := &entry{status: int16(answer.Status), fetched: now, fresh: now + int64(age), refresh: now + int64(jitter(age, 0.85, 0.9))}
	switch {
	case answer.Unchanged:
		e.file, e.status = known.file, known.status
	case err == nil && answer.Status/100 == 2:
		e.file = &file{File: robots.Parse(answer.Body), digest: sha256.Sum256(answer.Body)}
	}
	v := answer.Validators
	if v.ETag == "" && v.LastModified == "" {
		v = fetch.Validators{}
	}
	if v.URL != "" || len(answer.Hops) > 0 || err != nil {
		e.details = &details{hops: answer.Hops, err: err, validators: v}
	}
	return e
}

// fail returns what is known after there was no answer: what was known before,
// as long as it can be used, and when to try again.
func fail(known *entry, answer fetch.Answer, err error, now int64) *entry {
	f := &failure{since: now, tries: 1, status: answer.Status, err: err, hops: answer.Hops}
	e := &entry{failure: f}
	if known != nil {
		if last := known.failure; last != nil {
			f.since, f.tries = last.since, last.tries+1
		}
		if known.file != nil || known.counts(now) {
			e.file, e.details, e.status = known.file, known.details, known.status
			e.fetched, e.fresh = known.fetched, known.fresh
		}
	}
	wait := min(firstRetry<<min(f.tries-1, 10), lastRetry)
	e.refresh = now + int64(max(jitter(wait, 0.75, 1), answer.RetryAfter))
	return e
}

// validators returns what to ask for a change of.
func (e *entry) validators() fetch.Validators {
	if e == nil || e.file == nil || e.details == nil {
		return fetch.Validators{}
	}
	return e.details.validators
}

// jitter returns a random part of d, so that what was asked for together is not
// asked for together again.
func jitter(d time.Duration, low, high float64) time.Duration {
	return time.Duration(float64(d) * (low + (high-low)*rand.Float64()))
}
