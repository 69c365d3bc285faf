package polite

import (
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/sieve"
)

// An entry is what a Cache keeps of an origin's robots.txt. Times are by the clock of
// the cache. Once an entry is stored, only what is atomic changes, and its place in the
// cache. It takes 128 bytes: one more would make it 144.
type entry struct {
	name // of the origin, once it is in the cache
	known.Record
	file     *file                         // nil if there is none
	heard    *heard                        // of the record in the Store; nil if there is no Store
	visited  atomic.Uint32                 // when the last request came, in seconds
	asked    atomic.Uint32                 // when a request has begun to ask again, in the background, in seconds; 0: none has
	details  *details                      // of the answer, beside name.validators; nil if there is nothing to tell
	replaced atomic.Pointer[chan struct{}] // closed when another entry takes its place; nil if nobody waits for that
	sieve.Node[entry]
}

type details struct {
	hops       []string
	err        error // too many redirects
	validators fetch.Validators
}

const second = int64(time.Second)

// visit notes that a request comes. It returns how long there was no request before it.
func (e *entry) visit(now int64) (gap int64) {
	gap = now - max(int64(e.visited.Load())*second, e.Fetched)
	if gap >= second { // not to write all the time to what all read
		e.visited.Store(uint32(now / second))
	}
	return gap
}

// begin reports whether the request that comes now should ask again in the background:
// if it is time, or if e is outdated. A new answer replaces e. If none comes, another
// request asks after askedFor.
func (e *entry) begin(now int64, outdated bool) bool {
	gap := e.visit(now)
	if !outdated && !(e.Due(now) && e.Pressing(now, gap)) {
		return false
	}
	asked := e.asked.Load()
	return (asked == 0 || now-int64(asked)*second > int64(askedFor)) && e.asked.CompareAndSwap(asked, max(uint32(now/second), 1))
}

// look returns how long a request can wait for its turn before it is time to ask for
// robots.txt again.
func (e *entry) look(now int64) time.Duration {
	look := e.Look()
	if asked := e.asked.Load(); asked != 0 {
		look = max(look, int64(asked)*second+int64(askedFor))
	}
	return max(time.Duration(look-now), 1)
}

// gone returns a channel that is closed when another entry takes the place of e.
func (e *entry) gone() <-chan struct{} {
	wait := make(chan struct{})
	if e.replaced.CompareAndSwap(nil, &wait) {
		return wait
	}
	return *e.replaced.Load()
}

// replace tells the requests that wait that another entry takes the place of e.
func (e *entry) replace() {
	done := make(chan struct{})
	close(done)
	if waited := e.replaced.Swap(&done); waited != nil {
		close(*waited)
	}
}

// succeed returns what is known after an answer that tells what the site wants: its
// rules, or that it has none. The answer holds for age. An answer that confirms the
// last file and has no max-age holds for as long as the last answer did (RFC 9111
// §4.3.4).
func succeed(last *entry, answer fetch.Answer, err error, agents []string, age time.Duration, now int64) *entry {
	e := new(entry)
	switch {
	case answer.Unchanged:
		if held := time.Duration(last.Fresh - last.Fetched); answer.MaxAge < 0 && held > 0 { // else last is doubted
			age = held
		}
		e.file = last.file
		answer.Status = int(last.Status)
	case err == nil && answer.Status/100 == 2:
		e.file = newFile(answer.Body, agents)
	}
	e.Record = known.Answered(answer.Status, e.file != nil, age, now)
	e.details = detailsOf(answer.Validators, answer.Hops, err)
	return e
}

// detailsOf returns the details of an answer, or nil if there is nothing to tell.
func detailsOf(v fetch.Validators, hops []string, err error) *details {
	if v.ETag == "" && v.LastModified == "" {
		v = fetch.Validators{}
	}
	if v.URL == "" && len(hops) == 0 && err == nil {
		return nil
	}
	return &details{hops: hops, err: err, validators: v}
}

// fail returns what is known after a try that brought no answer to rely on.
func fail(last *entry, answer fetch.Answer, err error, now int64) *entry {
	e, before := new(entry), known.Record{}
	if last != nil {
		before = last.Record
	}
	e.Record = before.Failed(&known.Failure{Status: answer.Status, Err: err, Hops: answer.Hops}, answer.RetryAfter, now)
	if e.Status != 0 {
		e.file, e.details = last.file, last.allDetails()
	}
	return e
}

// with returns e with the answer of last if e says only that tries have failed since then.
// last may be nil.
func (e *entry) with(last *entry, now int64) *entry {
	if last == nil || e.Status != 0 || !(last.Rules || last.Counts(now)) || last.AnsweredAfter(&e.Record) {
		return e
	}
	both := &entry{Record: last.Record, file: last.file, details: last.allDetails()}
	both.Failure, both.Refresh = e.Failure, e.Refresh
	return both
}

// validators returns what polite sends to ask whether e's file has changed.
func (e *entry) validators() fetch.Validators {
	if e == nil || e.file == nil {
		return fetch.Validators{}
	}
	if d := e.allDetails(); d != nil {
		return d.validators
	}
	return fetch.Validators{}
}

// settle gives e, which nobody has yet, its name.
func (e *entry) settle(o origin.Origin) {
	var v fetch.Validators
	if d := e.details; d != nil && hasRoom(d.validators) {
		v = d.validators
		e.details = detailsOf(fetch.Validators{}, d.hops, d.err)
	}
	e.name = nameOf(o, v)
	e.cost = cost(e)
}

// allDetails returns the details of e's answer, with the validators, or nil if there is
// nothing to tell.
func (e *entry) allDetails() *details {
	v := e.name.validators()
	switch {
	case v == (fetch.Validators{}):
		return e.details
	case e.details == nil:
		return &details{validators: v}
	default:
		return &details{e.details.hops, e.details.err, v}
	}
}

// delay returns the crawl-delay that e's rules ask of agents. It is 0 if they ask for
// none, or if e is nil.
func (e *entry) delay(agents []string) time.Duration {
	if e == nil || e.file == nil {
		return 0
	}
	delay, _ := e.file.rulesFor(agents).CrawlDelay()
	return delay
}

// entryCost is the memory that an entry takes beyond what is counted: with its place in the
// table, and what is lost to round sizes.
const entryCost = 152

// cost returns the memory that e takes, without its file.
func cost(e *entry) int32 {
	n := entryCost + len(e.text)
	if d := e.details; d != nil {
		n += 96 + len(d.validators.URL) + len(d.validators.ETag) + len(d.validators.LastModified) + size(d.hops, d.err)
	}
	if e.heard != nil {
		n += 32
	}
	if f := e.Failure; f != nil {
		n += 96 + size(f.Hops, f.Err)
	}
	return int32(n)
}

func size(hops []string, err error) (n int) {
	for _, hop := range hops {
		n += 16 + len(hop)
	}
	if err != nil {
		n += 64 + 2*len(err.Error()) // it may wrap others with texts of their own
	}
	return n
}
