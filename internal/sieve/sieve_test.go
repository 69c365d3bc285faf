package sieve_test

import (
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"testing"
	"weak"

	"github.com/go-polite/polite/internal/sieve"
	"github.com/stretchr/testify/assert"
)

type name string

func (n name) Hash(seed maphash.Seed) uint64 { return maphash.String(seed, string(n)) }

type element struct {
	sieve.Node[element]
	key   name
	value int
}

func (e *element) Key() name            { return e.key }
func (e *element) HasKey(key name) bool { return e.key == key }

func TestEvict(t *testing.T) {
	c := sieve.New[name, element]()
	assert.Nil(t, c.Evict(), "nothing to evict")
	for i, key := range []name{"a", "b", "c", "d"} {
		assert.Nil(t, c.Put(&element{key: key, value: i}))
	}
	assert.Equal(t, 0, c.Get("a").value)
	c.Get("a").Want()
	assert.Equal(t, 2, c.Put(&element{key: "c", value: 22}).value)

	var evicted []int
	for e := c.Evict(); e != nil; e = c.Evict() {
		evicted = append(evicted, e.value)
	}
	assert.Equal(t, []int{1, 22, 0}, evicted, "a, which was wanted, after the others; the newest never")
	assert.Equal(t, 1, c.Len())
	assert.Equal(t, 3, c.Get("d").value)
	assert.Nil(t, c.Get("a"))
}

// An element that replaces another is where the other was, also under the hand.
func TestReplace(t *testing.T) {
	c := sieve.New[name, element]()
	put := func(key name, value int) { c.Put(&element{key: key, value: value}) }
	put("a", 1)
	put("b", 2)
	put("c", 3)
	put("d", 4)
	assert.Equal(t, 1, c.Evict().value)
	put("b", 20)
	c.Get("c").Want()
	put("c", 30)
	put("d", 40)
	put("e", 5)
	assert.Equal(t, 20, c.Evict().value, "under the hand")
	assert.Equal(t, 40, c.Evict().value, "after c, which is still wanted")
	assert.Equal(t, 30, c.Evict().value)
	assert.Nil(t, c.Evict())
	put("e", 50)
	assert.Equal(t, 50, c.Get("e").value)
	assert.Equal(t, 1, c.Len())
}

type integer int

func (i integer) Hash(seed maphash.Seed) uint64 { return maphash.Comparable(seed, i) }

type number struct {
	sieve.Node[number]
	key integer
}

func (n *number) Key() integer            { return n.key }
func (n *number) HasKey(key integer) bool { return n.key == key }

// A scan does not drive out elements that are wanted, even if it never ends.
func TestScan(t *testing.T) {
	c := sieve.New[integer, number]()
	random := rand.New(rand.NewPCG(1, 2))
	missed := 0
	for i := range 100_000 {
		if favourite := random.IntN(50); i > 1000 {
			if n := c.Get(integer(-favourite - 1)); n != nil {
				n.Want()
			} else {
				missed++
				c.Put(&number{key: integer(-favourite - 1)})
			}
		}
		c.Put(&number{key: integer(i)})
		for c.Len() > 200 {
			c.Evict()
		}
	}
	assert.Less(t, missed, 1000)
	assert.Equal(t, 200, c.Len())
}

type large struct {
	sieve.Node[large]
	key integer
	_   [1 << 10]byte
}

func (l *large) Key() integer            { return l.key }
func (l *large) HasKey(key integer) bool { return l.key == key }

// An element that has left a cache keeps none of its neighbours alive.
func TestUnlinked(t *testing.T) {
	c := sieve.New[integer, large]()
	for key := range 3 {
		c.Put(&large{key: integer(key)})
	}
	evicted := c.Evict() // its neighbour was 1
	first := weak.Make(c.Put(&large{key: 1}))
	replaced := c.Put(&large{key: 1}) // its neighbour was 2
	second := weak.Make(c.Put(&large{key: 2}))
	runtime.GC()
	assert.Nil(t, first.Value())
	assert.Nil(t, second.Value())
	runtime.KeepAlive(evicted)
	runtime.KeepAlive(replaced)
	runtime.KeepAlive(c)
}
