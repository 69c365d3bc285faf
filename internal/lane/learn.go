package lane

import (
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// An Answer says what came of a request. The zero Answer says nothing of the server.
type Answer struct {
	Kind     limit.Kind
	Answered bool // the server has answered, whatever it says
	At       time.Time
	Section  uint8  // a hash of the first segment of the path
	Target   uint32 // a hash of the path and the query
	Site     uint32 // a hash of the lane of the request, for the lane above
	Counted  bool   // it has counted in the lane above
	Taken    bool   // it was taken for trouble of all sites that share that lane

	witness limit.Witness // of a lane above

	RetryAfter time.Duration // how long the site asks for a break; 0 if it does not
	QuotaGap   time.Duration // the gap that a quota asks for
	QuotaBreak time.Duration // the break that a quota asks for
}

// An Outcome is what follows from an Answer. From the zero Outcome, nothing follows.
type Outcome struct {
	Until   time.Time    // no turn begins before; zero: there is no new break
	Limit   limit.State  // what the site bears from now on
	Lesson  limit.Lesson // what those who share the lane are to learn
	Counted bool         // the answer has counted for many sites that share the lane
	Taken   bool         // it was taken for trouble of all these sites
	Tells   bool         // there is a Limit and a Lesson: a bad answer has begun an incident or has made it longer, or a good one has ended it
}

// above returns what a says of the lane above. Breaks and gaps that the site asks for concern only the
// lane below.
func (a *Answer) above(witness limit.Witness) Answer {
	return Answer{Kind: a.Kind, Answered: a.Answered, At: a.At, Section: uint8(a.Site % 64), Target: a.Site, witness: witness}
}

// Says reports whether a says more than that all is well.
func (a *Answer) Says() bool {
	return a.Kind > limit.Good || a.RetryAfter > 0 || a.QuotaGap > 0 || a.QuotaBreak > 0
}

// bears is what a site bears, as its answers tell.
type bears struct {
	limit limit.Limit
	born  time.Time // its times count from here

	all float32 // how many turns all processes begin while this one begins one; 0: not known
}

const (
	// rememberLimit is how long a lane remembers that a site was too busy.
	rememberLimit = 10 * time.Minute

	// rememberWindow is how long a lane remembers how many requests a site bears.
	rememberWindow = time.Minute

	// wideWindow is more than the first answers allow. A smaller window grows back at once, and is
	// not worth the memory.
	wideWindow = 8
)

func (b *bears) at(now time.Time) time.Duration { return now.Sub(b.born) }

// gap returns the gap that the site needs.
func (b *bears) gap() time.Duration {
	if b.limit.Free() {
		return 0 // without a look at the clock
	}
	return b.limit.Gap(b.at(time.Now()))
}

// room reports whether the site bears one more request under way.
func (b *bears) room() bool { return b.limit.Fits() || b.limit.Room(b.at(time.Now())) }

// opens returns when the site bears one more request under way if no answer comes before.
func (b *bears) opens(now time.Time) time.Time {
	at := b.at(now)
	return now.Add(b.limit.Opens(at) - at)
}

// isWell reports whether no limit is known.
func (b *bears) isWell(now time.Time) bool { return b.limit.Healthy(b.at(now)) }

// helps returns for how long after the last turn b is worth its memory.
func (b *bears) helps() time.Duration {
	switch {
	case !b.isWell(time.Now()):
		return rememberLimit
	case b.limit.Window() >= wideWindow:
		return rememberWindow
	default:
		return 0
	}
}

// state returns what is known, for people.
func (b *bears) state(now time.Time) limit.State { return b.limit.State(b.at(now)) }

// breakEnd returns when the last break ends. It is zero if there was none.
func (b *bears) breakEnd() time.Time {
	end, _ := b.limit.BreakEnd()
	if end == 0 {
		return time.Time{}
	}
	return b.born.Add(end)
}

// breakUntil keeps a break of which others have told. It reports whether the break is new, or longer.
func (b *bears) breakUntil(until, now time.Time) bool {
	return b.limit.Break(b.at(now), until.Sub(b.born))
}

// waits returns until when a request waits for the answers to those that have begun slowly after a
// break, and when the last of them began. Both are zero if it can begin.
func (b *bears) waits(now time.Time) (until, last time.Time) {
	ends, began := b.limit.Waits(b.at(now))
	if ends == 0 {
		return until, last
	}
	return b.born.Add(ends), b.born.Add(began)
}

func (b *bears) begin(now time.Time) { b.limit.Begin(b.at(now)) }

// beginAgain counts a request that connected before a break, and is written after it.
func (b *bears) beginAgain(now time.Time) { b.limit.Again(b.at(now)) }

// wrote notes that the trial is written.
func (b *bears) wrote(now time.Time) { b.limit.Wrote(b.at(now)) }

// end learns from an answer to a request that was counted at a time, and took so long from its write.
// limited says that it keeps to what the site bears. It returns what follows, and whether the gap has changed.
func (b *bears) end(counted time.Duration, now time.Time, took time.Duration, limited bool, a Answer) (asks limit.Asks, changed bool) {
	if took = max(took, 1); !a.Answered {
		took = 0
	}
	gap := b.gap()
	asks = b.limit.End(limit.Answer{
		Begun: counted, Now: b.at(now), Obeys: !limited, Kind: a.Kind, Took: took, Section: a.Section, Target: a.Target, Witness: a.witness, Counted: a.Counted, Taken: a.Taken,
		RetryAfter: a.RetryAfter, QuotaGap: a.QuotaGap, QuotaBreak: a.QuotaBreak,
	})
	return asks, b.gap() != gap
}

// meets notes how many starts of other processes came before a start. It forgets these processes
// slowly: a process that seems to be alone believes that the site bears no more than its own share, and
// tells the others so.
func (b *bears) meets(others float64) {
	b.all = max(b.all, 1)
	more := 1 + float32(min(others, mostOthers)) - b.all
	if more < 0 {
		more /= 4
	}
	b.all += more / 4
	b.limit.Share(b.all)
}

// mostOthers is how many starts of others are believed to come between two.
const mostOthers = 1000

// lesson returns what those who share the lane are to learn.
func (b *bears) lesson(now time.Time) limit.Lesson { return b.limit.Lesson(b.at(now)) }

// learn takes in what another who shares the lane has learned. It reports whether the gap has
// changed.
func (b *bears) learn(now time.Time, lesson limit.Lesson) (changed bool) {
	gap := b.gap()
	b.all = max(b.all, 2) // this one, and who tells it
	b.limit.Learn(b.at(now), lesson)
	b.limit.Share(b.all)
	return b.gap() != gap
}
