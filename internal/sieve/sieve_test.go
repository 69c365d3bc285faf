package sieve_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"weak"

	"github.com/go-polite/polite/internal/sieve"
	"github.com/stretchr/testify/assert"
)

type element struct {
	sieve.Node[string, *element]
	value int
}

func TestEvict(t *testing.T) {
	var c sieve.Cache[string, *element]
	assert.Nil(t, c.Evict(), "nothing to evict")
	for i, key := range []string{"a", "b", "c", "d"} {
		assert.Nil(t, c.Put(key, &element{value: i}))
	}
	assert.Equal(t, 0, c.Get("a").value)
	assert.Equal(t, 2, c.Put("c", &element{value: 22}).value)

	var evicted []int
	for e := c.Evict(); e != nil; e = c.Evict() {
		evicted = append(evicted, e.value)
	}
	assert.Equal(t, []int{1, 22, 0}, evicted, "a, which was wanted, after the others; the newest never")
	assert.Equal(t, 1, c.Len())
	assert.Equal(t, 3, c.Get("d").value)
	assert.Nil(t, c.Get("a"))
}

// What replaces an element is where that was, also under the hand.
func TestReplace(t *testing.T) {
	var c sieve.Cache[string, *element]
	put := func(key string, value int) { c.Put(key, &element{value: value}) }
	put("a", 1)
	put("b", 2)
	put("c", 3)
	put("d", 4)
	assert.Equal(t, 1, c.Evict().value)
	put("b", 20)
	c.Get("c")
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

type number struct {
	sieve.Node[int, *number]
}

// A scan does not drive out what is wanted, even if there is no end to it.
func TestScan(t *testing.T) {
	var c sieve.Cache[int, *number]
	random := rand.New(rand.NewPCG(1, 2))
	missed := 0
	for i := range 100_000 {
		if favourite := random.IntN(50); i > 1000 {
			if c.Get(-favourite-1) == nil {
				missed++
				c.Put(-favourite-1, new(number))
			}
		}
		c.Put(i, new(number))
		for c.Len() > 200 {
			c.Evict()
		}
	}
	assert.Less(t, missed, 1000)
	assert.Equal(t, 200, c.Len())
}

type large struct {
	sieve.Node[int, *large]
	_ [1 << 10]byte
}

// What is no longer in a cache keeps none of its neighbours alive.
func TestUnlinked(t *testing.T) {
	var c sieve.Cache[int, *large]
	for key := range 3 {
		c.Put(key, new(large))
	}
	evicted := c.Evict() // its neighbour was 1
	first := weak.Make(c.Put(1, new(large)))
	replaced := c.Put(1, new(large)) // its neighbour was 2
	second := weak.Make(c.Put(2, new(large)))
	runtime.GC()
	assert.Nil(t, first.Value())
	assert.Nil(t, second.Value())
	runtime.KeepAlive(evicted)
	runtime.KeepAlive(replaced)
	runtime.KeepAlive(&c)
}
