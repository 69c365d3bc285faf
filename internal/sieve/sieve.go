// Package sieve keeps the elements that are asked for often. It is the SIEVE algorithm: a
// queue in order of arrival, from whose old end a hand moves towards the new. It passes
// over elements that were asked for since it last came by, and evicts the first other
// element. A scan of new keys therefore evicts other new keys, and a hit changes nothing
// but one bit.
package sieve

import (
	"hash/maphash"
	"maps"
	"math/bits"
	"sync/atomic"
)

// A Cache finds elements by key, and can tell which to forget. Make one with New. Calls of
// Get and Find may be concurrent with all others. Of the others only one may be under way.
type Cache[K Key, T any, E Element[K, T]] struct {
	table[K, T, E]
	length         int
	newest, oldest E
	hand           E
}

// New returns an empty Cache.
func New[K Key, T any, E Element[K, T]]() *Cache[K, T, E] {
	c := new(Cache[K, T, E])
	c.seed = maphash.MakeSeed()
	return c
}

// Compact returns a copy of m that takes no more memory than it needs.
func Compact[K comparable, V any](m map[K]V) map[K]V {
	compact := make(map[K]V, len(m))
	maps.Copy(compact, m)
	return compact
}

// Len returns the number of elements.
func (c *Cache[K, T, E]) Len() int { return c.length }

// Get returns the element with a key, or nil. If you use the element, call Want.
func (c *Cache[K, T, E]) Get(key K) E {
	return c.Find(key.Hash(c.seed), func(e E) bool { return e.HasKey(key) })
}

// Seed returns the seed for the hash that Find takes. It never changes.
func (c *Cache[K, T, E]) Seed() maphash.Seed { return c.seed }

// Put adds e, which is in no cache yet. If there is an element with the same key, e
// replaces it, and Put returns it.
func (c *Cache[K, T, E]) Put(e E) (old E) {
	n := e.node()
	if old = c.put(e); old != nil {
		last := old.node()
		n.wanted.Store(last.wanted.Load())
		n.newer, n.older = last.newer, last.older
		if c.hand == old {
			c.hand = e
		}
		last.unlink()
	} else {
		n.older = c.newest
		c.length++
	}
	c.link(n.older, e)
	c.link(e, n.newer)
	return old
}

// link makes two elements neighbours. Nil is the end of the queue.
func (c *Cache[K, T, E]) link(older, newer E) {
	if older != nil {
		older.node().newer = newer
	} else {
		c.oldest = newer
	}
	if newer != nil {
		newer.node().older = older
	} else {
		c.newest = older
	}
}

// Evict removes an element that is not asked for often, but never the newest, and
// returns it. It returns nil if there is no other. The hand goes round twice at most, also
// if all elements are asked for all the time.
func (c *Cache[K, T, E]) Evict() (e E) {
	if c.length < 2 {
		return nil
	}
	e = c.hand
	for passed := 0; e == nil || e == c.newest || passed < 2*c.length && e.node().wanted.Load(); passed++ {
		if e == nil || e == c.newest {
			e = c.oldest
		} else {
			e.node().wanted.Store(false)
			e = e.node().newer
		}
	}
	n := e.node()
	c.hand = n.newer
	c.length--
	c.remove(e)
	c.link(n.older, n.newer)
	n.unlink()
	return e
}

// A table finds elements by key. Any number of goroutines may call Find, while one
// changes the table. Readers take no lock and write nothing: with 8 goroutines, a warm
// request takes some 0.7 of the time that it took with a sync.RWMutex and a map.
//
// The table is in parts. Each grows by itself, so that no change takes long.
type table[K Key, T any, E Element[K, T]] struct {
	seed  maphash.Seed
	parts [parts]part[T]
}

const parts = 64 // with 10 million elements, the largest change takes some milliseconds

// A part is a hash table with open addressing. An element never moves within an array of
// slots. So a reader that goes from slot to slot, up to one that was never used, finds
// each element that is there all the time. A reader that has loaded an older array finds
// the elements that were there when the array was replaced.
type part[T any] struct {
	slots atomic.Pointer[[]slot[T]]
	live  int // slots with an element
	used  int // slots that are not free, which is more: some have lost their element
}

// A slot holds one element. If an element leaves and another takes its place, a reader may
// see the mark of the one and the element of the other, so it compares the keys.
type slot[T any] struct {
	mark    atomic.Uint64
	element atomic.Pointer[T]
}

// The marks of slots without an element. Others are hashes.
const (
	free = iota // it was never used, and ends a search
	left        // its element has left
	least
)

// mark returns the mark of elements with a key.
func (t *table[K, T, E]) mark(key K) uint64 { return key.Hash(t.seed) | least }

