package polite

import (
	"errors"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/record"
)

// remembered returns what f means to a crawler with these agents, this Policy and this Pace. It
// returns nil if f says nothing that can be relied on.
func remembered(f *find, agents []string, policy *Policy, pace *Pace, now int64) *entry {
	if f == nil || f.Record == nil {
		return nil
	}
	e := new(entry)
	if a := f.Answer; a != nil {
		err := a.Err()
		if unanswered(fetch.Answer{Status: a.Status}, err) {
			return nil
		}
		if err == nil && a.Status/100 == 2 {
			e.file = newFile(a.Body, agents)
		}
		e.Record = known.Answered(a.Status, e.file != nil, policy.freshness(a.MaxAge), f.at-int64(a.Since))
		e.details = detailsOf(a.Validators, a.Hops, err)
	}
	if failed := f.Failure; failed != nil {
		last := &known.Failure{Since: f.at - int64(failed.Since), Tries: failed.Tries, Status: failed.Status, Hops: failed.Hops}
		if failed.Err != "" {
			last.Err = errors.New(failed.Err)
		}
		e.Record = e.Failing(last, pace.retryAfter(failed.RetryAfter), f.at)
	}
	if f.doubtful {
		e.Record = e.Doubted(now)
	}
	return e
}

// recorded returns the record of what is known now: of e, which an answer has brought.
// before is what was kept, or nil. If there is no new answer, its answer stays, as old as
// it is.
func recorded(e *entry, answer fetch.Answer, err error, before *find, now int64) *record.Record {
	r := new(record.Record)
	if f := e.Failure; f != nil {
		r.Failure = &record.Failure{
			Since: time.Duration(now - f.Since), Tries: f.Tries, Status: f.Status, Hops: f.Hops, RetryAfter: answer.RetryAfter,
		}
		if f.Err != nil {
			r.Failure.Err = f.Err.Error()
		}
		if last := before.record(); last != nil && last.Answer != nil && e.Status != 0 {
			kept := *last.Answer
			kept.Since += time.Duration(now - before.at)
			r.Answer = &kept
		}
		return r
	}
	r.Answer = &record.Answer{
		Status: answer.Status, Hops: answer.Hops, TooManyRedirects: err != nil, MaxAge: answer.MaxAge,
		Validators: answer.Validators, Body: answer.Body,
	}
	if answer.Unchanged {
		last := before.Answer
		r.Answer.Status, r.Answer.Body = last.Status, last.Body
		if answer.MaxAge < 0 {
			r.Answer.MaxAge = last.MaxAge
		}
	}
	return r
}

// keepFor returns how long the record of e may be of use.
func keepFor(e *entry) time.Duration {
	if e.Rules || e.Failure != nil { // a last good copy, or the beginning of an outage
		return longOutage + known.MaxAge
	}
	return max(time.Duration(e.Fresh-e.Fetched), known.MaxAge) + known.MaxAge
}
