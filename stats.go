package polite

import (
	"sync/atomic"
	"unsafe"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
)

// Stats tells what a Cache keeps now, and what it has done since it was first used.
type Stats struct {
	Origins int   // origins of which something is known
	Files   int   // files that differ from each other
	Bytes   int64 // memory for the origins, the files and the turns

	Hits   uint64 // requests for which an answer was known
	Stale  uint64 // requests among the hits whose answer was out of date
	Misses uint64 // requests that waited for an answer

	Recalled    uint64 // answers that came from the Store
	Found       uint64 // fetches that brought a file
	Unchanged   uint64 // fetches that said that the file is unchanged
	Unavailable uint64 // fetches that said that there is no file
	Unreachable uint64 // fetches that failed
	Evictions   uint64 // origins that the Cache forgot to stay within MaxBytes

	// Overdue counts requests that Base wrote after the time that Turns had reserved for
	// them, because this process stood still. The next request of another process may
	// have come too soon after them.
	Overdue uint64
}

type counters struct {
	lookups                                    [64]lookups
	found, unchanged, unavailable, unreachable atomic.Uint64
	recalled, overdue                          atomic.Uint64
}

// lookups are what some of the goroutines have counted. Each has cache lines of its own, so
// that cores need not wait for each other.
type lookups struct {
	hits, stale, misses atomic.Uint64
	_                   [104]byte
}

// read returns what n has counted.
func (n *counters) read() Stats {
	stats := Stats{
		Recalled: n.recalled.Load(), Found: n.found.Load(), Unchanged: n.unchanged.Load(),
		Unavailable: n.unavailable.Load(), Unreachable: n.unreachable.Load(),
		Overdue: n.overdue.Load(),
	}
	for i := range n.lookups {
		own := &n.lookups[i]
		stats.Hits += own.hits.Load()
		stats.Stale += own.stale.Load()
		stats.Misses += own.misses.Load()
	}
	return stats
}

// own returns the lookups of this goroutine. The place of its stack tells it from others.
func (n *counters) own() *lookups {
	var here byte
	const odd = 0x9E3779B97F4A7C15 // 2⁶⁴ divided by the golden ratio
	return &n.lookups[uint64(uintptr(unsafe.Pointer(&here))>>11)*odd>>58]
}

// look counts a request that finds what is known in that state.
func (n *counters) look(state known.State) Lookup {
	own := n.own()
	if state == known.Expired {
		own.misses.Add(1)
		return LookupMiss
	}
	own.hits.Add(1)
	if state == known.Stale {
		own.stale.Add(1)
		return LookupStale
	}
	return LookupHit
}

func (n *counters) count(e *entry, answer fetch.Answer) {
	switch {
	case e.Failure != nil:
		n.unreachable.Add(1)
	case answer.Unchanged:
		n.unchanged.Add(1)
	case e.file != nil:
		n.found.Add(1)
	default:
		n.unavailable.Add(1)
	}
}
