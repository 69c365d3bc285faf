package store

import "time"

// A Health is how a process fares with Cache.Turns: see polite.Cache.Health. If all is well, Deaf
// is false, Failing is nil, Differences is empty, and the counts stand still.
type Health struct {
	// Shared says that there are Turns. If false, all else is zero.
	Shared bool

	// Deaf says that polite listens to Turns, as it does while requests come, and does not
	// hear all breaks. Until it hears, each request asks for breaks. Since is when it became
	// deaf, or began to hear. It is zero if neither has happened yet. Err says why it is
	// deaf; it may be nil.
	Deaf  bool
	Since time.Time
	Err   error

	// Failing says why turns cannot be reserved now: the last call of Turns has failed, and so has each since
	// FailingSince. Requests that need a turn are refused meanwhile. If nil, they can be reserved.
	Failing      error
	FailingSince time.Time

	// Slack is how much later than reserved a request may start: it covers a usual call of
	// Turns, and each start of all processes comes later by as much. Lead is how long before
	// its start a request goes to Base, in a lane of which nothing is known yet. Both are of
	// this process, now.
	Slack, Lead time.Duration

	// LostStarts counts starts that were reserved, and for which a request was not ready in
	// time: connecting, or a call of Turns, took longer than usual. Sites get fewer requests
	// than they allow.
	LostStarts uint64

	// LostSlots counts requests that were ended because their slots could not be renewed.
	LostSlots uint64

	// Dropped counts how often all that was reserved was dropped, because polite was no
	// longer sure to hear all, or because Turns may have lost data. DropErr says why, the
	// last time.
	Dropped uint64
	DropErr error

	// Retold counts breaks that polite has told Turns again.
	Retold uint64

	// Overdue counts requests that Base wrote after the time that Turns had reserved for them,
	// because this process stood still. The next request of another process may have come too
	// soon after them.
	Overdue uint64

	// Differences are the settings that other processes have otherwise now. Only a
	// [Reporter] tells them.
	Differences []Difference
}

// A Difference is a setting that another process which shares Cache.Turns has otherwise. While
// there is one, gaps and limits may be broken: the same request is in another lane, or allows
// more than others do. It is usual while a new configuration is rolled out, and should end
// with it. To avoid it, end the old processes first.
//
// polite compares MinDelay, MaxDelay (also RefuseLonger) and Concurrency of
// Transport.Pace, the MinDelay and Concurrency of its Group, whether there is a Pace.Key and a
// Transport.Sites, and the product tokens. It does not compare what these functions return. If a
// process has several Transports at its Cache, and one has all values of the other, this is no
// Difference.
type Difference struct {
	Setting     string // "MinDelay", "MaxDelay", "Concurrency", "Key", "Group", "Sites", "Agents"
	Here, There string // the values, joined by "|" if there are several
}

// A HealthEvent is something that happens to what a process shares: see polite.Trace.
type HealthEvent struct {
	Kind HealthKind
	Err  error // why; may be nil

	Difference Difference // of HealthDiffers
}

// A HealthKind says what a HealthEvent is.
type HealthKind string

const (
	HealthHears     HealthKind = "hears"      // polite hears all breaks from now on
	HealthDeaf      HealthKind = "deaf"       // polite hears them no more: see Health.Deaf
	HealthDropped   HealthKind = "dropped"    // see Health.Dropped
	HealthLostStart HealthKind = "lost-start" // see Health.LostStarts
	HealthLostSlot  HealthKind = "lost-slot"  // see Health.LostSlots
	HealthRetold    HealthKind = "retold"     // see Health.Retold
	HealthTurnsFail HealthKind = "turns-fail" // turns cannot be reserved from now on: see Health.Failing
	HealthTurnsWork HealthKind = "turns-work" // they can be reserved again
	HealthDiffers   HealthKind = "differs"    // another process is configured differently: told once for each Difference
)

// A Call is a call of a [Store] or of [Turns], as polite.Trace tells it.
type Call struct {
	Name string // "claim" and "put" of Store; "take", "done", "break", "watch" and "renew" of Turns
	Took time.Duration
	Err  error // context.Canceled if nobody waits any more; not ErrLost, which is no failure
}
