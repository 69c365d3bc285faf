package polite

import (
	"sync/atomic"

	"github.com/go-polite/polite/internal/fetch"
)

// Stats tells what a Cache keeps, and what it has done until now.
type Stats struct {
	Origins int   // that something is known of
	Files   int   // that differ
	Bytes   int64 // that both take, and what is known of turns

	Hits   uint64 // requests for which an answer was known
	Stale  uint64 // those of them for which it was stale
	Misses uint64 // requests that waited for an answer

	Found       uint64 // fetches that brought a file
	Unchanged   uint64 // fetches that brought word that the file is the same
	Unavailable uint64 // fetches that brought word that there is none
	Unreachable uint64 // fetches that brought nothing to rely on
	Evictions   uint64 // origins that gave way
}

type counters struct {
	hits, stale, misses                        atomic.Uint64
	found, unchanged, unavailable, unreachable atomic.Uint64
	evictions                                  atomic.Uint64
}

// read returns what n has counted.
func (n *counters) read() Stats {
	return Stats{
		Hits: n.hits.Load(), Stale: n.stale.Load(), Misses: n.misses.Load(),
		Found: n.found.Load(), Unchanged: n.unchanged.Load(),
		Unavailable: n.unavailable.Load(), Unreachable: n.unreachable.Load(),
		Evictions: n.evictions.Load(),
	}
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
