package ask

import (
	"errors"
	"time"

	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/memory"
	"github.com/go-polite/polite/internal/turns"
)

// recalled returns what an entry of the Store means to this crawler, by its own Policy and
// Pace. It returns nil if the entry says nothing that can be relied on.
func (a *Asker) recalled(f *found, to *turns.Site) *memory.Known {
	if f == nil || f.Entry == nil {
		return nil
	}
	k := new(memory.Known)
	if f.Answer != nil {
		if k = a.answered(f); k == nil {
			return nil
		}
	}
	if failed := f.Failure; failed != nil {
		last := &known.Failure{Since: f.at - int64(failed.Since), Tries: failed.Tries, Status: failed.Status, Hops: failed.Hops}
		if failed.Err != "" {
			last.Err = errors.New(failed.Err)
		}
		k.Facts = k.Failing(last, to.Pace.RetryAfter(failed.RetryAfter), f.at)
	}
	if f.doubtful {
		k.Facts = k.Doubted(a.memory.Now())
	}
	return k
}

// answered returns what the answer in f means, or nil if it says nothing.
func (a *Asker) answered(f *found) *memory.Known {
	answer, err := f.Answer, f.Answer.Err()
	if !says(fetch.Answer{Status: answer.Status}, err) {
		return nil
	}
	var file *memory.File
	if err == nil && answer.Status/100 == 2 {
		file = memory.NewFile(answer.Body, a.Agents)
	}
	facts := known.Answered(answer.Status, file != nil, a.freshness(answer.MaxAge), f.at-int64(answer.Since))
	return memory.Recalled(facts, file, answer.Validators, answer.Hops, err)
}

// entryOf returns the stored entry for k, which an answer has brought. before is the
// entry before, or nil. If there is no new answer, the last one stays, as old as it is.
func entryOf(k *memory.Known, answer fetch.Answer, err error, before *found, now int64) *entry.Entry {
	e := new(entry.Entry)
	if f := k.Failure; f != nil {
		failure := entry.Failure{
			Since: time.Duration(now - f.Since), Tries: f.Tries, Status: f.Status, Hops: f.Hops, RetryAfter: answer.RetryAfter,
		}
		if f.Err != nil {
			failure.Err = f.Err.Error()
		}
		e.Failure = &failure
		if last := before.entry(); last != nil && last.Answer != nil && k.Status != 0 {
			kept := *last.Answer
			kept.Since += time.Duration(now - before.at)
			e.Answer = &kept
		}
		return e
	}
	came := entry.Answer{
		Status: answer.Status, Hops: answer.Hops, TooManyRedirects: err != nil, MaxAge: answer.MaxAge,
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

// keepFor returns how long the entry of k may be of use.
func keepFor(k *memory.Known) time.Duration {
	if k.Rules || k.Failure != nil { // a last good copy, or the beginning of an outage
		return longOutage + known.MaxAge
	}
	return max(time.Duration(k.Fresh-k.Fetched), known.MaxAge) + known.MaxAge
}
