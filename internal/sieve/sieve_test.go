package sieve_test

import (
	"math/rand/v2"
	"testing"

	"github.com/go-polite/polite/internal/sieve"
	"github.com/stretchr/testify/assert"
)

func TestEvict(t *testing.T) {
	var c sieve.Cache[string, int]
	_, ok := c.Evict()
	assert.False(t, ok, "nothing to evict")
	for i, key := range []string{"a", "b", "c", "d"} {
		_, had := c.Put(key, i)
		assert.False(t, had)
	}
	_, ok = c.Get("a")
	assert.True(t, ok)
	old, had := c.Put("c", 22)
	assert.True(t, had)
	assert.Equal(t, 2, old)

	var evicted []int
	for {
		value, ok := c.Evict()
		if !ok {
			break
		}
		evicted = append(evicted, value)
	}
	assert.Equal(t, []int{1, 22, 0}, evicted, "a, which was wanted, after the others; the newest never")
	assert.Equal(t, 1, c.Len())
	value, ok := c.Get("d")
	assert.True(t, ok)
	assert.Equal(t, 3, value)
	_, ok = c.Get("a")
	assert.False(t, ok)
}

// A scan does not drive out what is wanted, even if there is no end to it.
func TestScan(t *testing.T) {
	var c sieve.Cache[int, int]
	random := rand.New(rand.NewPCG(1, 2))
	missed := 0
	for i := range 100_000 {
		if favourite := random.IntN(50); i > 1000 {
			if _, ok := c.Get(-favourite - 1); !ok {
				missed++
				c.Put(-favourite-1, 0)
			}
		}
		c.Put(i, i)
		for c.Len() > 200 {
			c.Evict()
		}
	}
	assert.Less(t, missed, 1000)
	assert.Equal(t, 200, c.Len())
}
