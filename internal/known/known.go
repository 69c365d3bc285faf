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
//
// Facts say what came, and when. How long this holds is a matter of who reads it: most is
// the longest that an answer holds for the reader.
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
	Failure  *Failure      // of the tries since the answer; nil if there was none
	Fetched  int64         // when the answer came, or was confirmed
	Age      time.Duration // the max-age of the answer; negative if it has none
	Status   int16         // of the answer; 0 if there is none
	Rules    bool          // the answer has rules, and is not that there are none
	Doubtful bool          // nobody knows how old the answer is
	early    uint8         // how early it is due, so that what came together is not asked for together again
}

// A Failure is the tries that have brought no answer to rely on.
type Failure struct {
	Since  int64 // the first of them
	Last   int64
	Next   int64 // when to try again
	Tries  int
	Status int // of the last; 0 if there was none
	Err    error
	Hops   []string
	Beyond string // where the last hop redirects to, if this was not followed

	TimedOut time.Duration // how long a fetch was let go on, if this ended the last try; else 0
}

const (
	// MaxAge is the longest that an answer holds (RFC 9309 §2.4).
	MaxAge = 24 * time.Hour

	// LongMaxAge is the longest that an answer holds for any reader.
	LongMaxAge = 30 * 24 * time.Hour

	// MinAge is the least time that an answer holds, so that max-age=0 cannot make polite
	// ask before every page.
	MinAge = 5 * time.Minute

	// Exact is how far two times may be apart that are the same, since times that came
	// through a Store are not exact. Two tries are further apart.
	Exact = 30 * time.Second

	firstRetry = time.Minute
	lastRetry  = time.Hour
)

// Answered returns what is known at now of an origin that has answered with status, with
// rules or that there are none, and with that max-age. A negative age is none.
func Answered(status int, rules bool, age time.Duration, now int64) Facts {
	return Facts{Status: int16(status), Rules: rules, Fetched: now, Age: age, early: uint8(rand.Uint32())}
}

// Failed returns what is known after a try that has brought no answer: what was
// known before, as long as anyone can use it, and when to try again. It does not
// change r, and sets f's times and number.
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
	if r.Rules || r.Counts(now, LongMaxAge) {
		kept = r
	}
	wait := min(firstRetry<<min(f.Tries-1, 10), lastRetry)
	f.Last, f.Next = now, now+int64(max(jitter(wait, 0.75, 1), retryAfter))
	kept.Failure = f
	return kept
}

// Doubted returns r as it is to be used if nobody knows how old it is: it is due, and
// counts until a try is over.
func (r Facts) Doubted(now int64) Facts {
	if r.Status != 0 {
		r.Fetched, r.Doubtful = now, true
	}
	if r.Failure != nil {
		f := *r.Failure
		f.Next = now - 1
		r.Failure = &f
	}
	return r
}

// freshness returns how long an answer is fresh (RFC 9309 §2.4).
func (r *Facts) freshness(most time.Duration) time.Duration {
	if r.Age < 0 {
		return MaxAge
	}
	return min(max(r.Age, MinAge), most)
}

// Fresh returns until when the answer is fresh.
func (r *Facts) Fresh(most time.Duration) int64 {
	if r.Doubtful {
		return r.Fetched - 1
	}
	return r.Fetched + int64(r.freshness(most))
}

// Refresh returns from when to ask again. After an answer, it is when 85 to 90 percent of
// its time are over.
func (r *Facts) Refresh(most time.Duration) int64 {
	switch {
	case r.Failure != nil:
		return r.Failure.Next
	case r.Status == 0 || r.Doubtful:
		return r.Fetched - 1
	default:
		part := int64(r.freshness(most)) / 20
		return r.Fetched + 17*part + (part>>8)*int64(r.early)
	}
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
func (r *Facts) State(now int64, most time.Duration) State {
	counts, failing := r.Counts(now, most), r.Failure != nil && !r.Due(now, most)
	switch {
	case counts && now < r.Fresh(most):
		return Fresh
	case counts && (failing || now < r.Refresh(most)+int64(MaxAge)):
		return Stale // that a try has failed says nothing after a day
	case failing:
		return Failing
	default:
		return Expired
	}
}

// Counts reports whether there is an answer that can be used at now: within its
// time, or as the last good copy of rules.
func (r *Facts) Counts(now int64, most time.Duration) bool {
	return r.Status != 0 && (r.Rules && r.Failure != nil || now < max(r.Fresh(most), r.Fetched+int64(MaxAge)))
}

// Due reports whether it is time to ask again.
func (r *Facts) Due(now int64, most time.Duration) bool { return now >= r.Refresh(most) }

// UpToDate reports whether even a request with time to spare may use r without asking: r
// is fresh, or it is not yet time to try again.
func (r *Facts) UpToDate(now int64, most time.Duration) bool {
	return r.State(now, most) != Expired && (now < r.Fresh(most) || !r.Due(now, most))
}

// Pressing reports whether a request that comes now should ask again, rather than leave
// this to a later one. gap is the time since the request before it. Asking presses if not
// much time is left for a failure to pass, or less time than two more requests may take to
// come. So a site is asked about once a day, and no request waits.
func (r *Facts) Pressing(now, gap int64, most time.Duration) bool {
	left := r.Fresh(most) - now
	return r.Failure != nil || left < r.margin(most) || left < 2*gap
}

// Look returns when it will be Pressing, if requests come all the time.
func (r *Facts) Look(most time.Duration) int64 {
	if r.Failure != nil {
		return r.Failure.Next
	}
	return r.Fresh(most) - r.margin(most)
}

// margin is the time that is to be left for a failure to pass.
func (r *Facts) margin(most time.Duration) int64 {
	margin := (r.Fresh(most) - r.Refresh(most)) / 4
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
