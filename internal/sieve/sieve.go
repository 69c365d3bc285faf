// Package sieve keeps what is asked for often. It is the SIEVE algorithm: a
// queue in order of arrival, from whose old end a hand moves towards the new. It
// passes over what was asked for since it last came by, and takes the first that
// was not. A scan of new keys therefore evicts other new keys, and a hit changes
// nothing but one bit.
package sieve

import "sync/atomic"

// A Cache is a map that can tell what to forget. The zero Cache is empty and
// ready for use. Calls of Get may be concurrent with each other, and with
// nothing else.
type Cache[K comparable, V any] struct {
	nodes          map[K]*node[K, V]
	newest, oldest *node[K, V]
	hand           *node[K, V]
}

type node[K comparable, V any] struct {
	key          K
	value        V
	newer, older *node[K, V]
	wanted       atomic.Bool // since the hand was last here
}

// Len returns the number of keys.
func (c *Cache[K, V]) Len() int { return len(c.nodes) }

// Get returns the value of key.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	n, ok := c.nodes[key]
	if !ok {
		return value, false
	}
	if !n.wanted.Load() { // not to write to what all read
		n.wanted.Store(true)
	}
	return n.value, true
}

// Put sets the value of key, and returns the one it had.
func (c *Cache[K, V]) Put(key K, value V) (old V, ok bool) {
	if n, ok := c.nodes[key]; ok {
		old, n.value = n.value, value
		return old, true
	}
	if c.nodes == nil {
		c.nodes = make(map[K]*node[K, V])
	}
	n := &node[K, V]{key: key, value: value, older: c.newest}
	c.nodes[key] = n
	if c.newest != nil {
		c.newest.newer = n
	} else {
		c.oldest = n
	}
	c.newest = n
	return old, false
}

// Evict removes a key that is not asked for often, but never the newest. It
// reports false if there is no other.
func (c *Cache[K, V]) Evict() (value V, ok bool) {
	if len(c.nodes) < 2 {
		return value, false
	}
	n := c.hand
	for n == nil || n == c.newest || n.wanted.Load() {
		if n == nil || n == c.newest {
			n = c.oldest
		} else {
			n.wanted.Store(false)
			n = n.newer
		}
	}
	c.hand = n.newer
	c.remove(n)
	return n.value, true
}

func (c *Cache[K, V]) remove(n *node[K, V]) {
	delete(c.nodes, n.key)
	if n.older != nil {
		n.older.newer = n.newer
	} else {
		c.oldest = n.newer
	}
	n.newer.older = n.older // there is a newer one: the newest is not removed
}
