package polite

import (
	"sync/atomic"
	"time"
)

// news counts what this process hears of the records in its Store. The counts tell what
// came first: the news of a record, or the look at it.
type news struct {
	count  atomic.Int64 // of all that was heard
	missed atomic.Int64 // the count when it may have missed some last
	others atomic.Int64 // the count of the last of an origin that was not in memory
}

// miss notes that this process may have missed some until now.
func (n *news) miss() { n.missed.Store(n.count.Add(1)) }

// A heard is what this process has heard of the record that has what an entry has.
type heard struct {
	put         int64        // when the record was put
	seen        atomic.Int64 // the count of the news when it was read
	told        atomic.Int64 // the count of the newest news of it
	storeFailed atomic.Int64 // when the Store could not tell what is new; 0: it could
}

// askedFor is how long requests wait for the answer that one of them has begun to ask
// for. After this time another one asks.
const askedFor = time.Minute

// outdated reports whether there is news that the entry of h does not have. If the Store
// could not tell, it is asked again after askedFor. Until then the entry counts. h is nil
// if there is no Store.
func (n *news) outdated(h *heard, now int64) bool {
	if h == nil {
		return false
	}
	if seen := h.seen.Load(); seen >= n.missed.Load() && seen >= h.told.Load() {
		return false
	}
	failed := h.storeFailed.Load()
	return failed == 0 || now-failed > int64(askedFor)
}
