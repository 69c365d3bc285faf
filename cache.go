package polite

import (
	"sync"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/pace"
	"github.com/go-polite/polite/internal/record"
	"github.com/go-polite/polite/store"
)

// A Cache keeps the robots.txt of origins, asks for it again in time, and keeps the
// turns of the requests to them.
//
// An answer is fresh for 24 hours (RFC 9309 §2.4). Cache-Control can make this shorter,
// down to 5 minutes. Before the time is over, the Cache asks again, in the background
// and with a conditional request, so no request has to wait. It asks about once a day,
// and only while requests come. Requests that wait for their turn count, too. If no
// request comes in time, the answer expires after the 24 hours. The next request then
// waits for a new one. A time is over when it is over by the monotonic clock or by the
// time of day. So you can set the machine's clock back, and the time in which it sleeps
// counts.
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

	// Store keeps the answers of origins for longer than this process lives, or for
	// several processes. The Cache asks it only if it does not know an origin, if it is
	// time to ask the origin again, or if it may know less than another process: Turns
	// that is a Store, too, tells of that. If nil, the Cache keeps answers in memory
	// alone. If the Store fails, this process asks the origins by itself, and the Logger
	// tells.
	Store store.Store

	// Turns keeps the turns for longer than this process lives, or for several
	// processes. If nil, it is Store, if Store is Turns too. If not, the Cache keeps
	// turns in memory alone. If Turns fails, requests fail with a DelayError.
	Turns store.Turns

	init      sync.Once
	timeOfDay func() time.Time // if nil, time.Now
	clock     *clock.Clock
	memory    *memory
	lanes     *pace.Pacer[laneKey]
	visits    *pace.Pacer[origin.Origin] // of fetches that were redirected
	places    *places
	flights   flights
	stats     counters
	shared    shared
	coder     record.Coder
}

const (
	defaultMaxBytes   = 64 << 20
	defaultMaxFetches = 100
)

// Stats returns what c keeps now, and what it has done.
func (c *Cache) Stats() Stats {
	c.init.Do(c.setup)
	stats := c.stats.read()
	c.memory.tell(&stats)
	return stats
}

func (c *Cache) setup() {
	most := c.MaxBytes
	if most <= 0 {
		most = defaultMaxBytes
	}
	fetches := c.MaxFetches
	if fetches <= 0 {
		fetches = defaultMaxFetches
	}
	c.places = newPlaces(fetches)
	c.lanes = pace.New(int(most/4/pace.LaneBytes), laneKey.own)
	c.memory = newMemory(most, c.turnBytes)
	c.visits = pace.New(pace.FewestLanes, own)
	c.clock = clock.New(c.timeOfDay)
	turns := c.Turns
	if turns == nil {
		turns, _ = c.Store.(store.Turns)
	}
	c.shared.use(turns, c.lanes)
	if _, tells := turns.(store.Store); tells && c.Store != nil {
		c.shared.replaced, c.shared.watch.miss = c.replaced, c.memory.news.miss
	}
}

// replaced is told that a record in the Store was replaced by another.
func (c *Cache) replaced(key string) {
	if o, ok := recordOrigin(key); ok {
		c.memory.outdate(o, c.now())
	}
}

// outdated reports whether there is news of e that e does not have.
func (c *Cache) outdated(e *entry, now int64) bool { return c.memory.news.outdated(e.heard, now) }

// turnBytes returns the memory that the turns take.
func (c *Cache) turnBytes() int64 {
	return int64(max(c.lanes.Keys()-pace.FewestLanes, 0)) * pace.LaneBytes
}

// now returns the time by the cache's clock: how long the cache has existed.
func (c *Cache) now() int64 { return int64(c.clock.Now()) }

// wall returns the time of day of a time by the cache's clock.
func (c *Cache) wall(t int64) time.Time { return c.clock.Wall(time.Duration(t)) }

// find returns what is known of o, or nil if nothing can be used. It also reports
// whether it is time to ask for it again.
func (c *Cache) find(o origin.Origin) (e *entry, lookup Lookup, due bool) {
	e, now := c.memory.load(o), c.now()
	state := known.Expired
	if e != nil {
		state = e.State(now)
	}
	if lookup = c.stats.look(state); lookup == LookupMiss {
		return nil, lookup, true
	}
	return e, lookup, e.begin(now, c.outdated(e, now))
}

// findAgain is find for a request that has waited since. It does not count the request
// again. Once the turn of the request has come, it returns only what is up to date.
func (c *Cache) findAgain(o origin.Origin, come bool) (e *entry, due bool) {
	e, now := c.memory.load(o), c.now()
	if e == nil || e.State(now) == known.Expired {
		return nil, true
	}
	outdated := c.outdated(e, now)
	if come && (outdated || !e.UpToDate(now)) {
		return nil, true
	}
	return e, e.begin(now, outdated)
}

// current reports whether a request that has waited may still go by e.
func (c *Cache) current(o origin.Origin, e *entry) bool {
	last, now := c.memory.load(o), c.now()
	return (last == e || last == nil) && e.UpToDate(now) && !c.outdated(e, now) // nil: evicted
}
