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
	readings *readings                     // what it means to others; nil if it means the same to all
	replaced atomic.Pointer[chan struct{}] // closed when another Known takes its place; nil if nobody waits for that
	sieve.Node[Known]
}

// readings are what a Known means to Readers that do not all go equally far.
type readings struct {
	came *Known // what it is a reading of; nil if it is none
	all  atomic.Pointer[[]reading]
}

// A reading is what a Known means to one Reader.
type reading struct {
	by uint64
	k  *Known // nil if it means nothing: the Reader has to ask itself
}

func (r *readings) list() []reading {
	if all := r.all.Load(); all != nil {
		return *all
	}
	return nil
}

// readable returns k, which means something else to others if there are redirects, or if the
// last try was ended.
func (k *Known) readable() *Known {
	if d, f := k.details, k.Failure; d != nil && d.redirects() || f != nil && (len(f.Hops)+len(f.Beyond) > 0 || f.TimedOut > 0) {
		k.readings = new(readings)
	}
	return k
}

// came returns what came, of which k may be a reading.
func (k *Known) came() *Known {
	if k.readings == nil || k.readings.came == nil {
		return k
	}
	return k.readings.came
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

// due reports whether the request that comes now should ask again in the background, since
// it is time by facts, or since k is outdated. A new answer replaces k. If none comes,
// another request asks after askedFor. due also returns how long there was no request before
// it.
func (k *Known) due(facts *known.Facts, outdated bool, now int64, most time.Duration) (due bool, idle int64) {
	idle = k.visit(now)
	if !outdated && !(facts.Due(now, most) && facts.Pressing(now, min(idle, now-k.Fetched), most)) {
		return false, idle
	}
	asked := k.asked.Load()
	return (asked == 0 || now-int64(asked)*second > int64(askedFor)) && k.asked.CompareAndSwap(asked, max(uint32(now/second), 1)), idle
}

// look returns when it is time to ask again by facts, if requests come all the time.
func (k *Known) look(facts *known.Facts, most time.Duration) int64 {
	look := facts.Look(most)
	if asked := k.asked.Load(); asked != 0 {
		look = max(look, int64(asked)*second+int64(askedFor))
	}
	return look
}

// Gone returns a channel that is closed when another Known takes the place of k.
func (k *Known) Gone() <-chan struct{} {
	k = k.came()
	wait := make(chan struct{})
	if k.replaced.CompareAndSwap(nil, &wait) {
		return wait
	}
	return *k.replaced.Load()
}

// IsReplaced reports whether another answer has taken the place of k.
func (k *Known) IsReplaced() bool {
	replaced := k.came().replaced.Load()
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

// Origin returns the origin of which k is known, once what came is in memory.
func (k *Known) Origin() origin.Origin { return k.came().Key() }

// settle gives k, which nobody has yet, its name.
func (k *Known) settle(o origin.Origin) {
	var v fetch.Validators
	if d := k.details; d != nil && hasRoom(d.validators) {
		v = d.validators
		k.details = detailsOf(fetch.Validators{}, *d)
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
		all := *k.details
		all.validators = v
		return &all
	}
}

// knownCost is the memory that a Known takes beyond what is counted: with its place in the
// table, and what is lost to round sizes.
const knownCost = 152

// cost returns the memory that k takes, without its file.
func cost(k *Known) int32 {
	n := knownCost + len(k.text)
	if d := k.details; d != nil {
		n += d.cost()
	}
	if k.stored != nil {
		n += 32
	}
	if f := k.Failure; f != nil {
		n += failureCost(f)
	}
	if k.readings != nil {
		n += k.readingsCost()
	}
	return int32(n)
}

// readingsCost returns the memory that the readings of k take, beside what they share with k.
func (k *Known) readingsCost() int {
	n := 40
	for _, one := range k.readings.list() {
		n += 16
		if one.k == nil || one.k == k {
			continue
		}
		n += knownCost
		if d := one.k.details; d != nil && d != k.details {
			n += d.cost()
		}
		if f := one.k.Failure; f != nil && f != k.Failure {
			n += failureCost(f)
		}
	}
	return n
}

func failureCost(f *known.Failure) int { return 128 + size(f.Hops, f.Beyond, f.Err) }
