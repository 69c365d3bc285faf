package sieve

import (
	"hash/maphash"
	"sync/atomic"
)

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
