// Package fleet lets all processes that share a store.Turns take turns with each other: they reserve
// starts, hold slots, keep each other's breaks and learn what others have learned of a site. Below it,
// package lane keeps the order and the gaps of this process. Without a store.Turns, package lane does
// all.
//
//	fleet.go   the lanes of a Cache, their keys and their names in the store
//	start.go   a start and a slot that one ticket reserves, and how late it may be
//	queue.go   who waits in the store for a slot
//	first.go   the right to go first after a break
//	slots.go   the slots that this process holds
//	breaks.go  breaks and lessons: who is told, and told again, and the text of a lesson
//	share.go   the ceilings that processes share
//	watch.go   what the store tells of others
//	way.go     the way of a request to its turn, also in the lane of its group
//	profile.go how this process is configured, and how others are; fleet.go has what follows
//	health.go  how this process fares with the store
package fleet

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"hash/maphash"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/send"
	"github.com/go-polite/polite/store"
)

// Lanes are all lanes of a Cache: in this process, and in store.Turns, if there is one.
// They are safe for concurrent use.
type Lanes struct {
	*lane.Lanes[Key] // in this process

	turns   store.Turns // nil: the lanes are of this process alone
	watch   watch
	slack   slack
	leases  leases
	spares  spares
	queues  queues
	breaks  breaks
	shares  shares
	overdue atomic.Uint64
	health  health
	peers   peers
	noticed func(key string) // is called for each notice that an entry was replaced; nil: for none
}

// New returns lanes that take about so many bytes. turns may be nil.
func New(bytes int64, turns store.Turns) *Lanes {
	l := &Lanes{Lanes: lane.New(int(bytes/lane.LaneBytes), lane.Keys[Key]{Own: Key.own, Size: Key.size, Name: Key.Name, Hash: Key.hash}), turns: turns}
	l.leases = leases{turns: turns, health: &l.health}
	l.watch = watch{turns: turns, health: &l.health, status: l.status, tell: l.hear, wake: l.Wake, leave: l.leaveShares, busy: l.Busy, all: l.hears, born: time.Now()}
	l.breaks.local, l.breaks.turns, l.breaks.generation = l.Lanes, turns, l.watch.generation
	l.breaks.me = rand.Text()
	if _, ok := store.As[store.Teacher](turns); ok {
		l.Lanes.WantsShare = func(key Key) { go l.wantShare(key) }
	}
	l.breaks.told = func() { l.health.count(store.HealthRetold, nil) }
	return l
}

// OnNotice lets noticed be called with the key of each entry that was replaced in the
// store, and missed when such notices may have been missed. Call it before l is used.
func (l *Lanes) OnNotice(noticed func(key string), missed func()) {
	l.noticed, l.watch.miss = noticed, missed
}

// CountOverdue counts a request that was written too late.
func (l *Lanes) CountOverdue() { l.overdue.Add(1) }

// StopWatching ends the listening to Turns, until the next request.
func (l *Lanes) StopWatching() {
	l.leaveShares()
	l.watch.stop()
}

// InBreak reports whether a lane has a break now.
func (l *Lanes) InBreak(key Key) bool { return l.BreakEnd(key).After(time.Now()) }

// Guard returns a Guard for the requests of a lane that take no turn. stopped says why they
// must not be written.
func (l *Lanes) Guard(key Key, stopped func() error) *send.Guard {
	guard := &send.Guard{Stopped: stopped}
	if l.turns != nil {
		guard.Connected = func(took time.Duration) { l.Connected(key, took) }
	}
	return guard
}

// Knows reports whether all breaks of a lane are known.
func (l *Lanes) Knows(key Key) bool {
	return l.turns == nil || l.watch.hears() && !l.Evicted(key)
}

// Refresh asks Turns whether a lane has a break, unless all breaks are known. Breaks that were
// forgotten for lack of memory are not known.
func (l *Lanes) Refresh(ctx context.Context, key Key, called Called) error {
	if l.Knows(key) {
		return nil
	}
	r := l.reservation(key, called)
	grant, err := r.call(ctx, store.Ask{})
	if err == nil {
		l.breaks.keep(key, grant.Wait)
	}
	return err
}

