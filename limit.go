package polite

import (
	"fmt"
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// A Limit is what a site bears, as polite finds out from its answers: see [Backoff].
type Limit struct {
	Origin  string        // whose answers tell: scheme, host and port
	Trouble Trouble       // what the last bad answer was; "" if a good one came since
	Tries   int           // how many requests after a break were answered badly, in this trouble
	Window  int           // how many requests may be under way
	Gap     time.Duration // the least time between the starts of two; 0 if there is none
	Until   time.Time     // no request starts before; zero if there is no break
	Asked   bool          // the site has asked for this break, with Retry-After or a quota
}

// A Trouble says what is wrong at a site that has too much to do.
type Trouble string

const (
	TroubleBusy    Trouble = "busy"    // it answers 429 or 503, or Backoff.Judge says so
	TroubleRefused Trouble = "refused" // it refuses connections
	TroubleSilent  Trouble = "silent"  // it does not answer in time
	TroubleBroken  Trouble = "broken"  // it answers 500, 502 or 504, again and again
	TroubleBarred  Trouble = "barred"  // it answers 403, again and again
)

// String returns l in a few words: "the site is busy: 1 request at a time, one every 2s". The
// times at which a break ends are left out.
func (l Limit) String() string {
	text := fmt.Sprintf("%s %d requests at a time", l.Trouble.told(), l.Window)
	if l.Window == 1 {
		text = l.Trouble.told() + " 1 request at a time"
	}
	if l.Gap > 0 {
		exact := time.Millisecond
		if l.Gap > time.Second {
			exact = 100 * time.Millisecond
		}
		text += fmt.Sprintf(", one every %v", l.Gap.Round(exact))
	}
	return text
}

// told returns the begin of a sentence about t.
func (t Trouble) told() string {
	switch t {
	case "":
		return "the site bears"
	case TroubleRefused:
		return "the site refuses connections:"
	case TroubleSilent:
		return "the site does not answer:"
	case TroubleBroken:
		return "the site answers with errors:"
	case TroubleBarred:
		return "the site forbids its pages:"
	default:
		return "the site is busy:"
	}
}

// limitOf returns s, which the answers of an origin tell.
func limitOf(origin string, s limit.State) Limit {
	l := Limit{Origin: origin, Window: s.Window, Gap: s.Gap, Asked: s.Asked}
	if s.Incident {
		l.Trouble, l.Tries = Trouble(s.Why.String()), s.Tries
	}
	if s.Break > 0 {
		l.Until = time.Now().Add(s.Break)
	}
	return l
}
