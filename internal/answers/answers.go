// Package answers keeps what is known of origins in this process: their answers for
// robots.txt, the files, and since when each is known. It is bounded: it forgets the
// origins that are asked for least.
//
//	answers.go the memory, and the files in it
//	known.go   what is known of one origin
//	reader.go  what it means to one Transport
package answers

import (
	"bytes"
	"crypto/sha256"
	"slices"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/sieve"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// A Memory keeps what is known of origins, within a bound. Equal files are kept once. It
// is safe for concurrent use.
type Memory struct {
	most     int64        // bytes
	others   func() int64 // the bytes that others take within the bound
	clock    *clock.Clock
	notices  notices
	counters counters
	readers  atomic.Uint64

	origins *sieve.Cache[origin.Origin, Known, *Known]
	bytes   atomic.Int64

	mu        sync.Mutex // for who changes origins or bytes, and of what follows
	files     map[Digest]*File
	evictions uint64
	left      int // origins that were evicted since files was compacted
}

// New returns a Memory that takes at most so many bytes, together with what others take.
// wall is the time of day; if nil, it is time.Now.
func New(most int64, others func() int64, wall func() time.Time) *Memory {
	return &Memory{most: most, others: others, clock: clock.New(wall), origins: sieve.New[origin.Origin, Known]()}
}

// Now returns the time by the clock of m: how long m has existed.
func (m *Memory) Now() int64 { return int64(m.clock.Now()) }

// Wall returns the time of day of a time by the clock of m.
func (m *Memory) Wall(t int64) time.Time { return m.clock.Wall(time.Duration(t)) }

// Stats returns what m keeps now, and what it has counted.
func (m *Memory) Stats() (stats Stats) {
	m.counters.read(&stats)
	m.mu.Lock()
	defer m.mu.Unlock()
	stats.Origins, stats.Files, stats.Bytes, stats.Evictions = m.origins.Len(), len(m.files), m.size(), m.evictions
	return stats
}

// Fetched counts a fetch that has brought k.
func (m *Memory) Fetched(k *Known, unchanged bool) { m.counters.fetched(k, unchanged) }

// Recalled counts an answer that came from a Store.
func (m *Memory) Recalled() { m.counters.recalled.Add(1) }

// Outdated reports whether the Store may have a newer entry than the one behind k.
func (m *Memory) Outdated(k *Known) bool { return m.notices.outdated(k.stored, m.Now()) }

// Announced reports whether a change notice says that the Store has a newer entry than the
// one behind k.
func (m *Memory) Announced(k *Known) bool { return k.came().stored.announced(m.Now()) }

// Notices returns the count of the change notices.
func (m *Memory) Notices() int64 { return m.notices.count.Load() }

// Miss notes that some change notices may have been missed until now.
func (m *Memory) Miss() { m.notices.miss() }

// Load returns what came of o, or nil. It takes no lock.
func (m *Memory) Load(o origin.Origin) *Known {
	// Find, since Get calls the methods of a type parameter: with Find, a warm request
	// takes 0.93 of the time.
	k := m.origins.Find(o.Hash(m.origins.Seed()), func(k *Known) bool { return k.HasKey(o) })
	if k != nil {
		k.Want()
	}
	return k
}

// Keep lets k take the place of what was known of o.
func (m *Memory) Keep(o origin.Origin, k *Known) {
	k.settle(o)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bytes.Add(int64(k.cost))
	m.share(k)
	if k.stored != nil {
		k.stored.noticed.Store(m.notices.others.Load()) // it may have been of o
		if old := m.origins.Get(o); old != nil {
			k.stored.noticed.Store(old.stored.noticed.Load())
		}
	}
	if old := m.origins.Put(k); old != nil {
		m.release(old)
		old.replace()
	}
	m.shrink()
}

// Notice notes that the entry of o in the Store was replaced by another. If what is known
// of o was put just now, it is from this entry.
func (m *Memory) Notice(o origin.Origin) {
	now := m.Now()
	m.mu.Lock()
	defer m.mu.Unlock()
	count := m.notices.count.Add(1)
	if k := m.origins.Get(o); k == nil {
		m.notices.others.Store(count)
	} else if now-k.stored.put > int64(known.Exact) {
		k.stored.noticed.Store(count)
		k.wake()
	}
}

// Trim evicts what is asked for least if others have made the Memory larger than its
// bound.
func (m *Memory) Trim() {
	if m.size() > m.most {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.shrink()
	}
}

// size returns the memory for all that is kept: origins, files and what others keep.
func (m *Memory) size() int64 { return m.bytes.Load() + m.others() }

// shrink evicts what is asked for least until the Memory is within its bound.
func (m *Memory) shrink() {
	for m.size() > m.most {
		old := m.origins.Evict()
		if old == nil {
			break
		}
		m.release(old)
		m.evictions++
		m.left++
	}
	if m.left > 2*m.origins.Len() {
		m.files, m.left = sieve.Compact(m.files), 0
	}
}

// share makes k use the file that other origins use, if the two are equal.
func (m *Memory) share(k *Known) {
	if k.File == nil {
		return
	}
	if same, ok := m.files[k.File.Digest]; ok {
		k.File = same
	} else {
		if m.files == nil {
			m.files = make(map[Digest]*File)
		}
		m.files[k.File.Digest] = k.File
	}
	k.File.users++
	m.count(k.File)
}

// count brings the bytes that are counted for f up to date.
func (m *Memory) count(f *File) {
	size := int64(f.Size())
	f.seen.Store(size)
	if size += fileCost; f.users == 0 {
		size = 0 // it was evicted
	}
	m.bytes.Add(size - f.counted)
	f.counted = size
}

// Recount counts what a query has added to f, which may be nil.
func (m *Memory) Recount(f *File) {
	if f == nil || !f.grown() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count(f)
	m.shrink()
}

// release gives back what k has taken. The Memory no longer keeps k.
func (m *Memory) release(k *Known) {
	m.bytes.Add(-int64(k.cost))
	if k.File == nil {
		return
	}
	k.File.users--
	if k.File.users == 0 {
		delete(m.files, k.File.Digest)
		m.count(k.File)
	}
}

// A File is a robots.txt. Origins with equal files share it.
type File struct {
	*robots.File
	Digest  Digest
	WebPage bool         // it is a page for browsers: it begins with "<", and no line of it counts
	rules   robots.Rules // for agents: with them, a warm request takes 0.93 of the time
	agents  []string     // of the crawler that has fetched it
	users   int          // origins in memory
	counted int64        // bytes that the memory counts for it
	seen    atomic.Int64 // the size that it had when it was last counted
	reading atomic.Pointer[usage.Reading]
}

// A Digest tells the bodies of files apart.
type Digest [sha256.Size]byte

// NewFile reads the body of a robots.txt for a crawler with these tokens.
func NewFile(body []byte, agents []string) *File {
	parsed := robots.Parse(body)
	return &File{File: parsed, rules: parsed.Rules(agents...), agents: agents, Digest: sha256.Sum256(body), WebPage: isWebPage(body, parsed)}
}

// isWebPage reports whether a body begins as a web page does, and no line of it counts.
func isWebPage(body []byte, parsed *robots.File) bool {
	if !bytes.HasPrefix(bytes.TrimLeft(body, "\ufeff \t\r\n"), []byte("<")) {
		return false
	}
	for range parsed.Named() {
		return false
	}
	for range parsed.Sitemaps() {
		return false
	}
	return true
}

// RulesFor returns the rules for a crawler with these tokens.
func (f *File) RulesFor(agents []string) robots.Rules {
	if slices.Equal(agents, f.agents) {
		return f.rules
	}
	return f.Rules(agents...)
}

// Said returns what the file says about the use of target to a crawler that these rules of
// the file are for. It reads the statements of the file once, when it is first asked.
func (f *File) Said(rules robots.Rules, target string) usage.Statement {
	if f.reading.Load() == nil {
		f.reading.CompareAndSwap(nil, usage.Read(f.File))
	}
	return f.reading.Load().OfRules(rules, target)
}

// Size returns about how many bytes of memory the file takes.
func (f *File) Size() int {
	if reading := f.reading.Load(); reading != nil {
		return f.File.Size() + reading.Size()
	}
	return f.File.Size()
}

// Equals reports whether two files are equal. Each may be nil.
func (f *File) Equals(other *File) bool {
	return f == other || f != nil && other != nil && f.Digest == other.Digest
}

// Parsed returns what callers see of f, which may be nil.
func (f *File) Parsed() *robots.File {
	if f == nil {
		return nil
	}
	return f.File
}

// grown reports whether f takes more memory than when it was last counted. A query can
// make it build an index.
func (f *File) grown() bool { return int64(f.Size()) != f.seen.Load() }

// fileCost is the memory that a file takes beyond what is counted: with its place in the
// map, and what is lost to round sizes.
const fileCost = 200

// Stats tells what a Memory keeps now, and what it has counted.
type Stats struct {
	Origins, Files int
	Bytes          int64

	Hits, Stale, Misses                                  uint64 // requests
	Recalled, Found, Unchanged, Unavailable, Unreachable uint64 // answers
	Evictions                                            uint64 // origins
}

type counters struct {
	lookups                                    [64]lookups
	found, unchanged, unavailable, unreachable atomic.Uint64
	recalled                                   atomic.Uint64
}

// lookups are what some of the goroutines have counted. Each has cache lines of its own, so
// that cores need not wait for each other.
type lookups struct {
	hits, stale, misses atomic.Uint64
	_                   [104]byte
}

// read fills in what c has counted.
func (c *counters) read(stats *Stats) {
	stats.Recalled, stats.Found, stats.Unchanged = c.recalled.Load(), c.found.Load(), c.unchanged.Load()
	stats.Unavailable, stats.Unreachable = c.unavailable.Load(), c.unreachable.Load()
	for i := range c.lookups {
		own := &c.lookups[i]
		stats.Hits += own.hits.Load()
		stats.Stale += own.stale.Load()
		stats.Misses += own.misses.Load()
	}
}

// own returns the lookups of this goroutine. The place of its stack tells it from others.
func (c *counters) own() *lookups {
	var here byte
	const odd = 0x9E3779B97F4A7C15 // 2⁶⁴ divided by the golden ratio
	return &c.lookups[uint64(uintptr(unsafe.Pointer(&here))>>11)*odd>>58]
}

// look counts a request that finds an origin in that state.
func (c *counters) look(state known.State) {
	own := c.own()
	if state == known.Expired {
		own.misses.Add(1)
		return
	}
	own.hits.Add(1)
	if state == known.Stale {
		own.stale.Add(1)
	}
}

// fetched counts a fetch that has brought k.
func (c *counters) fetched(k *Known, unchanged bool) {
	switch {
	case k.Failure != nil:
		c.unreachable.Add(1)
	case unchanged:
		c.unchanged.Add(1)
	case k.File != nil:
		c.found.Add(1)
	default:
		c.unavailable.Add(1)
	}
}
