package lane

import (
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// An Answer says what came of a request. The zero Answer says nothing of the server.
type Answer struct {
	Kind     limit.Kind
	Answered bool   // the server has answered, whatever it says
	Section  uint8  // a hash of the first segment of the path
	Target   uint32 // a hash of the path and the query
	Site     uint32 // a hash of the lane of the request, for the lane above
	Counted  bool   // it has counted in the lane above
	Taken    bool   // it was taken for trouble of all sites that share that lane

	witness limit.Witness // of a lane above

	RetryAfter time.Duration // how long the site asks for a break; 0 if it does not
	QuotaGap   time.Duration // the gap that a quota asks for
	QuotaLeft  time.Duration // how long this gap holds
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

	ended limit.Trouble // by a good answer
}

// above returns what a says of the lane above. Breaks and gaps that the site asks for concern only the
// lane below.
func (a *Answer) above(witness limit.Witness) Answer {
	return Answer{Kind: a.Kind, Answered: a.Answered, Section: uint8(a.Site % 64), Target: a.Site, witness: witness}
}

// Says reports whether a says more than that all is well.
func (a *Answer) Says() bool {
	return a.Kind > limit.Good || a.RetryAfter > 0 || a.QuotaGap > 0 || a.QuotaBreak > 0
}

// siteLimit is what a site bears, as its answers tell.
type siteLimit struct {
	limit.Limit
	born time.Time // its times count from here

	turnsOfAll float32 // how many turns all processes begin while this one begins one; 0: not known
}

const (
	// RememberLimit is how long a lane remembers that a site was too busy.
	RememberLimit = 10 * time.Minute

	// rememberWindow is how long a lane remembers how many requests a site bears.
	rememberWindow = time.Minute

	// wideWindow is more than the first answers allow. A smaller window grows back at once, and is
	// not worth the memory.
	wideWindow = 8
)

func (b *siteLimit) at(now time.Time) time.Duration { return now.Sub(b.born) }

// gap returns the gap that the site needs.
func (b *siteLimit) gap() time.Duration {
	if b.Limit.Free() {
		return 0 // without a look at the clock
	}
	return b.Limit.Gap(b.at(time.Now()))
}

// opens returns when the site bears one more request under way if no answer comes before.
func (b *siteLimit) opens(now time.Time) time.Time {
	at := b.at(now)
	return now.Add(b.Limit.Opens(at) - at)
}

// isWell reports whether no limit is known.
func (b *siteLimit) isWell(now time.Time) bool { return b.Limit.Healthy(b.at(now)) }

// helps returns for how long after the last turn b is worth its memory.
func (b *siteLimit) helps(now time.Time) time.Duration {
	switch {
	case !b.isWell(now):
		return RememberLimit
	case b.Limit.Window() >= wideWindow:
		return rememberWindow
	default:
		return 0
	}
}

// state returns what is known, for people.
func (b *siteLimit) state(now time.Time) limit.State { return b.Limit.State(b.at(now)) }

// breakEndsAt returns when the last break ends. It is zero if there was none.
func (b *siteLimit) breakEndsAt() time.Time {
	end, _ := b.Limit.BreakEnd()
	if end == 0 {
		return time.Time{}
	}
	return b.born.Add(end)
}

// breakUntil keeps a break of which others have told. It reports whether the break is new, or longer.
func (b *siteLimit) breakUntil(until, now time.Time) bool {
	return b.Limit.Break(b.at(now), until.Sub(b.born))
}

// waits returns until when a request waits for the answers to those that have begun slowly after a
// break, and when the last of them began. Both are zero if it can begin.
func (b *siteLimit) waits(now time.Time) (until, last time.Time) {
	ends, began := b.Limit.Waits(b.at(now))
	if ends == 0 {
		return until, last
	}
	return b.born.Add(ends), b.born.Add(began)
}

func (b *siteLimit) begin(now time.Time) { b.Limit.Begin(b.at(now)) }

// beginAgain counts a request that connected before a break, and is written after it.
func (b *siteLimit) beginAgain(now time.Time) { b.Limit.Again(b.at(now)) }

// wrote notes that the trial is written.
func (b *siteLimit) wrote(now time.Time) { b.Limit.Wrote(b.at(now)) }

// end learns from an answer to a request that was counted at a time, and took so long from its write.
// limited says that it keeps to what the site bears. It returns what follows, and whether the gap has changed.
func (b *siteLimit) end(counted time.Duration, now time.Time, took time.Duration, limited bool, a Answer) (asks limit.Asks, changed bool) {
	if took = max(took, 1); !a.Answered {
		took = 0
	}
	gap := b.gap()
	asks = b.Limit.End(b.answer(counted, now, took, limited, a))
	return asks, b.gap() != gap
}

// correct learns that an answer, which end took for a good one, is bad.
func (b *siteLimit) correct(counted time.Duration, now time.Time, limited bool, a Answer, ended limit.Trouble) (asks limit.Asks, changed bool) {
	gap := b.gap()
	asks = b.Limit.Correct(b.answer(counted, now, 1, limited, a), ended)
	return asks, b.gap() != gap
}

func (b *siteLimit) answer(counted time.Duration, now time.Time, took time.Duration, limited bool, a Answer) limit.Answer {
	return limit.Answer{
		Begun: counted, Now: b.at(now), Obeys: !limited, Kind: a.Kind, Took: took, Section: a.Section, Target: a.Target, Witness: a.witness, Counted: a.Counted, Taken: a.Taken,
		RetryAfter: a.RetryAfter, QuotaGap: a.QuotaGap, QuotaLeft: a.QuotaLeft, QuotaBreak: a.QuotaBreak,
	}
}

// meets notes how many starts of other processes came before a start. It forgets these processes
// slowly: a process that seems to be alone believes that the site bears no more than its own share, and
// tells the others so.
func (b *siteLimit) meets(others float64) {
	b.turnsOfAll = max(b.turnsOfAll, 1)
	more := 1 + float32(min(others, limit.LargestFleet)) - b.turnsOfAll
	if more < 0 {
		more /= 4
	}
	b.turnsOfAll += more / 4
	b.Limit.NoteFleet(b.turnsOfAll)
}

// lesson returns what those who share the lane are to learn.
func (b *siteLimit) lesson(now time.Time) limit.Lesson { return b.Limit.Lesson(b.at(now)) }

// learn takes in what another who shares the lane has learned. It reports whether the gap has
// changed.
func (b *siteLimit) learn(now time.Time, lesson limit.Lesson) (changed bool) {
	gap := b.gap()
	b.turnsOfAll = max(b.turnsOfAll, 2) // this one, and who tells it
	b.Limit.Learn(b.at(now), lesson)
	b.Limit.NoteFleet(b.turnsOfAll)
	return b.gap() != gap
}
