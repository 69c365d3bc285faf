package lane

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/fair"
	"github.com/go-polite/polite/internal/sieve"
)

// Lanes are the lanes of all keys. They are safe for concurrent use. They do not slow each other down:
// each lane has its own lock, and their map is in parts.
type Lanes[K comparable] struct {
	keys     Keys[K]
	seed     maphash.Seed
	size     atomic.Int64 // of lanes, for a look without a lock
	keyBytes atomic.Int64 // octets in the text of their keys
	next     atomic.Int64 // when to sweep the next part, in units of sweepEvery
	hand     atomic.Int64 // that part
	most     int          // lanes in a part
	parts    []part[K]
	born     time.Time
	opened   atomic.Int64 // lanes so far
	lost     evicted

	// WantsShare is called when a lane needs a share of a ceiling that others share, and now and then while it
	// does. It must not wait. If nil, nobody shares ceilings.
	WantsShare func(K)

	company company
	leads   lead
}

// A part has some of the lanes. Any lane may be in any part.
type part[K comparable] struct {
	mu       sync.RWMutex
	lanes    map[K]*lane
	keyBytes int64 // octets in the text of the keys
	sweep    int   // the number of lanes at which to look for those to forget
}

const (
	maxParts   = 64
	partLanes  = 32                     // at least, if there is more than one part
	sweepEvery = 100 * time.Millisecond // a part at a time

	// FewestLanes is how many lanes there is room for in any case.
	FewestLanes = 256

	// LaneBytes is about the memory that a lane takes, without the text of its key.
	LaneBytes = 560
)

// Keys say what Lanes have to know of keys.
type Keys[K comparable] struct {
	Own  func(K) K      // copies what is to be kept
	Size func(K) int    // the octets in the text of a key
	Name func(K) string // the name of a key for package fair
	Hash func(K, maphash.Seed) uint64
}

// New returns Lanes that remember about most keys, and at least FewestLanes. They forget keys that
// nobody uses: first those whose gap and break are over, then as package fair says.
func New[K comparable](most int, keys Keys[K]) *Lanes[K] {
	most = max(most, FewestLanes)
	parts := min(most/partLanes, maxParts)
	return &Lanes[K]{keys: keys, seed: maphash.MakeSeed(), most: most / parts, parts: make([]part[K], parts), born: time.Now()}
}

// Keys returns the number of keys that are remembered. It is not zero while Evicted may
// report that a break is under way.
func (ls *Lanes[K]) Keys() int {
	if keys := int(ls.size.Load()); keys > 0 || !ls.lost.any() {
		return keys
	}
	return 1
}

// Bytes returns about the memory that the Lanes take, without what they take in any case.
func (ls *Lanes[K]) Bytes() (bytes int64) {
	if keys, text := ls.size.Load(), ls.keyBytes.Load(); keys > FewestLanes {
		bytes = (keys - FewestLanes) * (LaneBytes + text/keys)
	}
	if ls.lost.any() {
		bytes += evictedBits / 8
	}
	return bytes
}

func (ls *Lanes[K]) hash(key K) uint64 { return ls.keys.Hash(key, ls.seed) }

// each calls do for all lanes, with the read lock of their part, until do returns false.
func (ls *Lanes[K]) each(do func(K, *lane) bool) {
	for i := range ls.parts {
		if !ls.parts[i].each(do) {
			return
		}
	}
}

func (part *part[K]) each(do func(K, *lane) bool) bool {
	part.mu.RLock()
	defer part.mu.RUnlock()
	for key, l := range part.lanes {
		if !do(key, l) {
			return false
		}
	}
	return true
}

// hasWaiting reports whether requests wait for their turns in any lane.
func (ls *Lanes[K]) hasWaiting() bool {
	for _, l := range ls.each {
		l.mu.Lock()
		waiting := l.line.length
		l.mu.Unlock()
		if waiting > 0 {
			return true
		}
	}
	return false
}

// lane returns the lane of key, locked. hash is the hash of key. If there is no such lane, it adds one
// or returns nil.
func (ls *Lanes[K]) lane(key K, hash uint64, add bool) *lane {
	part := &ls.parts[hash%uint64(len(ls.parts))]
	for {
		part.mu.RLock()
		l := part.lanes[key]
		part.mu.RUnlock()
		if l == nil {
			if !add {
				return nil
			}
			l = ls.open(part, key, hash)
		}
		l.mu.Lock()
		if !l.forgotten {
			return l
		}
		l.mu.Unlock() // another is there by now, or will be
	}
}

// open adds a lane to a part. Before a part doubles, it forgets the lanes that nobody
// needs.
func (ls *Lanes[K]) open(part *part[K], key K, hash uint64) *lane {
	part.mu.Lock()
	defer part.mu.Unlock()
	if l := part.lanes[key]; l != nil {
		return l
	}
	if len(part.lanes) >= part.sweep {
		ls.forget(part, time.Now())
	}
	l := newLane(ls.company.of(hash), &ls.leads)
	l.order = ls.opened.Add(1)
	if ago, ok := l.counter.noted(hash, time.Since(ls.born)); ok {
		l.resume(time.Now().Add(-ago))
	}
	if part.lanes == nil {
		part.lanes = make(map[K]*lane)
	}
	part.lanes[ls.keys.Own(key)] = l
	ls.size.Add(1)
	ls.count(part, part.keyBytes+int64(ls.keys.Size(key)))
	return l
}

