package answers

import (
	"slices"
	"strings"
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
	if !outdated && !(facts.Due(now, most) && facts.Pressing(now, idle, most)) {
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
	if k.replaced.Load() == nil {
		wait := make(chan struct{})
		k.replaced.CompareAndSwap(nil, &wait)
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

// wake lets the requests that wait look at k again: the Store has a newer answer. Nobody may replace k
// meanwhile.
func (k *Known) wake() {
	if wait := k.came().replaced.Swap(nil); wait != nil {
		close(*wait)
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

// Answered returns what is known after an answer that tells what the site wants: its
// rules, or that it has none. An answer that confirms the last file and has no max-age
// holds for as long as the last answer did (RFC 9111 §4.3.4). The error is that the answer
// is behind too many redirects.
func Answered(last *Known, answer fetch.Answer, err error, agents []string, now int64) *Known {
	k := new(Known)
	switch {
	case answer.Unchanged:
		if answer.MaxAge < 0 {
			answer.MaxAge = last.Age
		}
		k.File = last.File
		answer.Status = int(last.Status)
	case err == nil && answer.Status/100 == 2:
		k.File = NewFile(answer.Body, agents)
	}
	k.Facts = known.Answered(answer.Status, k.File != nil, answer.MaxAge, now)
	k.details = detailsOf(answer.Validators, details{hops: answer.Hops, beyond: answer.Beyond, err: err})
	return k.readable()
}

// Failed returns what is known after a try that brought no answer to rely on. last may
// be nil.
func Failed(last *Known, answer fetch.Answer, err error, now int64) *Known {
	k, before := new(Known), known.Facts{}
	if last != nil {
		before = last.Facts
	}
	failure := known.Failure{Status: answer.Status, Err: err, Hops: answer.Hops, Beyond: answer.Beyond, TimedOut: answer.TimedOut}
	k.Facts = before.Failed(&failure, answer.RetryAfter, now)
	if k.Status != 0 {
		k.File, k.details = last.File, last.allDetails()
	}
	return k.readable()
}

// Recalled returns what an answer means that a Store has kept. The error is that the
// answer is behind too many redirects.
func Recalled(facts known.Facts, file *File, answer fetch.Answer, err error) *Known {
	way := details{hops: answer.Hops, beyond: answer.Beyond, err: err}
	return (&Known{Facts: facts, File: file, details: detailsOf(answer.Validators, way)}).readable()
}

// With returns k with the answer of last if k says only that tries have failed since
// then. last may be nil.
func (k *Known) With(last *Known, now int64) *Known {
	if last == nil || k.Status != 0 || !(last.Rules || last.Counts(now, known.LongMaxAge)) || last.AnsweredAfter(&k.Facts) {
		return k
	}
	both := &Known{Facts: last.Facts, File: last.File, details: last.allDetails()}
	both.Failure = k.Failure
	return both.readable()
}

// Newest returns the newer one of last, which may be nil, and kept, with the last good
// copy.
func Newest(last, kept *Known, now int64) *Known {
	if last == nil || kept.Newer(&last.Facts) {
		return kept.With(last, now)
	}
	return last.With(kept, now)
}

// Validators returns what polite sends to ask whether k's file has changed. k may be nil.
func (k *Known) Validators() fetch.Validators {
	if k == nil || k.File == nil {
		return fetch.Validators{}
	}
	if d := k.allDetails(); d != nil {
		return d.validators
	}
	return fetch.Validators{}
}

// FailingSince returns when the first try failed since the answer. It returns false if the
// last try brought an answer.
func (k *Known) FailingSince() (at int64, failing bool) {
	if k.Failure == nil {
		return 0, false
	}
	return k.Failure.Since, true
}

// TooManyRedirects reports whether k's answer is behind too many redirects.
func (k *Known) TooManyRedirects() bool { return k.details != nil && k.details.err != nil }

// Came returns what came last: the URLs that robots.txt redirected to, the status, and
// why there is no answer to rely on.
func (k *Known) Came() (hops []string, status int, err error) {
	if f := k.Failure; f != nil {
		return slices.Clone(f.Hops), f.Status, f.Err
	}
	if k.details != nil {
		hops, err = slices.Clone(k.details.hops), k.details.err
	}
	return hops, int(k.Status), err
}

// CrawlDelay returns the crawl-delay that k's rules ask of a crawler with these tokens.
// It is 0 if they ask for none, or if k is nil.
func (k *Known) CrawlDelay(agents []string) time.Duration {
	if k == nil || k.File == nil {
		return 0
	}
	delay, _ := k.File.RulesFor(agents).CrawlDelay()
	return delay
}

// details are what is seldom known of an answer.
type details struct {
	hops       []string
	beyond     string // where the last hop redirects to, if this was not followed
	err        error  // too many redirects
	validators fetch.Validators
}

// redirects reports whether the answer came by redirects, or ended at one.
func (d *details) redirects() bool { return len(d.hops)+len(d.beyond) > 0 }

// detailsOf returns the details of an answer that came this way, or nil if it has none.
func detailsOf(v fetch.Validators, way details) *details {
	if v.ETag == "" && v.LastModified == "" {
		v = fetch.Validators{}
	}
	if v.URL == "" && len(way.hops) == 0 && way.err == nil {
		return nil
	}
	way.validators = v
	return &way
}

// cost returns the memory that d takes.
func (d *details) cost() int {
	return 112 + len(d.validators.URL) + len(d.validators.ETag) + len(d.validators.LastModified) + size(d.hops, d.beyond, d.err)
}

// size returns the memory that tells how far a fetch has come.
func size(hops []string, beyond string, err error) int {
	n := len(beyond) + fetch.Size(err)
	for _, hop := range hops {
		n += 16 + len(hop)
	}
	return n
}

// A name is what a Known keeps of its origin, and what polite sends to ask whether its
// file has changed. All of it is one text, so that a Known takes 140 bytes less.
type name struct {
	text string // lines: the host; dial; the validators, without their URL if it is the origin's own
	port uint16
	tls  bool
	cost int32 // of the Known; anywhere else it would make the Known 16 bytes larger
}

// nameOf returns the name of o, with v if there is something to send.
func nameOf(o origin.Origin, v fetch.Validators) name {
	text := o.Host
	if v != (fetch.Validators{}) {
		if v.URL == o.RobotsURL().String() {
			v.URL = ""
		}
		text = strings.Join([]string{o.Host, o.Dial, v.URL, v.ETag, v.LastModified}, "\n")
	} else if o.Dial != "" {
		text = o.Host + "\n" + o.Dial
	}
	return name{text: strings.Clone(text), port: o.Port, tls: o.TLS}
}

// hasRoom reports whether a name can have v.
func hasRoom(v fetch.Validators) bool {
	return v.URL != "" && !strings.Contains(v.URL+v.ETag+v.LastModified, "\n")
}

// Key returns the origin.
func (n *name) Key() origin.Origin {
	host, rest, _ := strings.Cut(n.text, "\n")
	dial, _, _ := strings.Cut(rest, "\n")
	return origin.Origin{Host: host, Dial: dial, Port: n.port, TLS: n.tls}
}

// HasKey reports whether n is the name of o.
func (n *name) HasKey(o origin.Origin) bool {
	rest, ok := strings.CutPrefix(n.text, o.Host)
	if !ok || n.port != o.Port || n.tls != o.TLS {
		return false
	}
	if rest == "" {
		return o.Dial == ""
	}
	rest, ok = strings.CutPrefix(rest, "\n"+o.Dial)
	return ok && (rest == "" || rest[0] == '\n')
}

// validators returns what polite sends to ask whether the file has changed.
func (n *name) validators() (v fetch.Validators) {
	lines := strings.Split(n.text, "\n")
	if len(lines) < 5 {
		return v
	}
	v = fetch.Validators{URL: lines[2], ETag: lines[3], LastModified: lines[4]}
	if v.URL == "" {
		v.URL = n.Key().RobotsURL().String()
	}
	return v
}

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
