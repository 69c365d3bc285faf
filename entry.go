package polite

import (
	"crypto/sha256"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/sieve"
	"github.com/go-polite/polite/robots"
)

// An entry is what a Cache keeps of an origin's robots.txt. Times are by the clock of
// the cache. Once an entry is stored, only what is atomic changes, and its place in the
// cache.
type entry struct {
	known.Record
	file     *file                         // nil if there is none
	details  *details                      // of the answer; nil if there is nothing to tell
	visited  atomic.Int64                  // when the last request came, to a second
	asked    atomic.Int64                  // when a request has begun to ask again, in the background; 0: none has
	replaced atomic.Pointer[chan struct{}] // closed when another entry takes its place; nil if nobody waits for that
	cost     int32

	put         int64        // when the record was put that has what e has
	seen        atomic.Int64 // the count of the news when it was read
	told        atomic.Int64 // the count of the newest news of it
	storeFailed atomic.Int64 // when the Store could not tell what is new; 0: it could

	sieve.Node[origin.Origin, *entry]
}

type details struct {
	hops       []string
	err        error // too many redirects
	validators fetch.Validators
}

// visit notes that a request comes. It returns how long there was no request before it.
func (e *entry) visit(now int64) (gap int64) {
	gap = now - max(e.visited.Load(), e.Fetched)
	if gap >= int64(time.Second) { // not to write all the time to what all read
		e.visited.Store(now)
	}
	return gap
}

// askedFor is how long requests wait for the answer that one of them has begun to ask
// for. After this time another one asks.
const askedFor = time.Minute

// begin reports whether the request that comes now should ask again in the background:
// if it is time, or if e is outdated. A new answer replaces e. If none comes, another
// request asks after askedFor.
func (e *entry) begin(now int64, outdated bool) bool {
	gap := e.visit(now)
	if !outdated && !(e.Due(now) && e.Pressing(now, gap)) {
		return false
	}
	asked := e.asked.Load()
	return (asked == 0 || now-asked > int64(askedFor)) && e.asked.CompareAndSwap(asked, max(now, 1))
}

// look returns how long a request can wait for its turn before it is time to ask for
// robots.txt again.
func (e *entry) look(now int64) time.Duration {
	look := e.Look()
	if asked := e.asked.Load(); asked != 0 {
		look = max(look, asked+int64(askedFor))
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
		e.file, e.details = last.file, last.details
	}
	return e
}

// with returns e with the answer of last if e says only that tries have failed since then.
// last may be nil.
func (e *entry) with(last *entry, now int64) *entry {
	if last == nil || e.Status != 0 || !(last.Rules || last.Counts(now)) || last.AnsweredAfter(&e.Record) {
		return e
	}
	both := &entry{Record: last.Record, file: last.file, details: last.details}
	both.Failure, both.Refresh = e.Failure, e.Refresh
	return both
}

// validators returns what polite sends to ask whether e's file has changed.
func (e *entry) validators() fetch.Validators {
	if e == nil || e.file == nil || e.details == nil {
		return fetch.Validators{}
	}
	return e.details.validators
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

// A file is a robots.txt. Origins with equal files share it.
type file struct {
	*robots.File
	rules   robots.Rules // for agents: with them, a warm request takes 0.93 of the time
	agents  []string     // of the crawler that has fetched it
	digest  digest
	users   int          // entries in the cache
	counted int64        // bytes that the cache counts for it
	seen    atomic.Int64 // the size that it had when it was last counted
}

type digest [sha256.Size]byte

func newFile(body []byte, agents []string) *file {
	parsed := robots.Parse(body)
	return &file{File: parsed, rules: parsed.Rules(agents...), agents: agents, digest: sha256.Sum256(body)}
}

// rulesFor returns the rules for a crawler with these tokens.
func (f *file) rulesFor(agents []string) robots.Rules {
	if slices.Equal(agents, f.agents) {
		return f.rules
	}
	return f.Rules(agents...)
}

// sameFile reports whether two files are equal. Each may be nil.
func sameFile(a, b *file) bool {
	return a == b || a != nil && b != nil && a.digest == b.digest
}

// parsed returns what callers see of f, which may be nil.
func (f *file) parsed() *robots.File {
	if f == nil {
		return nil
	}
	return f.File
}

// grown reports whether f takes more memory than when it was last counted. A query can
// make it build an index.
func (f *file) grown() bool { return int64(f.Size()) != f.seen.Load() }

// The memory that an entry and a file take beyond what is counted: their places in the
// maps and in the queue, and what is lost to round sizes.
const (
	entryCost = 312
	fileCost  = 130
)

func cost(o origin.Origin, e *entry) int32 {
	n := entryCost + len(o.Host) + len(o.Dial)
	if d := e.details; d != nil {
		n += 96 + len(d.validators.URL) + len(d.validators.ETag) + len(d.validators.LastModified) + size(d.hops, d.err)
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
