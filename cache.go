package polite

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/sieve"
	"github.com/go-polite/polite/robots"
	"golang.org/x/sync/singleflight"
)

// A Cache keeps what origins answered when they were asked for robots.txt, and
// asks them again in time.
//
// An answer holds for 24 hours (RFC 9309 §2.4), or for as long as its
// Cache-Control says, if that is less, but no less than 5 minutes. It is asked
// for again ahead of that, when a request comes, in the background, and with a
// conditional request: requests do not wait for rules that are known. If there
// were none until 24 hours were over, the next one waits.
//
// If an origin cannot be reached, the rules that are known go on to count, as
// stale. It is asked again, when a request comes, after a minute, then two, and
// so on up to an hour, or when Retry-After says, if that is later.
//
// An origin is asked once at a time, however many requests wait for the answer.
// The zero Cache is ready for use. Transports that share one ask each origin
// once between them; but not if one is the Base of another. It is safe for
// concurrent use, has nothing to close, and must not be copied.
type Cache struct {
	// MaxBytes bounds the memory for what is kept, files that are the same
	// counted once. The origins that are asked for least give way; but one is
	// kept whatever its size. Zero is 64 MiB.
	MaxBytes int64

	// MaxFetches bounds the number of robots.txt that are being fetched at the
	// same time; others wait. Zero is 100.
	MaxFetches int

	init    sync.Once
	flights singleflight.Group
	slots   chan struct{} // one for each fetch under way
	stats   counters

	mu      sync.RWMutex // of what follows
	entries sieve.Cache[origin.Origin, *entry]
	files   map[digest]*file
	bytes   int64
}

const (
	defaultMaxBytes   = 64 << 20
	defaultMaxFetches = 100
)

// Stats tells what a Cache keeps, and what it has done until now.
type Stats struct {
	Origins int   // that something is known of
	Files   int   // that differ
	Bytes   int64 // that both take

	Hits   uint64 // requests for which an answer was known
	Stale  uint64 // those of them for which it was stale
	Misses uint64 // requests that waited for an answer

	Found       uint64 // fetches that brought a file
	Unchanged   uint64 // fetches that brought word that the file is the same
	Unavailable uint64 // fetches that brought word that there is none
	Unreachable uint64 // fetches that brought nothing to rely on
	Evictions   uint64 // origins that gave way
}

type counters struct {
	hits, stale, misses                        atomic.Uint64
	found, unchanged, unavailable, unreachable atomic.Uint64
	evictions                                  atomic.Uint64
}

// Stats returns the statistics of c.
func (c *Cache) Stats() Stats {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return Stats{
		Origins: c.entries.Len(), Files: len(c.files), Bytes: c.bytes,
		Hits: c.stats.hits.Load(), Stale: c.stats.stale.Load(), Misses: c.stats.misses.Load(),
		Found: c.stats.found.Load(), Unchanged: c.stats.unchanged.Load(),
		Unavailable: c.stats.unavailable.Load(), Unreachable: c.stats.unreachable.Load(),
		Evictions: c.stats.evictions.Load(),
	}
}

func (n *counters) count(e *entry, answer fetch.Answer) {
	switch {
	case e.failure != nil:
		n.unreachable.Add(1)
	case answer.Unchanged:
		n.unchanged.Add(1)
	case e.file != nil:
		n.found.Add(1)
	default:
		n.unavailable.Add(1)
	}
}

func (c *Cache) setup() {
	if c.MaxBytes <= 0 {
		c.MaxBytes = defaultMaxBytes
	}
	if c.MaxFetches <= 0 {
		c.MaxFetches = defaultMaxFetches
	}
	c.slots = make(chan struct{}, c.MaxFetches)
}

