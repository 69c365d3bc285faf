// Package known says how long an answer holds, and when to ask for robots.txt again. It has
// no clock: a time is a number of nanoseconds by the clock of the caller.
//
//	state     what is known                               a request
//	Fresh     an answer, within its time                  goes by it
//	Stale     an answer past its time, or the last good   goes by it
//	          copy of rules while the origin cannot be
//	          reached (RFC 9309 §2.3.1.4)
//	Failing   nothing: the last try failed a short        is refused
//	          while ago
//	Expired   nothing that can be used any more           asks, and waits
//
// Fresh and Stale may be [Facts.Due]: then a request asks again in the background.
package known

import (
	"math/rand/v2"
	"time"
)

// A State is what Facts are good for at some time.
type State int

const (
	Fresh State = iota
	Stale
	Failing
	Expired
)

// Facts are what is known of one origin. The zero Facts are Expired.
type Facts struct {
	Failure *Failure // of the tries since the answer; nil if there was none
	Refresh int64    // from when to ask again
	Fresh   int64    // until when the answer is fresh
	Fetched int64    // when it came, or was confirmed
	Status  int16    // of the answer; 0 if there is none
	Rules   bool     // the answer has rules, and is not that there are none
}

// A Failure is the tries that have brought no answer to rely on.
type Failure struct {
	Since  int64 // the first of them
	Tries  int
	Status int // of the last; 0 if there was none
	Err    error
	Hops   []string
}

const (
	// MaxAge is the longest that an answer holds (RFC 9309 §2.4).
	MaxAge = 24 * time.Hour

	// Exact is how far two times may be apart that are the same, since times that came
	// through a Store are not exact. Two tries are further apart.
	Exact = 30 * time.Second

	firstRetry = time.Minute
	lastRetry  = time.Hour

	// The part of its time after which an answer is due.
	earliestDue, latestDue = 0.85, 0.9
)

// Answered returns what is known at now of an origin that has answered with status,
// with rules or that there are none. The answer holds for age.
func Answered(status int, rules bool, age time.Duration, now int64) Facts {
	return Facts{
		Status: int16(status), Rules: rules, Fetched: now, Fresh: now + int64(age),
		Refresh: now + int64(jitter(age, earliestDue, latestDue)),
	}
}

// Failed returns what is known after a try that has brought no answer: what was
// known before, as long as it can be used, and when to try again. It does not
// change r, and sets f's beginning and number.
func (r Facts) Failed(f *Failure, retryAfter time.Duration, now int64) Facts {
	f.Since, f.Tries = now, 1
	if last := r.Failure; last != nil {
		f.Since, f.Tries = last.Since, last.Tries+1
	}
	return r.Failing(f, retryAfter, now)
}

// Failing returns what is known at now, after the last of the tries in f. r is what was
// known before.
func (r Facts) Failing(f *Failure, retryAfter time.Duration, now int64) Facts {
	var kept Facts
	if r.Rules || r.Counts(now) {
		kept = r
	}
	wait := min(firstRetry<<min(f.Tries-1, 10), lastRetry)
	kept.Failure, kept.Refresh = f, now+int64(max(jitter(wait, 0.75, 1), retryAfter))
	return kept
}

// Doubted returns r as it is to be used if nobody knows how old it is: it is due, and
// counts until a try is over.
func (r Facts) Doubted(now int64) Facts {
	r.Refresh = now - 1
	if r.Status != 0 {
		r.Fetched, r.Fresh = now, now-1
	}
	return r
}

// Newer reports whether r tells of a later answer than other does, or of more tries since
// the same answer.
func (r *Facts) Newer(other *Facts) bool {
	return r.AnsweredAfter(other) || !other.AnsweredAfter(r) && r.Tries() > other.Tries()
}

// AnsweredAfter reports whether r has a later answer than other. If other has no answer,
// it is whether r's came after the tries of other began.
func (r *Facts) AnsweredAfter(other *Facts) bool {
	before := other.Fetched
	if other.Status == 0 && other.Failure != nil {
		before = other.Failure.Since
	}
	return r.Status != 0 && r.Fetched-before > int64(Exact)
}

// Tries returns how many tries have failed since the answer.
func (r *Facts) Tries() int {
	if r.Failure == nil {
		return 0
	}
	return r.Failure.Tries
}

// State returns what r is good for at now.
func (r *Facts) State(now int64) State {
	counts, failing := r.Counts(now), r.Failure != nil && !r.Due(now)
	switch {
	case counts && now < r.Fresh:
		return Fresh
	case counts && (failing || now < r.Refresh+int64(MaxAge)):
		return Stale // that a try has failed says nothing after a day
	case failing:
		return Failing
	default:
		return Expired
	}
}

// Counts reports whether there is an answer that can be used at now: within its
// time, or as the last good copy of rules.
func (r *Facts) Counts(now int64) bool {
	return r.Status != 0 && (r.Rules && r.Failure != nil || now < max(r.Fresh, r.Fetched+int64(MaxAge)))
}

// Due reports whether it is time to ask again.
func (r *Facts) Due(now int64) bool { return now >= r.Refresh }

// UpToDate reports whether even a request with time to spare may use r without asking: r
// is fresh, or it is not yet time to try again.
func (r *Facts) UpToDate(now int64) bool {
	return r.State(now) != Expired && (now < r.Fresh || !r.Due(now))
}

// Pressing reports whether a request that comes now should ask again, rather than leave
// this to a later one. gap is the time since the request before it. Asking presses if not
// much time is left for a failure to pass, or less time than two more requests may take to
// come. So a site is asked about once a day, and no request waits.
func (r *Facts) Pressing(now, gap int64) bool {
	left := r.Fresh - now
	return r.Failure != nil || left < r.margin() || left < 2*gap
}

// Look returns when it will be Pressing, if requests come all the time.
func (r *Facts) Look() int64 {
	if r.Failure != nil {
		return r.Refresh
	}
	return r.Fresh - r.margin()
}

// margin is the time that is to be left for a failure to pass.
func (r *Facts) margin() int64 {
	margin := (r.Fresh - r.Refresh) / 4
	if !r.Rules {
		margin *= 2 // there is no copy that could go on to count
	}
	return margin
}

// jitter returns a random part of d, so that what was asked for together is not
// asked for together again.
func jitter(d time.Duration, low, high float64) time.Duration {
	return time.Duration(float64(d) * (low + (high-low)*rand.Float64()))
}
