package memory

import (
	"sync/atomic"
	"unsafe"

	"github.com/go-polite/polite/internal/known"
)

// Stats tells what a Memory keeps now, and what it has counted.
type Stats struct {
	Origins, Files int
	Bytes          int64

	Hits, Stale, Misses                                  uint64 // requests
	Recalled, Found, Unchanged, Unavailable, Unreachable uint64 // answers
	Evictions                                            uint64 // origins
}

type counters struct {
	lookups                                    [64]lookups
	found, unchanged, unavailable, unreachable atomic.Uint64
	recalled                                   atomic.Uint64
}

// lookups are what some of the goroutines have counted. Each has cache lines of its own, so
// that cores need not wait for each other.
type lookups struct {
	hits, stale, misses atomic.Uint64
	_                   [104]byte
}

// read fills in what c has counted.
func (c *counters) read(stats *Stats) {
	stats.Recalled, stats.Found, stats.Unchanged = c.recalled.Load(), c.found.Load(), c.unchanged.Load()
	stats.Unavailable, stats.Unreachable = c.unavailable.Load(), c.unreachable.Load()
	for i := range c.lookups {
		own := &c.lookups[i]
		stats.Hits += own.hits.Load()
		stats.Stale += own.stale.Load()
		stats.Misses += own.misses.Load()
	}
}

// own returns the lookups of this goroutine. The place of its stack tells it from others.
func (c *counters) own() *lookups {
	var here byte
	const odd = 0x9E3779B97F4A7C15 // 2⁶⁴ divided by the golden ratio
	return &c.lookups[uint64(uintptr(unsafe.Pointer(&here))>>11)*odd>>58]
}

// look counts a request that finds an origin in that state.
func (c *counters) look(state known.State) {
	own := c.own()
	if state == known.Expired {
		own.misses.Add(1)
		return
	}
	own.hits.Add(1)
	if state == known.Stale {
		own.stale.Add(1)
	}
}

// fetched counts a fetch that has brought k.
func (c *counters) fetched(k *Known, unchanged bool) {
	switch {
	case k.Failure != nil:
		c.unreachable.Add(1)
	case unchanged:
		c.unchanged.Add(1)
	case k.File != nil:
		c.found.Add(1)
	default:
		c.unavailable.Add(1)
	}
}
