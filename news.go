package polite

import "sync/atomic"

// news counts what this process hears of the records in its Store. The counts tell what
// came first: the news of a record, or the look at it.
type news struct {
	count  atomic.Int64 // of all that was heard
	missed atomic.Int64 // the count when it may have missed some last
	others atomic.Int64 // the count of the last of an origin that was not in memory
}

// miss notes that this process may have missed some until now.
func (n *news) miss() { n.missed.Store(n.count.Add(1)) }

// outdated reports whether there is news of e that e does not have. If the Store could
// not tell, it is asked again after askedFor. Until then e counts.
func (n *news) outdated(e *entry, now int64) bool {
	if seen := e.seen.Load(); seen >= n.missed.Load() && seen >= e.told.Load() {
		return false
	}
	failed := e.storeFailed.Load()
	return failed == 0 || now-failed > int64(askedFor)
}