// get returns what is known of q's origin. If that is due to be asked for again,
// it is, in the background; if it cannot be used any more, get waits until it is
// known, together with everyone else who does, for as long as ctx lasts.
func (c *Cache) get(ctx context.Context, q query) (*entry, error) {
	c.init.Do(c.setup)
	e := c.load(q.origin)
	now := time.Now().UnixNano()
	if e == nil || !e.usable(now) {
		c.stats.misses.Add(1)
		return c.wait(ctx, q)
	}
	c.stats.hits.Add(1)
	if e.stale(now) {
		c.stats.stale.Add(1)
	}
	if e.due(now) && e.asking.CompareAndSwap(false, true) {
		c.fly(q)
	}
	return e, nil
}

func (c *Cache) wait(ctx context.Context, q query) (*entry, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	select {
	case landed := <-c.fly(q):
		e, _ := landed.Val.(*entry)
		return e, landed.Err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// fly begins the flight for q's origin, or joins the one that is under way.
func (c *Cache) fly(q query) <-chan singleflight.Result {
	return c.flights.DoChan(q.origin.Key(), func() (any, error) {
		known := c.load(q.origin)
		if known != nil {
			defer known.asking.Store(false)
			if !known.due(time.Now().UnixNano()) {
				return known, nil // another flight has landed since
			}
		}
		c.slots <- struct{}{}
		defer func() { <-c.slots }()
		return guard(func() *entry { return q.ask(known) })
	})
}

// guard calls ask, which is in part the user's code, so that neither a panic nor
// runtime.Goexit harms those who wait for it.
func guard(ask func() *entry) (e *entry, err error) {
	err = errors.New("polite: the goroutine that asked for robots.txt was ended by the transport")
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("polite: panic while asking for robots.txt: %v", p)
			}
		}()
		e, err = ask(), nil
	}()
	<-done
	return e, err
}

func (c *Cache) load(o origin.Origin) *entry {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e, _ := c.entries.Get(o)
	return e
}

func (c *Cache) store(o origin.Origin, e *entry) {
	o.Host, o.Dial = strings.Clone(o.Host), strings.Clone(o.Dial) // not to keep the URL that they are parts of
	c.mu.Lock()
	defer c.mu.Unlock()
	e.cost = cost(o, e)
	c.bytes += int64(e.cost)
	c.share(e)
	if old, ok := c.entries.Put(o, e); ok {
		c.release(old)
	}
	for c.bytes > c.MaxBytes {
		old, ok := c.entries.Evict()
		if !ok {
			break
		}
		c.release(old)
		c.stats.evictions.Add(1)
	}
}

// A file is a robots.txt that origins share which have the same.
type file struct {
	*robots.File
	digest digest
	users  int // entries in the cache
}

type digest [sha256.Size]byte

// share makes e use the file that others use, if that is the same.
func (c *Cache) share(e *entry) {
	if e.file == nil {
		return
	}
	if known, ok := c.files[e.file.digest]; ok {
		e.file = known
	} else {
		if c.files == nil {
			c.files = make(map[digest]*file)
		}
		c.files[e.file.digest] = e.file
		c.bytes += int64(e.file.cost())
	}
	e.file.users++
}

// release gives back what e, which is no longer kept, has taken.
func (c *Cache) release(e *entry) {
	c.bytes -= int64(e.cost)
	if e.file == nil {
		return
	}
	e.file.users--
	if e.file.users == 0 {
		delete(c.files, e.file.digest)
		c.bytes -= int64(e.file.cost())
	}
}

// What the parts of a cache take besides what is counted: the places in the
// maps and in the queue, and what is lost to round sizes.
const (
	entryCost = 240
	fileCost  = 160
)

