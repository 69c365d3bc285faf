package memory

import (
	"slices"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
)

// Answered returns what is known after an answer that tells what the site wants: its
// rules, or that it has none. An answer that confirms the last file and has no max-age
// holds for as long as the last answer did (RFC 9111 §4.3.4). The error is that the answer
// is behind too many redirects.
func Answered(last *Known, answer fetch.Answer, err error, agents []string, now int64) *Known {
	k := new(Known)
	switch {
	case answer.Unchanged:
		if answer.MaxAge < 0 {
			answer.MaxAge = last.Age
		}
		k.File = last.File
		answer.Status = int(last.Status)
	case err == nil && answer.Status/100 == 2:
		k.File = NewFile(answer.Body, agents)
	}
	k.Facts = known.Answered(answer.Status, k.File != nil, answer.MaxAge, now)
	k.details = detailsOf(answer.Validators, details{hops: answer.Hops, beyond: answer.Beyond, err: err})
	return k.readable()
}

// Failed returns what is known after a try that brought no answer to rely on. last may
// be nil.
func Failed(last *Known, answer fetch.Answer, err error, now int64) *Known {
	k, before := new(Known), known.Facts{}
	if last != nil {
		before = last.Facts
	}
	failure := known.Failure{Status: answer.Status, Err: err, Hops: answer.Hops, Beyond: answer.Beyond, TimedOut: answer.TimedOut}
	k.Facts = before.Failed(&failure, answer.RetryAfter, now)
	if k.Status != 0 {
		k.File, k.details = last.File, last.allDetails()
	}
	return k.readable()
}

// Recalled returns what an answer means that a Store has kept. The error is that the
// answer is behind too many redirects.
func Recalled(facts known.Facts, file *File, answer fetch.Answer, err error) *Known {
	way := details{hops: answer.Hops, beyond: answer.Beyond, err: err}
	return (&Known{Facts: facts, File: file, details: detailsOf(answer.Validators, way)}).readable()
}

// With returns k with the answer of last if k says only that tries have failed since
// then. last may be nil.
func (k *Known) With(last *Known, now int64) *Known {
	if last == nil || k.Status != 0 || !(last.Rules || last.Counts(now, known.LongMaxAge)) || last.AnsweredAfter(&k.Facts) {
		return k
	}
	both := &Known{Facts: last.Facts, File: last.File, details: last.allDetails()}
	both.Failure = k.Failure
	return both.readable()
}

// Newest returns the newer one of last, which may be nil, and kept, with the last good
// copy.
func Newest(last, kept *Known, now int64) *Known {
	if last == nil || kept.Newer(&last.Facts) {
		return kept.With(last, now)
	}
	return last.With(kept, now)
}

// Validators returns what polite sends to ask whether k's file has changed. k may be nil.
func (k *Known) Validators() fetch.Validators {
	if k == nil || k.File == nil {
		return fetch.Validators{}
	}
	if d := k.allDetails(); d != nil {
		return d.validators
	}
	return fetch.Validators{}
}

// FailingSince returns when the first try failed since the answer. It returns false if the
// last try brought an answer.
func (k *Known) FailingSince() (at int64, failing bool) {
	if k.Failure == nil {
		return 0, false
	}
	return k.Failure.Since, true
}

// TooManyRedirects reports whether k's answer is behind too many redirects.
func (k *Known) TooManyRedirects() bool { return k.details != nil && k.details.err != nil }

// Came returns what came last: the URLs that robots.txt redirected to, the status, and
// why there is no answer to rely on.
func (k *Known) Came() (hops []string, status int, err error) {
	if f := k.Failure; f != nil {
		return slices.Clone(f.Hops), f.Status, f.Err
	}
	if k.details != nil {
		hops, err = slices.Clone(k.details.hops), k.details.err
	}
	return hops, int(k.Status), err
}

// CrawlDelay returns the crawl-delay that k's rules ask of a crawler with these tokens.
// It is 0 if they ask for none, or if k is nil.
func (k *Known) CrawlDelay(agents []string) time.Duration {
	if k == nil || k.File == nil {
		return 0
	}
	delay, _ := k.File.RulesFor(agents).CrawlDelay()
	return delay
}