// Break begins a break that an answer has asked for, and tells Turns while ctx lasts.
func (l *Lanes) Break(ctx context.Context, key Key, o lane.Outcome, called Called) {
	l.Lanes.Break(key, o.Until)
	l.breaks.share(ctx, key, o, called)
}

// Teach tells Turns what an answer has taught, while ctx lasts.
func (l *Lanes) Teach(ctx context.Context, key Key, o lane.Outcome, called Called) {
	l.breaks.share(ctx, key, o, called)
}

// hears is called each time when Turns has told all. At the first time after a silence, Turns may have been
// away until now.
func (l *Lanes) hears(first bool) {
	l.breaks.tellAgain()
	if first || !l.health.failing() {
		l.leases.pay()
	}
}

// hear is called for each change that Turns tells.
func (l *Lanes) hear(change store.Change) {
	if change.Profile != "" {
		l.health.differs(l.peers.hear(change.Profile))
	}
	if change.Token != "" {
		l.queues.call(change.Token)
		return
	}
	if change.Key != "" && l.noticed != nil {
		l.noticed(change.Key)
	}
	if l.hearShare(change) {
		return
	}
	if key, ok := keyNamed(change.Lane); ok {
		l.breaks.keep(key, change.Break)
		l.breaks.learn(key, change.Lesson)
	}
}

// NextOfAll returns when the next start in a lane with a gap comes, if Turns knows. It returns zero if
// the start can be now. NextOfAll gives back at once what it reserves.
func (l *Lanes) NextOfAll(ctx context.Context, key Key, gap time.Duration, called Called) (start time.Time) {
	if l.turns == nil {
		return start
	}
	r := l.reservation(key, called)
	r.token = rand.Text()
	grant, err := r.call(ctx, store.Ask{Token: r.token, Gap: gap, MaxWait: 1})
	if err == nil && !grant.Late && gap > 0 {
		done, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
		defer cancel()
		l.turns.Done(done, r.lane, r.token, true)
	}
	if err == nil && grant.Wait > 0 {
		start = time.Now().Add(grant.Wait)
	}
	return start
}

// LetGoFirst lets a ticket of a lane that connects before a break take the right to go first after it.
func (l *Lanes) LetGoFirst(ticket *lane.Ticket, key Key, called Called) {
	if l.turns == nil || ticket == nil {
		return
	}
	var r *reservation // few need it
	ticket.LetGoFirst(func(ctx context.Context) (end func(), wait time.Duration, err error) {
		if r == nil {
			own := l.reservation(key, called)
			r, own.request.First = own, true
		}
		wait, err = r.goFirst(ctx)
		return r.first.end, wait, err
	})
}

// reservation returns a reservation in a lane, with nothing reserved yet.
func (l *Lanes) reservation(key Key, called Called) *reservation {
	if l.turns == nil {
		return nil
	}
	return &reservation{turns: l.turns, slack: &l.slack, leases: &l.leases, spares: &l.spares, watch: &l.watch, called: called, lane: key.Name()}
}

// Health returns how this process fares with Turns.
func (l *Lanes) Health() store.Health {
	h := l.state()
	h.Shared, h.Deaf = true, h.listens && !h.hears
	if l.Differs() {
		h.Differences = l.peers.differences()
	}
	return h.Health
}

func (l *Lanes) state() state {
	h := l.health.get()
	h.Slack, h.Lead, h.Overdue = l.slack.now(0), l.Lead(), l.overdue.Load()
	if at, silent := l.watch.silent(); h.hears && silent {
		h.hears, h.Since, h.Err = false, at, errSilent
	}
	return h
}

// status returns what others are told of this process.
func (l *Lanes) status() store.Status {
	h := l.state()
	return store.Status{Profile: l.peers.profile(), Health: h.text()}
}

// Shared reports whether the turns are shared.
func (l *Lanes) Shared() bool { return l.turns != nil }

