package store

import (
	"context"
	"time"
)

// Turns keeps the turns of requests: beyond the life of a process, or for several
// processes. A polite.Cache keeps the order of its own requests. It asks Turns when the
// first of them may start.
//
// A lane is what takes turns: an origin, or what Pace.Key or Options.Key says. Its name may
// be any text. Turns reserves starts and never waits for them. Each call may be
// repeated. All times are durations. A negative one is the same as zero. Turns is safe
// for concurrent use. Its methods return soon after ctx ends, and then the call may have
// had its effect.
type Turns interface {
	// Take reserves a start in a lane for ask.Token: the soonest start that keeps the gaps to all other
	// starts, between two of them or behind them all. If the token has a start already, Take returns this
	// start again, as long as Gap and Slack are the same, and the start is still to come, and not before
	// NotBefore. If not, the token loses this start and gets another. If the token has a slot, it keeps
	// the slot. If nothing could be reserved, the Grant says why.
	//
	// If Turns may have lost what was reserved, the process pauses: Take reserves no start for it before
	// the larger of Gap and Longest has passed since the loss, and no slot before its Lease has passed.
	// Grant may be Busy until then, and its Wait says how long that is.
	//
	// An Ask without Gap and Slots reserves nothing: Grant.Wait says how long a break still lasts,
	// whatever NotBefore and MaxWait are.
	Take(ctx context.Context, lane string, ask Ask) (Grant, error)

	// Done frees the slot of token, and takes it out of the queue. If the start was not used, Done gives the
	// start back: it is free for the next Take. Done does nothing if token has reserved none.
	Done(ctx context.Context, lane, token string, unused bool) error

	// Renew lets slots be taken for lease from now. turns has the lane of each token. Renew returns the
	// tokens whose slots are lost because their lease had ended.
	Renew(ctx context.Context, lease time.Duration, turns map[string]string) (lost []string, err error)

	// Break begins a break: no start of the lane is reserved before wait is over. A
	// break never ends sooner than another Break has said. When Break returns, the break
	// is kept.
	Break(ctx context.Context, lane string, wait time.Duration) error

	// Watch calls f for each break that is under way, and then for each that begins. Once all those under
	// way are told, it calls f with the zero Change, and then again at least once a second while it is
	// sure to hear of all that it tells. Watch returns when it is no longer sure: when its connection is
	// lost, when it may have missed something, when Turns may have lost what was reserved, or when ctx
	// ends. If it has called f with the zero Change, reservations made before it returns are void. One
	// goroutine calls f, and not after Watch has returned. f may be slow. A Change may be told again.
	//
	// polite calls Watch again within a second after it has returned. If Watch had gone on for a while,
	// polite calls it sooner, so that polite soon tells again the breaks that Turns has lost. Once a
	// Turns is closed, each Watch returns an [ErrClosed], also a Watch that is called later. Then polite
	// stops listening.
	//
	// If Turns is a Store, too, Watch also tells when a Put replaces an entry by other octets, from the
	// first zero Change on. It does not tell of the first entry of a key, or of a Put of the same octets:
	// a crawler puts its entries again every day, and most entries have not changed. It does not tell of
	// the empty key.
	Watch(ctx context.Context, f func(Change)) error
}

// An Ask is what a process asks of [Turns.Take]. A field that is zero asks for nothing, except that
// each Ask which reserves something has a Token.
type Ask struct {
	Token string // names the reservation; each request has one of its own

	// Gap is the least time from the start before, and to the start after. A Gap of up to 30 days is kept
	// whole. If others in the lane ask for a longer Gap, the longer one counts. If Gap is zero, Take
	// reserves no start.
	Gap time.Duration

	// The request may start up to Slack after its reserved start. So the next start is
	// later by as much. If Slack is zero, the request starts in time or not at all.
	Slack time.Duration

	// Slots is how many requests may be under way in the lane. If the start is no further away than
	// Slack and Lead together, Take takes a slot, too, for as long as Lease. If it is further away, the
	// caller takes again when it is near. If Slots is zero, the request needs no slot.
	Slots int
	Lease time.Duration

	// Queue asks for the start and its slot together. A token that cannot have both yet waits in the queue of
	// the lane, in order of arrival, and the Grant is Queued. A slot that becomes free, by Done or by the end of
	// its lease, is that of the first in the queue for QueueHold. The Watch of its process then tells the token,
	// which takes again and so gets the slot. Others get no slot meanwhile, and who has a slot keeps it. A start
	// that is further away than QueueAhead gets no slot yet. Queue counts with Slots. A Turns without a queue
	// ignores it.
	Queue bool

	// Startless asks for the slot alone if the start would come within Lead. The request connects at once, and
	// takes again without Startless when its connection is ready. It counts with Queue and Gap.
	Startless bool

	// Lead is how long before its start the request begins to connect. Zero is at its start. A Turns that
	// looks at Slack alone works, too, but the request may then miss its start.
	Lead time.Duration

	// Longest is the longest gap that the process knows of in the lane. If Turns has lost what was
	// reserved, the next start comes no sooner than Longest after the loss. Zero is no such gap. A Turns
	// that loses nothing need not look at Longest.
	Longest time.Duration

	NotBefore time.Duration // the start is no sooner than this from now; zero is now
	MaxWait   time.Duration // if the start would be later than this from now, nothing is reserved; zero is no limit
}

