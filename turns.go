package polite

import (
	"context"
	"time"
)

// Turns keeps the turns of requests: beyond the life of a process, or for several
// processes. A [Cache] keeps the order of its own requests. It asks Turns when the
// first of them may start.
//
// A lane is what takes turns: an origin, or what Pace.Key returns. Its name may be any
// text. Turns reserves starts and never waits for them. Each call may be repeated. All
// times are durations. A negative one is the same as zero. Turns is safe for concurrent use. Its methods return soon after
// ctx ends, and then the call may have had its effect.
type Turns interface {
	// Take reserves the next start of a lane. It replaces what ask.Token has reserved
	// there. If nothing could be reserved, Grant says why. An Ask without Gap reserves
	// nothing: Grant.Wait is what is left of a break, whatever NotBefore and MaxWait are.
	Take(ctx context.Context, lane string, ask Ask) (Grant, error)

	// Done gives back the start that token has reserved, if nobody has reserved a later
	// one. It does nothing if token has reserved none.
	Done(ctx context.Context, lane, token string) error

	// Hold begins a break: no start of the lane is reserved before wait is over. A
	// break never ends sooner than another Hold has said. When Hold returns, the break
	// is kept.
	Hold(ctx context.Context, lane string, wait time.Duration) error

	// Watch calls f for each break that is under way, and then for each that begins.
	// Once all those under way are told, it calls f with the zero Change, and then
	// again at least once a second while it is sure to hear of all breaks. It returns
	// when it is no longer sure, because its connection is lost, for example, or when
	// ctx ends. One goroutine calls f, and not after Watch has returned. f may be slow.
	// A break may be told again.
	Watch(ctx context.Context, f func(Change)) error
}

// An Ask is what a process asks of [Turns.Take].
type Ask struct {
	Token string // names the reservation; each request needs one of its own

	// Gap is the least time from the start before, and to the start after. If the
	// others at the lane ask for a longer Gap, theirs counts.
	Gap time.Duration

	// The request may start up to Slack after its reserved start. So the next start is
	// later by as much.
	Slack time.Duration

	NotBefore time.Duration // the start is no sooner than this from now
	MaxWait   time.Duration // if the start would be later than this from now, nothing is reserved; zero: there is no limit
}

// A Grant is the answer to an [Ask].
type Grant struct {
	Wait time.Duration // until the start, counted from the call; also if it is Late
	Late bool          // the start would come after MaxWait: nothing is reserved
}

// A Change is what [Turns.Watch] tells. The zero Change says that all is told.
type Change struct {
	Lane string
	Hold time.Duration // what is left of the lane's break
}
