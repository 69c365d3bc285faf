package ask

import (
	"errors"
	"time"

	"github.com/go-polite/polite/internal/claims"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/memory"
	"github.com/go-polite/polite/internal/turns"
)

// recalled returns what an entry of the Store tells, or nil if it says nothing that can be
// relied on.
func (a *Asker) recalled(f *claims.Found, to *turns.Site) *memory.Known {
	if f == nil || f.Entry == nil {
		return nil
	}
	var facts known.Facts
	var file *memory.File
	var answer fetch.Answer
	var err error
	if came := f.Answer; came != nil {
		answer, err = fetch.Answer{Status: came.Status, Hops: came.Hops, Beyond: came.Beyond, Validators: came.Validators}, came.Err()
		if !says(answer, err) {
			return nil
		}
		if err == nil && came.Status/100 == 2 {
			file = memory.NewFile(came.Body, a.Agents)
		}
		facts = known.Answered(came.Status, file != nil, came.MaxAge, f.At-int64(came.Since))
	}
	if failed := f.Failure; failed != nil {
		facts = facts.Failing(failureOf(failed, f.At), to.Pace.RetryAfter(failed.RetryAfter), f.At)
	}
	if f.Doubtful {
		facts = facts.Doubted(a.Memory.Now())
	}
	return memory.Recalled(facts, file, answer, err)
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
func entryOf(k *memory.Known, answer fetch.Answer, err error, before *claims.Found, now int64) *entry.Entry {
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
func keepFor(k *memory.Known) time.Duration {
	if k.Rules || k.Failure != nil { // a last good copy, or the beginning of an outage
		return longOutage + known.MaxAge
	}
	return min(max(k.Age, known.MaxAge), known.LongMaxAge) + known.MaxAge
}
