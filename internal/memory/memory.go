package memory

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/sieve"
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