func cost(o origin.Origin, e *entry) int32 {
	n := entryCost + len(o.Host) + len(o.Dial)
	if d := e.details; d != nil {
		n += 96 + len(d.validators.URL) + len(d.validators.ETag) + len(d.validators.LastModified) + size(d.hops, d.err)
	}
	if f := e.failure; f != nil {
		n += 96 + size(f.hops, f.err)
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

func (f *file) cost() int { return fileCost + f.Size() }

// An entry is what is known of an origin's robots.txt. It does not change.
type entry struct {
	file    *file    // nil if there is none
	details *details // of the answer that counts; nil if there is nothing to tell
	failure *failure // of the tries since then; nil if there was none
	fetched int64    // when the answer that counts came, or was confirmed
	fresh   int64    // until when it is fresh
	refresh int64    // from when to ask again
	status  int16    // of the answer that counts; 0 if there is none
	asking  atomic.Bool
	cost    int32
}

type details struct {
	hops       []string
	err        error // too many redirects
	validators fetch.Validators
}

type failure struct {
	since  int64
	tries  int
	status int
	err    error
	hops   []string
}

const (
	maxAge     = 24 * time.Hour // RFC 9309 §2.4
	minAge     = 5 * time.Minute
	maxLongAge = 30 * 24 * time.Hour
	firstRetry = time.Minute
	lastRetry  = time.Hour
	longOutage = 30 * 24 * time.Hour
)

// due reports whether it is time to ask again.
func (e *entry) due(now int64) bool { return now >= e.refresh }

// usable reports whether e may be used while it is asked for again.
func (e *entry) usable(now int64) bool {
	switch {
	case e.status == 0:
		return !e.due(now)
	case e.file != nil && e.failure != nil:
		return true // the last good copy (RFC 9309 §2.3.1.4)
	default:
		return now < max(e.fresh, e.fetched+int64(maxAge))
	}
}

// stale reports whether e is a copy that should have been replaced by now.
func (e *entry) stale(now int64) bool { return e.status != 0 && now >= e.fresh }

// succeed returns what is known after an answer that tells what the site wants:
// rules, or that there are none.
func succeed(known *entry, answer fetch.Answer, err error, p Policy) *entry {
	now := time.Now().UnixNano()
	age := p.freshness(answer.MaxAge)
	e := &entry{status: int16(answer.Status), fetched: now, fresh: now + int64(age), refresh: now + int64(jitter(age, 0.9, 0.95))}
	switch {
	case answer.Unchanged:
		e.file, e.status = known.file, known.status
	case err == nil && answer.Status/100 == 2:
		e.file = &file{File: robots.Parse(answer.Body), digest: sha256.Sum256(answer.Body)}
	}
	v := answer.Validators
	if v.ETag == "" && v.LastModified == "" {
		v = fetch.Validators{}
	}
	if v.URL != "" || len(answer.Hops) > 0 || err != nil {
		e.details = &details{hops: answer.Hops, err: err, validators: v}
	}
	return e
}

// fail returns what is known after there was no answer: what was known before,
// as long as it can be used, and when to try again.
func fail(known *entry, answer fetch.Answer, err error) *entry {
	now := time.Now().UnixNano()
	f := &failure{since: now, tries: 1, status: answer.Status, err: err, hops: answer.Hops}
	e := &entry{failure: f}
	if known != nil {
		if last := known.failure; last != nil {
			f.since, f.tries = last.since, last.tries+1
		}
		if known.file != nil || known.usable(now) && known.status != 0 {
			e.file, e.details, e.status = known.file, known.details, known.status
			e.fetched, e.fresh = known.fetched, known.fresh
		}
	}
	wait := min(firstRetry<<min(f.tries-1, 10), lastRetry)
	e.refresh = now + int64(max(jitter(wait, 0.75, 1), answer.RetryAfter))
	return e
}

// validators returns what to ask for a change of.
func (e *entry) validators() fetch.Validators {
	if e == nil || e.file == nil || e.details == nil {
		return fetch.Validators{}
	}
	return e.details.validators
}

// jitter returns a random part of d, so that what was asked for together is not
// asked for together again.
func jitter(d time.Duration, low, high float64) time.Duration {
	return time.Duration(float64(d) * (low + (high-low)*rand.Float64()))
}
