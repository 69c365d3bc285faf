// Package sieve keeps the elements that are asked for often. It is the SIEVE algorithm: a
// queue in order of arrival, from whose old end a hand moves towards the new. It passes
// over elements that were asked for since it last came by, and evicts the first other
// element. A scan of new keys therefore evicts other new keys, and a hit changes nothing
// but one bit.
package sieve

import (
	"hash/maphash"
	"maps"
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
