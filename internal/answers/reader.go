package answers

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
)

// A Reader reads a Memory by the Policy of a Transport. What came from a site is the same
// for all who share the Memory. What it means, and for how long, each Reader finds out. It
// is safe for concurrent use.
type Reader struct {
	*Memory
	MaxAge    time.Duration // the longest that an answer holds
	Timeout   time.Duration // of a fetch
	Redirects fetch.Redirects
	id        uint64
}

// NewReader returns a Reader of m, whose fields are to be set.
func NewReader(m *Memory) *Reader { return &Reader{Memory: m, id: m.readers.Add(1)} }

// A Found says how a request has found what is known of its origin.
type Found struct {
	State known.State
	Idle  time.Duration // since the last request to the origin; long if this is not known
	At    time.Duration // by the clock of the memory
}

// Find returns what is known of o, or nil if nothing can be used. It also reports whether it
// is time to ask for it again.
func (r *Reader) Find(ctx context.Context, o origin.Origin) (k *Known, found Found, due bool) {
	k, now := r.Read(ctx, o, r.Load(o)), r.Now()
	found = Found{State: known.Expired, Idle: longIdle, At: time.Duration(now)}
	if k != nil {
		found.State = k.State(now, r.MaxAge)
	}
	if r.counters.look(found.State); found.State == known.Expired {
		return nil, found, true
	}
	due, idle := r.begin(k, now)
	found.Idle = time.Duration(idle)
	return k, found, due
}

// FindAgain is Find for a request that has waited since. It does not count the request
// again. Once the turn of the request has come, it returns only what is up to date.
func (r *Reader) FindAgain(ctx context.Context, o origin.Origin, come bool) (k *Known, due bool) {
	return r.use(r.Read(ctx, o, r.Load(o)), come)
}

// FindIn is FindAgain for a request that goes by what a fetch has just brought.
func (r *Reader) FindIn(ctx context.Context, o origin.Origin, brought *Known) (k *Known, due bool) {
	return r.use(r.Read(ctx, o, brought), false)
}

func (r *Reader) use(k *Known, come bool) (_ *Known, due bool) {
	now := r.Now()
	if k == nil || k.State(now, r.MaxAge) == known.Expired || come && !r.upToDate(k, now) {
		return nil, true
	}
	due, _ = r.begin(k, now)
	return k, due
}

// Current reports whether a request that has waited may still go by k.
func (r *Reader) Current(o origin.Origin, k *Known) bool {
	last := r.Load(o)
	return (last == k.came() || last == nil) && r.upToDate(k, r.Now()) // nil: evicted
}

// Recheck returns how long a request can wait for its turn before it is time to ask for
// robots.txt again.
func (r *Reader) Recheck(k *Known) time.Duration {
	return max(time.Duration(k.came().look(&k.Facts, r.MaxAge)-r.Now()), 1)
}

// Next returns when to ask again, at the earliest.
func (r *Reader) Next(k *Known) time.Time { return r.Wall(k.Refresh(r.MaxAge)) }

// IsStale reports whether the answer in k is out of date.
func (r *Reader) IsStale(k *Known) bool { return k.State(r.Now(), r.MaxAge) == known.Stale }

// Counts reports whether k has an answer that can be used.
func (r *Reader) Counts(k *Known) bool { return k.Counts(r.Now(), r.MaxAge) }

// begin reports whether a request that goes by k should ask again in the background, and how
// long there was no request before it.
func (r *Reader) begin(k *Known, now int64) (due bool, idle int64) {
	came := k.came()
	return came.due(&k.Facts, r.notices.outdated(came.stored, now), now, r.MaxAge)
}

func (r *Reader) upToDate(k *Known, now int64) bool {
	return k.UpToDate(now, r.MaxAge) && !r.notices.outdated(k.came().stored, now)
}

// Newest returns what is known of o now. It calls no function of the user: it is nil if it
// would have to, or if nothing is known.
func (r *Reader) Newest(o origin.Origin) *Known {
	k, _ := r.recall(r.Load(o))
	return k
}

// Read returns what k, which came of o, means to r. It is nil if r has to ask itself, or if
// k is nil. It may call the user's function, until ctx ends.
func (r *Reader) Read(ctx context.Context, o origin.Origin, k *Known) *Known {
	if reads, ok := r.recall(k); ok {
		return reads
	}
	return r.read(ctx, o, k, false)
}

// recall is Read if r has read k before.
func (r *Reader) recall(k *Known) (reads *Known, ok bool) {
	if k == nil || k.readings == nil || k.readings.came != nil {
		return k, true
	}
	for _, one := range k.readings.list() {
		if one.by == r.id {
			return one.k, true
		}
	}
	return nil, false
}

// ReadOwn is Read for k that a fetch by r has brought. So the user's function is not asked
// again about its redirects.
func (r *Reader) ReadOwn(ctx context.Context, o origin.Origin, k *Known) *Known {
	if k.readings == nil {
		return k
	}
	return r.read(ctx, o, k, true)
}

func (r *Reader) read(ctx context.Context, o origin.Origin, k *Known, own bool) *Known {
	reads := retracer{ctx, r, o}.retraced(k, own)
	if ctx.Err() != nil {
		return nil // the user's function had no time
	}
	r.remember(o, k, reading{r.id, reads})
	return reads
}

// A retracer finds out what would have come if a Reader had asked: it goes the same way
// again, by the redirects that the Reader follows.
type retracer struct {
	ctx context.Context
	*Reader
	o origin.Origin
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
	followed, err := r.Redirects.Retrace(r.ctx, r.o, hops, beyond)
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

// retraced returns what k means to the Reader: k itself, or what would have come. It is nil if
// nobody knows. If own is true, the Reader's crawler was the last to ask.
func (r retracer) retraced(k *Known, own bool) *Known {
	var answer, tries way
	if d := k.details; k.Status != 0 && d != nil && d.redirects() && !(own && k.Failure == nil) {
		if answer = r.retrace(d.hops, d.beyond); answer.end == tooFar && len(answer.hops) == len(d.hops) {
			answer.end = there
		}
	}
	if f := k.Failure; f != nil && !own {
		if tries = r.retrace(f.Hops, f.Beyond); tries.end == there && 0 < f.TimedOut && f.TimedOut < r.Timeout {
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
		until := reads.Fresh(r.MaxAge) // the same would come again
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
