package memory

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
)

// A retracer finds out what would have come if a Reader had asked: it goes the same way
// again, by the redirects that the Reader follows.
type retracer struct {
	ctx       context.Context
	redirects *fetch.Redirects
	o         origin.Origin
	maxAge    time.Duration
	timeout   time.Duration
}

// A way is how far a Reader would have come.
type way struct {
	end  end
	hops []string
	err  error // why not farther
}

type end int

const (
	there   end = iota // as far as the crawler that has asked
	tooFar             // the Reader follows fewer redirects
	refused            // the Reader does not follow one of them
	farther            // the Reader follows one that the crawler has not followed, or waits for longer
)

// retrace returns how far the Reader would have come, where another crawler followed hops,
// but not beyond.
func (r *retracer) retrace(hops []string, beyond string) way {
	followed, err := r.redirects.Retrace(r.ctx, r.o, hops, beyond)
	w := way{hops: followed, err: err}
	switch {
	case errors.Is(err, fetch.ErrTooManyRedirects):
		w.end = tooFar
	case err != nil:
		w.end = refused
	case beyond != "":
		w.end = farther
	}
	return w
}

// read returns what k means to the Reader: k itself, or what would have come. It is nil if
// nobody knows. If own is true, the Reader's crawler was the last to ask.
func (r retracer) read(k *Known, own bool) *Known {
	var answer, tries way
	if d := k.details; k.Status != 0 && d != nil && d.redirects() && !(own && k.Failure == nil) {
		if answer = r.retrace(d.hops, d.beyond); answer.end == tooFar && d.err != nil && len(answer.hops) == len(d.hops) {
			answer.end = there
		}
	}
	if f := k.Failure; f != nil && !own {
		if tries = r.retrace(f.Hops, f.Beyond); tries.end == there && 0 < f.TimedOut && f.TimedOut < r.timeout {
			tries.end = farther
		}
	}
	if answer.end == there && tries.end == there {
		return k
	}
	reads := &Known{readings: &readings{came: k}}
	r.readAnswer(reads, k, answer)
	if k.Failure != nil {
		r.readFailure(reads, k.Failure, tries)
	}
	if reads.Status == 0 && reads.Failure == nil {
		return nil
	}
	return reads
}

// readAnswer fills in what k's answer means to the Reader, which would have come that way.
func (r *retracer) readAnswer(reads, k *Known, w way) {
	if k.Status == 0 || w.end == farther {
		return
	}
	reads.Facts, reads.Failure = k.Facts, nil
	switch w.end {
	case there:
		reads.File, reads.details = k.File, k.details
	case tooFar:
		reads.Rules, reads.details = false, &details{hops: w.hops, err: w.err}
	case refused:
		until := reads.Fresh(r.maxAge) // the same would come again
		reads.Facts = known.Facts{Failure: &known.Failure{
			Since: k.Fetched, Last: k.Fetched, Next: until, Tries: 1, Err: w.err, Hops: w.hops,
		}}
	}
}

// readFailure fills in what the tries since the answer mean.
func (r *retracer) readFailure(reads *Known, f *known.Failure, w way) {
	switch w.end {
	case there:
		reads.Failure = f
	case tooFar:
		status := f.Status
		if status == 0 {
			status = http.StatusFound
		}
		reads.Facts, reads.File = known.Answered(status, false, -1, f.Last), nil
		reads.details = &details{hops: w.hops, err: w.err}
	case refused:
		own := *f
		if own.Err = w.err; len(w.hops) < len(f.Hops) {
			own.Status, own.Hops, own.Beyond = 0, w.hops, ""
		}
		reads.Failure = &own
	}
}

// maxReadings is how many readings of one Known are remembered.
const maxReadings = 16

// remember remembers a reading of k, and counts its memory.
func (m *Memory) remember(o origin.Origin, k *Known, one reading) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := k.readings.list()
	all = append(all[max(0, len(all)-maxReadings+1):len(all):len(all)], one)
	k.readings.all.Store(&all)
	if m.origins.Get(o) == k {
		m.bytes.Add(-int64(k.cost))
		k.cost = cost(k)
		m.bytes.Add(int64(k.cost))
		m.shrink()
	}
}
