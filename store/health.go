package store

import "time"

// A Health is how a process fares with Cache.Turns: see polite.Cache.Health. If all is well, Deaf
// is false, Failing is nil, Differences is empty, and the counts stand still.
type Health struct {
	// Shared says that there are Turns. If false, all else is zero.
	Shared bool

	// Deaf says that polite listens to Turns, and does not hear all breaks. polite listens while requests
	// come. While polite is deaf, each request asks Turns for breaks. Since is when polite became deaf,
	// or began to hear. Since is zero if neither has happened yet. Err says why polite is deaf, and may
	// be nil.
	Deaf  bool
	Since time.Time
	Err   error

	// Failing says why turns cannot be reserved now: all calls of Turns have failed since FailingSince.
	// polite refuses requests that need a turn meanwhile. If nil, turns can be reserved.
	Failing      error
	FailingSince time.Time

	// Slack is how much later than reserved a request may start. It covers a usual call of Turns. Each
	// start of all processes comes later by the Slack of the start before. Lead is how long before its
	// start a request goes to Base, in a lane of which nothing is known yet. Both are of this process,
	// now.
	Slack, Lead time.Duration

	// LostStarts counts reserved starts for which the request was not ready in time: connecting, or a
	// call of Turns, took longer than usual. Sites get fewer requests than they allow.
	LostStarts uint64

	// LostSlots counts requests that were ended because their slots could not be renewed.
	LostSlots uint64

	// Dropped counts how often polite dropped all its reservations: it was no longer sure to hear all
	// breaks, or Turns may have lost data. DropErr is the reason of the last time.
	Dropped uint64
	DropErr error

	// Retold counts breaks that polite has told Turns again.
	Retold uint64

	// Overdue counts requests that Base wrote after the time that Turns had reserved for them,
	// because this process stood still. The next request of another process may have come too
	// soon after them.
	Overdue uint64

	// Differences are the settings that differ in other processes now. Only a [Reporter] tells them.
	Differences []Difference
}

// A Difference is a setting that differs in another process, which shares Cache.Turns. While there is a
// Difference, gaps and limits may be broken: the same request is in another lane there, or one of the
// two processes allows more. A Difference is usual while a new configuration is rolled out, and should
// end with the roll-out. To avoid it, end the old processes first.
//
// polite compares MinDelay, MaxDelay (also RefuseLonger) and Concurrency of Transport.Pace, the
// MinDelay and Concurrency of its Group, whether there is a Pace.Key and a Transport.Sites, and the
// product tokens. It does not compare what these functions return. A process whose Cache has several
// Transports has several values. If one process has all values of the other, this is no Difference.
type Difference struct {
	Setting     string // "MinDelay", "MaxDelay", "Concurrency", "Key", "Group", "Sites", "Agents"
	Here, There string // the values of this process and of the other, joined by "|" if there are several
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
	HealthSlow      HealthKind = "slow"       // a call of Turns took half a second or longer, and the one before it did not
	HealthDiffers   HealthKind = "differs"    // another process is configured differently: there is one event for each Difference
)

// A Call is a call of a [Store] or of [Turns], as polite.Trace tells it.
type Call struct {
	Name string // "claim" and "put" of Store; "take", "done", "break", "watch" and "renew" of Turns
	Took time.Duration
	Err  error // context.Canceled if nobody waits any more; not ErrLost, which is no failure
}
