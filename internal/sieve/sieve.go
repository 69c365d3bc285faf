// Package sieve keeps what is asked for often. It is the SIEVE algorithm: a
// queue in order of arrival, from whose old end a hand moves towards the new. It
// passes over what was asked for since it last came by, and takes the first that
// was not. A scan of new keys therefore evicts other new keys, and a hit changes
// nothing but one bit.
package sieve

import (
	"maps"
	"sync/atomic"
)

// A Node is what a Cache needs in each of its elements: embed one. An element is
// in one cache at most, and under one key.
type Node[K comparable, E any] struct {
	wanted       atomic.Bool // since the hand was last here
	key          K
	newer, older E
}

func (n *Node[K, E]) node() *Node[K, E] { return n }

// unlink makes what is no longer in a cache keep nothing else alive.
func (n *Node[K, E]) unlink() {
	var none E
	n.newer, n.older = none, none
}

// An Element is a pointer to a struct with a Node. Nil is none.
type Element[K comparable, E any] interface {
	comparable
	node() *Node[K, E]
}

// A Cache is a map that can tell what to forget. The zero Cache is empty and
// ready for use. Calls of Get and Peek may be concurrent with each other, and with
// nothing else.
type Cache[K comparable, E Element[K, E]] struct {
	elements       map[K]E
	newest, oldest E
	hand           E
}

// Compact gives back the memory that the map took for elements which have left: a
// map does not do so by itself, and grows as keys come and go. It takes as long as
// there are elements.
func (c *Cache[K, E]) Compact() { c.elements = Compact(c.elements) }

// Compact returns a copy of m that takes no more memory than it needs.
func Compact[K comparable, V any](m map[K]V) map[K]V {
	compact := make(map[K]V, len(m))
	maps.Copy(compact, m)
	return compact
}

// Len returns the number of elements.
func (c *Cache[K, E]) Len() int { return len(c.elements) }

// Peek is Get for one who does not ask for the element: it may be forgotten as before.
func (c *Cache[K, E]) Peek(key K) E { return c.elements[key] }

// Get returns the element with a key, or nil.
func (c *Cache[K, E]) Get(key K) (e E) {
	e, ok := c.elements[key]
	if !ok {
		return e
	}
	if n := e.node(); !n.wanted.Load() { // not to write to what all read
		n.wanted.Store(true)
	}
	return e
}

// Put adds e, which is in no cache yet, under a key. If there is an element with
// that key, e takes its place, and it is returned.
func (c *Cache[K, E]) Put(key K, e E) (old E) {
	old, replaces := c.elements[key]
	if c.elements == nil {
		c.elements = make(map[K]E)
	}
	c.elements[key] = e
	n := e.node()
	n.key = key
	if replaces {
		n.wanted.Store(old.node().wanted.Load())
		n.newer, n.older = old.node().newer, old.node().older
		if c.hand == old {
			c.hand = e
		}
		old.node().unlink()
	} else {
		n.older = c.newest
	}
	c.link(n.older, e)
	c.link(e, n.newer)
	return old
}

// link makes two elements neighbours. Nil is the end of the queue.
func (c *Cache[K, E]) link(older, newer E) {
	var none E
	if older != none {
		older.node().newer = newer
	} else {
		c.oldest = newer
	}
	if newer != none {
		newer.node().older = older
	} else {
		c.newest = older
	}
}

// Evict removes an element that is not asked for often, but never the newest, and
// returns it. It returns nil if there is no other.
func (c *Cache[K, E]) Evict() (e E) {
	var none E
	if len(c.elements) < 2 {
		return none
	}
	e = c.hand
	for e == none || e == c.newest || e.node().wanted.Load() {
		if e == none || e == c.newest {
			e = c.oldest
		} else {
			e.node().wanted.Store(false)
			e = e.node().newer
		}
	}
	n := e.node()
	c.hand = n.newer
	delete(c.elements, n.key)
	c.link(n.older, n.newer)
	n.unlink()
	return e
}
