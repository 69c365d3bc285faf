package polite

import (
	"sync"
	"time"

	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/pace"
	"github.com/go-polite/polite/internal/sieve"
)

// A Cache keeps the robots.txt of origins, asks for it again in time, and keeps the
// turns of the requests to them.
//
// An answer is fresh for 24 hours (RFC 9309 §2.4). Cache-Control can make this shorter,
// down to 5 minutes. Before the time is over, the Cache asks again, in the background
// and with a conditional request, so no request has to wait. It asks about once a day,
// and only while requests come. Requests that wait for their turn count, too. If no
// request comes in time, the answer expires after the 24 hours. The next request then
// waits for a new one. The Cache does not use the time of day, so you can set the
// machine's clock back or forward.
//
// If an origin cannot be reached, the rules that are known still apply: they are stale.
// The Cache asks again when a request comes after a minute, then after two minutes, and
// so on, up to an hour. If Retry-After asks for a longer time, the Cache waits for that
// time.
//
// The Cache asks an origin once at a time, even if many requests wait for the answer.
// If all of them are cancelled, the fetch ends. A fetch is slow after 3 seconds. While
// other origins wait, slow fetches may use half of MaxFetches. If there are more slow
// ones, the oldest fails.
//
// The zero Cache is ready for use. Wrap a client once and share it, or give one Cache
// to several Transports. Then they ask each origin once between them, and take turns
// with each other. Do not make one such Transport the Base of another. A request would
// wait for itself, so it fails with an error. A Cache is safe for concurrent use. There
// is nothing to close. Do not copy it.
type Cache struct {
	// MaxBytes is the most memory that the Cache uses. Equal files count once. If there
	// is too much, the Cache forgets the origins that are asked for least, but keeps at
	// least one. Turns take up to a quarter of MaxBytes. If there are more, the Cache
	// first forgets the turns that end soonest. The turns of 256 origins are always
	// kept. Their memory does not count. Zero is 64 MiB.
	MaxBytes int64

	// MaxFetches is the number of robots.txt files that the Cache fetches at the same
	// time. Other fetches wait. Policy.Timeout does not count this waiting. Zero is
	// 100.
	MaxFetches int

	init     sync.Once
	born     time.Time // when its clock began
	maxBytes int64
	lanes    *pace.Pacer[laneKey]
	visits   *pace.Pacer[origin.Origin] // of fetches that were redirected
	flights  flights
	stats    counters

	mu      sync.RWMutex // of what follows
	entries sieve.Cache[origin.Origin, *entry]
	files   map[digest]*file
	bytes   int64
	left    int // entries that were evicted since the maps were compacted
}

const (
	defaultMaxBytes   = 64 << 20
	defaultMaxFetches = 100
)

// Stats returns what c keeps now, and what it has done.
func (c *Cache) Stats() Stats {
	c.mu.RLock()
	defer c.mu.RUnlock()
	stats := c.stats.read()
	stats.Origins, stats.Files, stats.Bytes = c.entries.Len(), len(c.files), c.size()
	return stats
}

func (c *Cache) setup() {
	c.maxBytes = c.MaxBytes
	if c.maxBytes <= 0 {
		c.maxBytes = defaultMaxBytes
	}
	fetches := c.MaxFetches
	if fetches <= 0 {
		fetches = defaultMaxFetches
	}
	c.flights.places = newPlaces(fetches)
	c.lanes = pace.New(int(c.maxBytes/4/pace.LaneBytes), laneKey.own)
	c.visits = pace.New(pace.FewestLanes, own)
	c.born = time.Now()
}

// now returns the time by the cache's clock: how long the cache has existed. Setting
// the wall clock does not change it.
func (c *Cache) now() int64 { return int64(time.Since(c.born)) }

// wall returns the time of day of a time by the cache's clock.
func (c *Cache) wall(t int64) time.Time { return c.born.Add(time.Duration(t)) }

// find returns what is known of o, or nil if nothing can be used. It also reports
// whether it is time to ask for it again.
func (c *Cache) find(o origin.Origin) (e *entry, due bool) {
	e, now := c.load(o), c.now()
	state := known.Expired
	if e != nil {
		state = e.State(now)
	}
	c.stats.look(state)
	if state == known.Expired {
		return nil, true
	}
	return e, e.begin(now)
}

// findAgain is find for a request that has waited since. It does not count the request
// again. Once the turn of the request has come, it returns only what is up to date.
func (c *Cache) findAgain(o origin.Origin, come bool) (e *entry, due bool) {
	e, now := c.load(o), c.now()
	if e == nil || e.State(now) == known.Expired || come && !e.UpToDate(now) {
		return nil, true
	}
	return e, e.begin(now)
}

// current reports whether a request that has waited may still go by e.
func (c *Cache) current(o origin.Origin, e *entry) bool {
	last := c.load(o)
	return (last == e || last == nil) && e.UpToDate(c.now()) // nil: evicted
}

func (c *Cache) load(o origin.Origin) *entry {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.entries.Get(o)
}

func (c *Cache) store(o origin.Origin, e *entry) {
	o = own(o)
	c.mu.Lock()
	defer c.mu.Unlock()
	e.cost = cost(o, e)
	c.bytes += int64(e.cost)
	c.share(e)
	if old := c.entries.Put(o, e); old != nil {
		c.release(old)
		old.replace()
	}
	c.shrink()
}

// trim evicts what is asked for least if the turns have made the cache larger than its
// bound.
func (c *Cache) trim() {
	c.mu.RLock()
	within := c.size() <= c.maxBytes
	c.mu.RUnlock()
	if !within {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.shrink()
	}
}

// size returns the memory for all that is kept: origins, files and turns.
func (c *Cache) size() int64 {
	if c.lanes == nil {
		return c.bytes
	}
	return c.bytes + int64(max(c.lanes.Keys()-pace.FewestLanes, 0))*pace.LaneBytes
}

// shrink evicts what is asked for least until the cache is within its bound.
func (c *Cache) shrink() {
	for c.size() > c.maxBytes {
		old := c.entries.Evict()
		if old == nil {
			break
		}
		c.release(old)
		c.stats.evictions.Add(1)
		c.left++
	}
	if c.left > 2*c.entries.Len() {
		c.entries.Compact()
		c.files, c.left = sieve.Compact(c.files), 0
	}
}

// share makes e use the file that other entries use, if the two are equal.
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
	}
	e.file.users++
	c.count(e.file)
}

// count brings the bytes that are counted for f up to date.
func (c *Cache) count(f *file) {
	size := int64(f.Size())
	f.seen.Store(size)
	if size += fileCost; f.users == 0 {
		size = 0 // it was evicted
	}
	c.bytes += size - f.counted
	f.counted = size
}

// recount counts what a query has added to f, which may be nil.
func (c *Cache) recount(f *file) {
	if f == nil || !f.grown() {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count(f)
	c.shrink()
}

// release gives back what e has taken. The cache no longer keeps e.
func (c *Cache) release(e *entry) {
	c.bytes -= int64(e.cost)
	if e.file == nil {
		return
	}
	e.file.users--
	if e.file.users == 0 {
		delete(c.files, e.file.digest)
		c.count(e.file)
	}
}