// count notes how many octets the keys of a part have.
func (ls *Lanes[K]) count(part *part[K], long int64) {
	ls.keyBytes.Add(long - part.keyBytes)
	part.keyBytes = long
}

// tidy forgets lanes that nobody needs, a part at a time. So their memory is given back
// even if no new lanes come.
func (ls *Lanes[K]) tidy(at time.Time) {
	next, now := ls.next.Load(), int64(at.Sub(ls.born)/sweepEvery)
	if ls.size.Load() == 0 || now < next || !ls.next.CompareAndSwap(next, now+1) {
		return
	}
	part := &ls.parts[ls.hand.Add(1)%int64(len(ls.parts))]
	part.mu.Lock()
	defer part.mu.Unlock()
	ls.forget(part, at)
}

// drop forgets l, the lane of key, if nobody needs it, and reports whether it has. drop unlocks l,
// which is locked before.
func (ls *Lanes[K]) drop(key K, hash uint64, l *lane, now time.Time) bool {
	if l.isUsed() {
		return false
	}
	if _, helps := l.need(now); helps.After(now) {
		return false
	}
	l.forgotten = true
	l.mu.Unlock()
	part := &ls.parts[hash%uint64(len(ls.parts))]
	part.mu.Lock()
	defer part.mu.Unlock()
	if part.lanes[key] == l {
		delete(part.lanes, key)
		ls.size.Add(-1)
	}
	return true
}

// forget drops the lanes of a part that are no longer of use. If too many are left, it also drops lanes
// that nobody uses: first those without a gap or a break to keep, then as package fair says.
func (ls *Lanes[K]) forget(part *part[K], now time.Time) {
	before := len(part.lanes)
	var idle []K // have no gap or break to keep, but it would help to remember them
	var bound []fair.Lane[K]
	for key, l := range part.lanes {
		switch binds, used, forgotten := l.retire(now); {
		case forgotten:
			delete(part.lanes, key)
			ls.note(key, clock.Later(l.begun.at, l.wire.last.at)) // nobody changes it any more
		case used:
		case binds.After(now):
			bound = append(bound, fair.Lane[K]{Value: key, Age: l.order})
		default:
			idle = append(idle, key)
		}
	}
	if excess := len(part.lanes) - ls.most*3/4; len(part.lanes) >= ls.most {
		ls.evict(part, idle[:min(excess, len(idle))])
		ls.evict(part, ls.unfair(bound, excess-len(idle)))
	}
	ls.size.Add(int64(len(part.lanes) - before))
	long := int64(0)
	for key := range part.lanes {
		long += int64(ls.keys.Size(key))
	}
	ls.count(part, long)
	n := len(part.lanes)
	part.sweep = max(min(2*n+4, ls.most), n+n/8+1)          // also if more than the most are in use
	if len(part.lanes) < before/4 || len(part.lanes) == 0 { // a map does not shrink by itself
		part.lanes = sieve.Compact(part.lanes)
	}
}

// note remembers when a request of a lane that is forgotten was handed on last.
func (ls *Lanes[K]) note(key K, last time.Time) {
	if hash := ls.hash(key); last.After(ls.born) {
		ls.company.of(hash).note(hash, last.Sub(ls.born))
	}
}

// unfair returns the n lanes that are to be forgotten first.
func (ls *Lanes[K]) unfair(lanes []fair.Lane[K], n int) (keys []K) {
	if n <= 0 {
		return nil
	}
	for i := range lanes {
		lanes[i].Name = ls.keys.Name(lanes[i].Value)
	}
	fair.Sort(lanes)
	for _, l := range lanes[:min(n, len(lanes))] {
		keys = append(keys, l.Value)
	}
	return keys
}

// evict drops lanes that nobody uses.
func (ls *Lanes[K]) evict(part *part[K], keys []K) {
	for _, key := range keys {
		l := part.lanes[key]
		if _, _, forgotten := l.retire(time.Now().Add(longestWait)); forgotten { // however much it helps
			ls.lost.note(ls.hash(key), l.limit.breakEndsAt())
			delete(part.lanes, key)
		}
	}
}

// evicted are the breaks that were forgotten before they were over, for lack of memory. It may name a
// key that has no such break.
type evicted struct {
	mu   sync.Mutex
	some atomic.Pointer[marks] // nil if there are none
}

// marks has a bit for each hash. Several hashes share a bit.
type marks struct {
	bits  [evictedBits / 64]atomic.Uint64
	until atomic.Pointer[time.Time] // when the last of the breaks ends
}

const evictedBits = 1 << 17

// any reports whether there may be some under way.
func (e *evicted) any() bool { return e.load() != nil }

// has reports whether a break of that hash may be under way.
func (e *evicted) has(hash uint64) bool {
	m := e.load()
	return m != nil && m.bits[hash%evictedBits/64].Load()&(1<<(hash%64)) != 0
}

// load returns the marks. It drops them when all breaks are over.
func (e *evicted) load() *marks {
	m := e.some.Load()
	if m == nil || m.until.Load().After(time.Now()) {
		return m
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !m.until.Load().After(time.Now()) {
		e.some.CompareAndSwap(m, nil)
	}
	return e.some.Load()
}

// note notes that a break was forgotten.
func (e *evicted) note(hash uint64, until time.Time) {
	if !until.After(time.Now()) {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	m := e.some.Load()
	if m == nil {
		m = new(marks)
		m.until.Store(&until)
	} else if until.After(*m.until.Load()) {
		m.until.Store(&until)
	}
	m.bits[hash%evictedBits/64].Or(1 << (hash % 64))
	e.some.Store(m)
}
