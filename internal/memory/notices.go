package memory

import (
	"sync/atomic"
	"time"
)

// notices counts the change notices that this process gets: each says that an entry in
// its Store was replaced by another. The counts tell what came first, the notice of an
// entry or the look at it.
type notices struct {
	count  atomic.Int64 // of all
	missed atomic.Int64 // the count when some may have been missed last
	others atomic.Int64 // the count of the last for an origin that was not in memory
}

// miss notes that some notices may have been missed until now.
func (n *notices) miss() { n.missed.Store(n.count.Add(1)) }

// A stored tracks the change notices for the stored entry behind a Known.
type stored struct {
	put         int64        // when the entry was put
	seen        atomic.Int64 // the count of notices when the entry was read
	noticed     atomic.Int64 // the count of the newest notice of it
	storeFailed atomic.Int64 // when the Store could not be asked about a notice; 0: it could
}

// askedFor is how long requests wait for an answer that one of them has begun to ask
// for. After this time another request asks.
const askedFor = time.Minute

// outdated reports whether there is a notice later than the look at s. If the Store could
// not be asked about it, outdated is false until askedFor has passed. A nil s has no
// Store.
func (n *notices) outdated(s *stored, now int64) bool {
	if s == nil || s.seen.Load() >= max(n.missed.Load(), s.noticed.Load()) {
		return false
	}
	return s.canAsk(now)
}

// announced is outdated for a notice that was not missed.
func (s *stored) announced(now int64) bool {
	return s != nil && s.seen.Load() < s.noticed.Load() && s.canAsk(now)
}

// canAsk reports whether the Store could be asked, or askedFor has passed.
func (s *stored) canAsk(now int64) bool {
	failed := s.storeFailed.Load()
	return failed == 0 || now-failed > int64(askedFor)
}