// part returns the part for a mark. Its highest bits choose.
func (t *table[K, T, E]) part(mark uint64) *part[T] { return &t.parts[mark/(1<<64/parts)] }

// first returns the slot where a search for a mark begins. The other bits choose.
func first[T any](slots []slot[T], mark uint64) int {
	at, _ := bits.Mul64(mark*parts, uint64(len(slots)))
	return int(at)
}

// Find returns the element whose key has a hash and for which is returns true, or nil.
func (t *table[K, T, E]) Find(hash uint64, is func(E) bool) E {
	mark := hash | least
	slots := t.part(mark).slots.Load()
	if slots == nil {
		return nil
	}
	for i := first(*slots, mark); ; i++ {
		if i == len(*slots) {
			i = 0
		}
		switch s := &(*slots)[i]; s.mark.Load() {
		case mark:
			if e := E(s.element.Load()); e != nil && is(e) {
				return e
			}
		case free:
			return nil
		}
	}
}

// put adds e. If there is an element with the same key, e replaces it, and put returns
// it.
func (t *table[K, T, E]) put(e E) (old E) {
	key := e.Key()
	mark := t.mark(key)
	p := t.part(mark)
	p.reserve()
	slots := *p.slots.Load()
	room := -1
	for i := first(slots, mark); ; i = (i + 1) % len(slots) {
		found := slots[i].mark.Load()
		if old = slots[i].element.Load(); found == mark && old.HasKey(key) {
			slots[i].element.Store(e)
			return old
		}
		if found < least && room < 0 {
			room = i
		}
		if found == free {
			break
		}
	}
	p.add(&slots[room], mark, e)
	return nil
}

// add puts an element into a slot that has none.
func (p *part[T]) add(s *slot[T], mark uint64, e *T) {
	if s.mark.Load() == free {
		p.used++
	}
	p.live++
	s.element.Store(e)
	s.mark.Store(mark)
}

// remove removes e, which is in the table.
func (t *table[K, T, E]) remove(e E) {
	mark := t.mark(e.Key())
	p := t.part(mark)
	slots := *p.slots.Load()
	i := first(slots, mark)
	for slots[i].element.Load() != (*T)(e) {
		i = (i + 1) % len(slots)
	}
	slots[i].mark.Store(left)
	slots[i].element.Store(nil)
	p.live--
	if slots[(i+1)%len(slots)].mark.Load() == free {
		p.release(slots, i)
	}
	if len(slots) > fewest && p.live < len(slots)/8 {
		p.resize()
	}
}

// release frees the slots up to i whose elements have left. A free slot follows, so no
// search for another element goes past them.
func (p *part[T]) release(slots []slot[T], i int) {
	for slots[i].mark.Load() == left {
		slots[i].mark.Store(free)
		p.used--
		i = (i + len(slots) - 1) % len(slots)
	}
}

const fewest = 8 // slots of a part

// reserve makes room for one more element. At most four of five slots are used.
func (p *part[T]) reserve() {
	if slots := p.slots.Load(); slots == nil || p.used+1 > len(*slots)*4/5 {
		p.resize()
	}
}

// resize gives p an array of which about half is used.
func (p *part[T]) resize() {
	slots := make([]slot[T], max(fewest, p.live*15/8))
	if last := p.slots.Load(); last != nil {
		for i := range *last {
			s := &(*last)[i]
			if mark := s.mark.Load(); mark >= least {
				at := first(slots, mark)
				for slots[at].mark.Load() != free {
					at = (at + 1) % len(slots)
				}
				slots[at].element.Store(s.element.Load())
				slots[at].mark.Store(mark)
			}
		}
	}
	p.used = p.live
	p.slots.Store(&slots)
}

// A Key finds elements. Equal keys have equal hashes.
type Key interface {
	Hash(maphash.Seed) uint64
}

// An Element is a pointer to a struct with a Node. Nil is none. Its key does not change.
type Element[K Key, T any] interface {
	*T
	Key() K
	HasKey(K) bool
	linked[T]
}

type linked[T any] interface {
	node() *Node[T]
}

// A Node is what a Cache needs in each of its elements: embed one. An element is
// in one cache at most.
type Node[T any] struct {
	newer, older *T
	wanted       atomic.Bool // since the hand was last here
}

func (n *Node[T]) node() *Node[T] { return n }

// Want notes that the element was asked for. Calls may be concurrent with all others.
func (n *Node[T]) Want() {
	if !n.wanted.Load() { // do not write in vain to memory that all goroutines read
		n.wanted.Store(true)
	}
}

// unlink makes an element that has left its cache keep no other element alive.
func (n *Node[T]) unlink() { n.newer, n.older = nil, nil }
