package memory

import (
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/sieve"
)

// A Known is what is known of an origin's robots.txt. Times are by the clock of the
// Memory. Once a Known is in memory, only what is atomic changes, and its place in the
// table. It takes 128 bytes: one more would make it 144.
type Known struct {
	name // of the origin, once it is in memory
	known.Facts
	File     *File                         // nil if there is none
	stored   *stored                       // the entry in the Store; nil if there is no Store
	visited  atomic.Uint32                 // when the last request came, in seconds
	asked    atomic.Uint32                 // when a request has begun to ask again, in the background, in seconds; 0: none has
	details  *details                      // of the answer, beside name.validators; nil if there are none
	replaced atomic.Pointer[chan struct{}] // closed when another Known takes its place; nil if nobody waits for that
	sieve.Node[Known]
}

// Stored says that the entry in the Store that has k was put at a time. seen is the count
// of notices when it was read.
func (k *Known) Stored(put, seen int64) {
	k.stored = &stored{put: put}
	k.stored.seen.Store(seen)
}

// Confirm notes that the Store has no newer entry than the one behind k. seen is the
// count of notices when the Store was asked.
func (k *Known) Confirm(seen int64) {
	k.stored.seen.Store(seen)
	k.stored.storeFailed.Store(0)
	k.asked.Store(0) // for the site
}

// Doubt notes that the Store could not be asked at now whether it has a newer entry.
func (k *Known) Doubt(now int64) { k.stored.storeFailed.Store(max(now, 1)) }

const second = int64(time.Second)

// visit notes that a request comes. It returns how long there was no request before it: long
// if none has gone by k.
func (k *Known) visit(now int64) (idle int64) {
	if visited := int64(k.visited.Load()); visited > 0 {
		idle = now - visited*second
	} else {
		idle = int64(longIdle)
	}
	if idle >= second { // not to write all the time to what all read
		k.visited.Store(uint32(max(now/second, 1)))
	}
	return idle
}

const longIdle = time.Hour

// begin reports whether the request that comes now should ask again in the background:
// if it is time, or if k is outdated. A new answer replaces k. If none comes, another
// request asks after askedFor.
//
// begin also returns how long there was no request before it.
func (k *Known) begin(now int64, outdated bool) (due bool, idle int64) {
	idle = k.visit(now)
	if !outdated && !(k.Due(now) && k.Pressing(now, min(idle, now-k.Fetched))) {
		return false, idle
	}
	asked := k.asked.Load()
	return (asked == 0 || now-int64(asked)*second > int64(askedFor)) && k.asked.CompareAndSwap(asked, max(uint32(now/second), 1)), idle
}

// Recheck returns how long a request can wait for its turn before it is time to ask for
// robots.txt again.
func (k *Known) Recheck(now int64) time.Duration {
	look := k.Look()
	if asked := k.asked.Load(); asked != 0 {
		look = max(look, int64(asked)*second+int64(askedFor))
	}
	return max(time.Duration(look-now), 1)
}

// Gone returns a channel that is closed when another Known takes the place of k.
func (k *Known) Gone() <-chan struct{} {
	wait := make(chan struct{})
	if k.replaced.CompareAndSwap(nil, &wait) {
		return wait
	}
	return *k.replaced.Load()
}

// Replaced reports whether another Known has taken the place of k.
func (k *Known) Replaced() bool {
	replaced := k.replaced.Load()
	if replaced == nil {
		return false
	}
	select {
	case <-*replaced:
		return true
	default:
		return false
	}
}

// replace wakes the requests that wait: another Known takes the place of k.
func (k *Known) replace() {
	done := make(chan struct{})
	close(done)
	if waited := k.replaced.Swap(&done); waited != nil {
		close(*waited)
	}
}

// settle gives k, which nobody has yet, its name.
func (k *Known) settle(o origin.Origin) {
	var v fetch.Validators
	if d := k.details; d != nil && hasRoom(d.validators) {
		v = d.validators
		k.details = detailsOf(fetch.Validators{}, d.hops, d.err)
	}
	k.name = nameOf(o, v)
	k.cost = cost(k)
}

// allDetails returns the details of k's answer, with the validators, or nil if there are
// none.
func (k *Known) allDetails() *details {
	v := k.name.validators()
	switch {
	case v == (fetch.Validators{}):
		return k.details
	case k.details == nil:
		return &details{validators: v}
	default:
		return &details{k.details.hops, k.details.err, v}
	}
}

// knownCost is the memory that a Known takes beyond what is counted: with its place in the
// table, and what is lost to round sizes.
const knownCost = 152

// cost returns the memory that k takes, without its file.
func cost(k *Known) int32 {
	n := knownCost + len(k.text)
	if d := k.details; d != nil {
		n += 96 + len(d.validators.URL) + len(d.validators.ETag) + len(d.validators.LastModified) + size(d.hops, d.err)
	}
	if k.stored != nil {
		n += 32
	}
	if f := k.Failure; f != nil {
		n += 96 + size(f.Hops, f.Err)
	}
	return int32(n)
}

func size(hops []string, err error) (n int) {
	for _, hop := range hops {
		n += 16 + len(hop)
	}
	if err != nil {
		n += 64 + 2*len(err.Error()) // it may wrap others with texts of their own
	}
	return n
}