// Configure says how a Transport is configured, and who observes what concerns no single request. Of
// several observers, the last one counts.
func (l *Lanes) Configure(settings []Setting, o *Observer) {
	l.peers.join(settings)
	if o != nil && l.turns != nil {
		l.health.observe(*o)
	}
}

// Differs reports whether another process is configured differently now.
func (l *Lanes) Differs() bool {
	until := l.peers.until.Load()
	return until != 0 && time.Now().UnixNano() < until
}

// Mixed reports whether the Transports of the lanes keep different gaps or limits. Then a request that
// asks for nothing has a ticket, too: the gaps of others count from its write.
func (l *Lanes) Mixed() bool { return l.peers.mixed.Load() }

// Complete completes the terms of a request for the fleet. While this process may be missing gaps of
// others, even a request without a gap asks the store.
func (l *Lanes) Complete(terms *lane.Terms) {
	terms.Shares = l.SharesCeilings()
	if terms.Reserved = l.turns != nil; terms.Reserved && (l.Differs() || !l.watch.hears()) {
		terms.Gap = max(terms.Gap, leastGap)
	}
}

// leastGap is the gap of a request that asks for none. Turns keeps the gaps of others before and after
// this request.
const leastGap = time.Microsecond

// A Called is called after a call of a store that began at some time.
type Called func(ctx context.Context, call string, began time.Time, err error)

// callTimeout is the longest time that polite waits for Turns.
const callTimeout = 5 * time.Second

// A Key says which requests are in a lane: those to an origin, those with a key of the user, or those
// of all lanes in a group.
type Key struct {
	origin origin.Origin
	key    string
	above  bool // the key is that of a group
}

// OfOrigin returns the key of the requests to o.
func OfOrigin(o origin.Origin) Key { return Key{origin: o} }

// maxKey is the length of the longest user's key that is kept as it is.
const maxKey = 256

// OfUser returns the key of the requests with a key of the user. It keeps a digest of a long key.
func OfUser(key string) Key { return Key{key: short(key)} }

// OfGroup returns the key of the lane above those of a group.
func OfGroup(key string) Key { return Key{key: short(key), above: true} }

// short returns key, or a digest of key if it is long.
func short(key string) string {
	if len(key) > maxKey {
		key = fmt.Sprintf("sha256 %x", sha256.Sum256([]byte(key)))
	}
	return key
}

// own returns a copy of k that keeps nothing else alive.
func (k Key) own() Key { return Key{k.origin.Own(), strings.Clone(k.key), k.above} }

// size returns the octets in the texts of k.
func (k Key) size() int { return k.origin.Size() + len(k.key) }

// hash returns a hash of k.
func (k Key) hash(seed maphash.Seed) uint64 {
	if k.key != "" {
		return maphash.String(seed, k.key)
	}
	return k.origin.Hash(seed)
}

// IsGroup reports whether k is the key of the lane above those of a group.
func (k Key) IsGroup() bool { return k.above }

// Origin returns the origin of k, or "" if the requests have another key.
func (k Key) Origin() string {
	if k.origin == (origin.Origin{}) {
		return ""
	}
	return k.origin.String()
}

// Name returns the name of the lane in store.Turns.
func (k Key) Name() string {
	switch {
	case k.above:
		return "group " + k.key
	case k.origin == (origin.Origin{}):
		return "key " + k.key
	default:
		return "origin " + k.origin.Key()
	}
}

// Told returns the name of a lane as a person reads it: the origin, or the key.
func Told(name string) string {
	if _, told, ok := strings.Cut(name, " "); ok {
		return told
	}
	return name
}

// keyNamed returns the key of the lane with a name in store.Turns. It returns false if there is no such
// lane.
func keyNamed(name string) (k Key, ok bool) {
	kind, rest, _ := strings.Cut(name, " ")
	switch kind {
	case "key":
		return OfUser(rest), true
	case "group":
		return OfGroup(rest), true
	case "origin":
		o, err := origin.OfKey(rest)
		return Key{origin: o}, err == nil
	}
	return k, false
}