// The times of a queue: see [Ask].
const (
	QueueAhead = 5 * time.Second  // how far away a start may be that has its slot
	QueueHold  = time.Second / 2  // how long a free slot is kept for the first in the queue
	QueueKeep  = 45 * time.Second // how long a token stays in the queue that does not take again, at least
)

// A Grant is the answer to an [Ask]. The zero Grant lets the request start now, without a slot.
type Grant struct {
	Wait time.Duration // until the start, counted from the call; also if it is Late
	Slot bool          // a slot is taken
	Late bool          // the start would come after MaxWait: nothing is reserved
	Busy bool          // all slots are taken, or the process must pause: nothing is reserved

	// Queued says that the token waits in the queue: nothing is reserved. If Busy, it waits for a slot. If not,
	// the start is further away than QueueAhead. Wait lasts about until the start if slots are free.
	Queued bool

	// Lease lasts until the first lease of others ends, unless it is renewed. It counts if Queued and Busy.
	Lease time.Duration

	// Startless says that the slot is taken, and no start is reserved.
	Startless bool

	// Gap is the longest gap of the starts that may delay this start. It is zero if there is none, or if
	// Turns does not tell.
	Gap time.Duration
}

// A Change is what [Turns.Watch] tells: a break of a Lane, a Lesson about a Lane, the Key of an entry
// that was replaced, the Token that may take a slot, or the Profile of another process. The zero Change
// says that Watch has told all.
type Change struct {
	Lane  string
	Break time.Duration // how long the break of the lane still lasts

	// Lesson is the newest of the Lane. Only a [Teacher] tells it.
	Lesson string

	// Token has waited in the queue of the Lane, and a slot is kept for it. It may be one of another process.
	Token string

	// Key names an entry that Put has replaced by another: what polite knows of it is out of date.
	Key string

	// Profile is the Profile of another process. Only [Reporter.Report] tells it.
	Profile string
}

// As returns the first T, such as a [Teacher] or a [Reporter], among t and the Turns that it wraps. A Turns
// that wraps another has a method that returns the other:
//
//	Unwrap() store.Turns
//
// So polite finds all that the wrapped Turns can do, also what only later versions of polite ask for.
// If the wrapper lacks a method, polite calls the method of the wrapped Turns. So if the wrapper
// changes what Break or Watch does, let it be a Teacher and a Reporter, too.
func As[T Turns](t Turns) (found T, ok bool) {
	for range 100 { // one may wrap itself
		if found, ok = t.(T); ok {
			return found, true
		}
		wrapper, wraps := t.(interface{ Unwrap() Turns }) // nil is none
		if !wraps {
			break
		}
		t = wrapper.Unwrap()
	}
	return found, false
}

// A Teacher is a [Turns] by which processes also tell each other what they have learned about the limit
// of a site. polite uses a Teacher if Cache.Turns is one, or wraps one: see [As]. Without one,
// processes share the breaks of a site, and each finds its limit alone.
type Teacher interface {
	Turns

	// Teach does what Break does, unless wait is zero. Besides, each Watch then tells lesson in a Change
	// of the lane, with the time that is left of the break. The Teacher keeps the newest lesson of each
	// lane for keep, if it has room. A Watch that begins meanwhile tells this lesson before its first
	// zero Change.
	//
	// A lesson is up to 255 octets, which a Teacher does not read. A Teacher does not tell a longer
	// lesson. polite checks each lesson that it is told. A lost lesson does no harm: a process that has
	// not heard it learns the same from the site.
	Teach(ctx context.Context, lane string, wait time.Duration, lesson string, keep time.Duration) error
}

// LongestLesson is how many octets a lesson may have.
const LongestLesson = 255

// A Reporter is a [Turns] by which processes also tell each other how they are. Processes that are
// configured differently, as while a new version is rolled out, may together break a limit that each of
// them keeps. polite uses a Reporter if Cache.Turns is one, or wraps one: see [As].
type Reporter interface {
	Turns

	// Report does what Watch does. Besides, it calls status now and then, also soon after the first zero
	// Change. It tells the Status to the other processes, which know it until a while after Report has
	// returned.
	//
	// While another process tells a Status whose Profile differs, Report calls f with a Change that has
	// the Profile of the other, at least once in five seconds. If there are many such Profiles, Report
	// tells of some. A Profile and a Health are short. Report may cut a Health that is longer than 1,024
	// octets, and tells nothing of a process whose Profile is longer. status returns soon. Several
	// goroutines may call it.
	Report(ctx context.Context, status func() Status, f func(Change)) error
}

// A Status is what a process tells of itself.
type Status struct {
	Profile string // how it is configured; equal in processes that are configured alike
	Health  string // how it fares, for its operators
}
