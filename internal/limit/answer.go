package limit

import (
	"math"
	"time"
)

// An Answer is what came of a request.
type Answer struct {
	Begun, Now time.Duration
	Kind       Kind
	Took       time.Duration // from the write to the answer; 0 if there was no answer
	Section    uint8         // a hash of the first segment of the path
	Target     uint32        // a hash of the URL; 0 if it is not known
	Witness    Witness       // of a lane of many sites, of which Section and Target are hashes
	Counted    bool          // it counted in the lane of many sites above
	Taken      bool          // it was taken there for trouble of all sites, so it says nothing of this one
	Obeys      bool          // the caller looks for no limit: only what the site asks for counts, and the slow start after it
	RetryAfter time.Duration // how long the site asks for a break; 0 if it does not
	QuotaGap   time.Duration // the gap that a quota asks for; 0 if it does not
	QuotaLeft  time.Duration // how long this gap holds: until the quota is new
	QuotaBreak time.Duration // the break that a quota asks for; 0 if it does not

	together  bool // others that share the lane are refused, too
	overtaken bool // a request that began later, or at the same time, was answered before it
}

// Asks is what follows from an answer.
type Asks struct {
	Break    time.Duration // how long no request may begin, from now; 0 if nothing has changed
	Incident bool          // an incident has begun, or goes on after a bad probe: tell the fleet
	Over     bool          // an incident is over
	Counted  bool          // the answer has counted for many sites: see Answer
	Taken    bool          // it was taken for trouble of all sites: see Answer
}

// Trouble is what a good answer ends. If the answer turns out to be a bad one, it goes on: see Correct.
type Trouble struct {
	row      row // of bad answers
	incident bool
}

// bound keeps a time within what can be computed with.
func bound(t time.Duration) time.Duration { return min(max(t, 0), math.MaxInt64/2) }

func (a *Answer) bound() {
	a.Now = bound(a.Now)
	a.Begun = min(bound(a.Begun), a.Now)
	a.Took = min(max(a.Took, 0), time.Hour)
	a.RetryAfter = min(max(a.RetryAfter, 0), longestBreak)
	a.QuotaGap, a.QuotaLeft = min(max(a.QuotaGap, 0), widestGap), min(max(a.QuotaLeft, 0), longestBreak)
	a.QuotaBreak = min(max(a.QuotaBreak, 0), longestBreak)
}

// blames returns the section and the target that may be refused for a reason of their own. They are 0
// if the answer says nothing of this.
func (a *Answer) blames() (section, target uint32) {
	if !a.Kind.isBusy() || a.Target == 0 {
		return 0, 0
	}
	return a.section(), a.Target
}

func (a *Answer) section() uint32 { return uint32(a.Section) + 1 }

// teaches reports whether a bad answer says what rate is too much.
func (a *Answer) teaches() bool {
	return (a.Witness == NoWitness || a.together) && a.Kind != Refused
}

// longest returns how long a break after a bad answer is at most.
func (a *Answer) longest(alone bool) time.Duration {
	switch longest := a.Kind.longest(); {
	case a.Witness != NoWitness:
		return min(longest, longestMany)
	case alone:
		return longestAlone
	default:
		return longest
	}
}

// A Kind is what an answer says of the site. Processes tell each other its number: a new Kind comes last.
type Kind uint8

const (
	Neutral Kind = iota // nothing: 404, or the caller gave up
	Good
	Busy       // 429: too many requests
	Down       // 503: also too many requests, or the site is down
	Refused    // the connection was refused: nobody is there
	Silent     // no answer came in time
	Broken     // 5xx but 503
	Barred     // 403
	Challenged // a challenge for browsers
)

// KindOf returns the kind with a number, or Neutral if there is none.
func KindOf(number int64) Kind {
	if number < 0 || number > int64(Challenged) {
		return Neutral
	}
	return Kind(number)
}

// String returns the name of the kind as logs have it.
func (k Kind) String() string {
	names := [...]string{"neutral", "good", "busy", "busy", "refused", "silent", "broken", "barred", "challenged"}
	if int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// isBad reports whether an answer may say that there is something wrong.
func (k Kind) isBad() bool { return k > Good }

// isOverload reports whether an answer says that the site cannot answer more.
func (k Kind) isOverload() bool { return k.isBusy() || k == Refused || k == Silent }

// isBusy reports whether an answer says that there are too many requests.
func (k Kind) isBusy() bool { return k == Busy || k == Down }

// isBan reports whether a long row of such answers is a ban. A row of 503 is one only if another came before.
func (k Kind) isBan() bool { return k == Busy || k == Barred }

// longest returns how long a break after a bad answer of this kind is at most.
func (k Kind) longest() time.Duration {
	switch k {
	case Broken:
		return 10 * time.Second
	case Barred, Challenged:
		return time.Minute
	case Silent: // each request takes long, too
		return 10 * time.Minute
	default:
		return 5 * time.Minute
	}
}

// A lane of many sites is above the lanes of these sites: that of all sites at one address, for
// example. It learns whether all sites are down, by a row of failures of sites that were well. It has
// no window and no rate, since nobody knows whether a slow page, or a refusal, is a matter of all sites
// or of one.

// A Witness is what the site of a bad answer was like before.
type Witness uint8

const (
	NoWitness Witness = iota // the lane is that of one site
	Stranger                 // it was never well, or has trouble or a limit of its own: it says nothing of others
	Shaken                   // its last answer was bad, too, and counted
	Well                     // its last answer was good
)
