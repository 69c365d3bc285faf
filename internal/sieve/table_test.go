package sieve_test

import (
	"hash/maphash"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-polite/polite/internal/sieve"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A Cache finds the same as a map.
func TestTableIsAMap(t *testing.T) {
	c, want := sieve.New[integer, number](), make(map[integer]*number)
	random := rand.New(rand.NewPCG(1, 2))
	most := 1
	for i := range 200_000 {
		if i%20_000 == 0 {
			most = 1 << random.IntN(12)
		}
		key := integer(random.IntN(2 * most))
		e := &number{key: key}
		require.Same(t, want[key], c.Put(e))
		want[key] = e
		for len(want) > most {
			delete(want, c.Evict().key)
		}
		key = integer(random.IntN(2 * most))
		require.Same(t, want[key], c.Get(key))
		require.Equal(t, len(want), c.Len())
	}
	for key, e := range want {
		assert.Same(t, e, c.Get(key))
	}
}

// A table takes some 30 bytes for an element. If elements come and go, it does not begin
// anew each time: that takes less than another 100 bytes.
func TestTableTakesLittle(t *testing.T) {
	const elements, churn = 50_000, 50_000
	all := make([]number, elements+churn)
	for i := range all {
		all[i].key = integer(i)
	}
	c, before := sieve.New[integer, number](), allocated()
	for i := range all[:elements] {
		c.Put(&all[i])
	}
	assert.Less(t, (allocated()-before)/elements, uint64(3*32), "in all that it has had")
	before = allocated()
	for i := range churn {
		c.Evict()
		c.Put(&all[elements+i])
	}
	assert.Less(t, (allocated()-before)/churn, uint64(100))
}

func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}

// A look-up takes few steps, however many elements there are and have been.
func TestFewSteps(t *testing.T) {
	const elements = 20_000
	c, steps := sieve.New[integer, number](), 0
	for i := range 2 * elements {
		c.Put(&number{key: integer(i)})
		if i >= elements {
			c.Evict()
		}
	}
	for i := range 2 * elements {
		c.Find(integer(i).Hash(c.Seed()), func(e *number) bool {
			steps++
			return e.key == integer(i)
		})
	}
	assert.Less(t, steps, 8*elements)
}

// Half of the keys that collide have the same hash.
type key struct {
	n        int
	collides bool
}

func (k key) Hash(seed maphash.Seed) uint64 {
	if k.collides {
		return uint64(k.n%2) << 63
	}
	return maphash.Comparable(seed, k.n)
}

type versioned struct {
	sieve.Node[versioned]
	key     key
	version int
}

func (v *versioned) Key() key            { return v.key }
func (v *versioned) HasKey(key key) bool { return v.key == key }

// A Cache distinguishes keys whose hashes are equal.
func TestCollisions(t *testing.T) {
	c := sieve.New[key, versioned]()
	for n := range 500 {
		assert.Nil(t, c.Put(&versioned{key: key{n, true}}))
	}
	for range 250 {
		c.Evict()
	}
	for n := range 500 {
		if e := c.Get(key{n, true}); n < 250 {
			assert.Nil(t, e, n)
		} else {
			assert.Equal(t, n, e.key.n)
		}
	}
}

// Whatever the writer does, readers find the elements that are there all the time. They
// never find an element with another key, nor a version older than one that they have
// seen.
func TestReadersAndWriter(t *testing.T) {
	const steady, passing, puts = 20, 500, 5000
	for _, collides := range []bool{false, true} {
		c, random := sieve.New[key, versioned](), rand.New(rand.NewPCG(1, 2))
		put := func(n, version int) { c.Put(&versioned{key: key{n, collides}, version: version}) }
		for n := range steady {
			put(n, 0)
		}
		stop := readAll(t, c, steady, steady+passing, collides)
		for version := range puts {
			put(random.IntN(steady), version)
			put(steady+random.IntN(passing), version)
			for most := steady + 10 + version%1000/2; c.Len() > most; {
				for n := range steady {
					c.Get(key{n, collides}).Want()
				}
				c.Evict()
			}
		}
		stop()
	}
}

// readAll starts readers that read all keys until stop is called. The first keys are
// there all the time.
func readAll(t *testing.T, c *sieve.Cache[key, versioned, *versioned], steady, keys int, collide bool) (stop func()) {
	var done atomic.Bool
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			last := make([]int, keys)
			for n := 0; !done.Load(); n = (n + 1) % keys {
				e := c.Get(key{n, collide})
				if e == nil {
					if n < steady {
						t.Errorf("no %d, which was there all the time", n)
					}
					continue
				}
				if e.key.n != n || e.version < last[n] {
					t.Errorf("version %d of %d, after version %d of %d", e.version, e.key.n, last[n], n)
				}
				last[n] = e.version
			}
		})
	}
	return func() {
		done.Store(true)
		readers.Wait()
	}
}
