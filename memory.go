package polite

import (
	"sync"

	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/sieve"
)

// A memory keeps what is known of origins, within a bound. Equal files are kept once.
type memory struct {
	most  int64        // bytes
	turns func() int64 // the bytes that the turns take
	news  news

	mu        sync.RWMutex // of what follows
	entries   sieve.Cache[origin.Origin, *entry]
	files     map[digest]*file
	bytes     int64
	evictions uint64
	left      int // entries that were evicted since the maps were compacted
}

// tell fills in what is kept now.
func (m *memory) tell(stats *Stats) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	stats.Origins, stats.Files, stats.Bytes, stats.Evictions = m.entries.Len(), len(m.files), m.size(), m.evictions
}

func (m *memory) load(o origin.Origin) *entry {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.entries.Get(o)
}

// keep lets e take the place of what was known of o.
func (m *memory) keep(o origin.Origin, e *entry) {
	o = own(o)
	m.mu.Lock()
	defer m.mu.Unlock()
	e.cost = cost(o, e)
	m.bytes += int64(e.cost)
	m.share(e)
	if old := m.entries.Put(o, e); old != nil {
		e.told.Store(old.told.Load())
		m.release(old)
		old.replace()
	} else {
		e.told.Store(m.news.others.Load()) // it may have been of o
	}
	m.shrink()
}

// outdate notes that the record of o was replaced by another. If what is known of o was put
// just now, it is this record.
func (m *memory) outdate(o origin.Origin, now int64) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	count := m.news.count.Add(1)
	if e := m.entries.Peek(o); e == nil {
		m.news.others.Store(count)
	} else if now-e.put > int64(known.Exact) {
		e.told.Store(count)
	}
}

// trim evicts what is asked for least if the turns have made the cache larger than its
// bound.
func (m *memory) trim() {
	m.mu.RLock()
	within := m.size() <= m.most
	m.mu.RUnlock()
	if !within {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.shrink()
	}
}

// size returns the memory for all that is kept: origins, files and turns.
func (m *memory) size() int64 { return m.bytes + m.turns() }

// shrink evicts what is asked for least until the cache is within its bound.
func (m *memory) shrink() {
	for m.size() > m.most {
		old := m.entries.Evict()
		if old == nil {
			break
		}
		m.release(old)
		m.evictions++
		m.left++
	}
	if m.left > 2*m.entries.Len() {
		m.entries.Compact()
		m.files, m.left = sieve.Compact(m.files), 0
	}
}

// share makes e use the file that other entries use, if the two are equal.
func (m *memory) share(e *entry) {
	if e.file == nil {
		return
	}
	if same, ok := m.files[e.file.digest]; ok {
		e.file = same
	} else {
		if m.files == nil {
			m.files = make(map[digest]*file)
		}
		m.files[e.file.digest] = e.file
	}
	e.file.users++
	m.count(e.file)
}

// count brings the bytes that are counted for f up to date.
func (m *memory) count(f *file) {
	size := int64(f.Size())
	f.seen.Store(size)
	if size += fileCost; f.users == 0 {
		size = 0 // it was evicted
	}
	m.bytes += size - f.counted
	f.counted = size
}

// recount counts what a query has added to f, which may be nil.
func (m *memory) recount(f *file) {
	if f == nil || !f.grown() {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count(f)
	m.shrink()
}

// release gives back what e has taken. The cache no longer keeps e.
func (m *memory) release(e *entry) {
	m.bytes -= int64(e.cost)
	if e.file == nil {
		return
	}
	e.file.users--
	if e.file.users == 0 {
		delete(m.files, e.file.digest)
		m.count(e.file)
	}
}
