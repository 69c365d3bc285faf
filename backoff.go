package polite

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/limit"
)

// Backoff says how polite finds what a site bears, beside what the site says in words. The
// zero Backoff is on.
//
// At first two requests may be under way to a site beside another, and one more after each
// good answer, up to the Ceiling. Here a request is under way until the header of its answer comes: set
// Pace.Concurrency where pages are large. Fewer may be under way if answers become slower by
// them. After a 429 or 503, a refused connection, timeouts, or rows of errors there is a
// break, which doubles from a second to five minutes with each answer that is no better. Then
// there is a gap, which becomes shorter slowly. A quota that the site tells in its answers
// (RateLimit, X-RateLimit-Remaining) is kept to. Processes that share Cache.Turns tell each
// other of breaks and gaps, and find the limit together. A request whose MaxQueue is NoQueue
// is not held back by how many are under way.
//
// Nobody knows when a site is back that is down. So if such a break lasts for more than a minute
// longer, a request fails at once with a [DelayError], which says when to try again. A request
// that has asked to wait does so: one with a MaxWait or a deadline that allow for the break, or
// whose Options.MaxWait is Forever. All wait for as long as the site itself has asked for.
type Backoff struct {
	// Off turns it off. Then only the gap, the limit and Retry-After count.
	Off bool

	// Ceiling is the most requests of a Transport that are under way to a site at the same time, however
	// much the site bears: written, and without the header of an answer. Zero is six, as many as a
	// browser opens connections; NoCeiling is none. It does not count where Pace.Concurrency
	// says how many.
	Ceiling int

	// Judge says what an answer means for the load of the site, where the status does not tell:
	// LoadBusy for a captcha with status 200, or for a page to log in. If Judge is nil, polite
	// judges all answers by itself. Either resp is nil or err is. A Retry-After and a quota count
	// whatever Judge says, and an error is never good.
	//
	// Judge gets resp before the caller does, and must not change or close it. If Judge reads
	// from the body, it must put back what it has read:
	//
	//	head, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
	//	resp.Body = struct {
	//		io.Reader
	//		io.Closer
	//	}{io.MultiReader(bytes.NewReader(head), resp.Body), resp.Body}
	//
	// The caller waits for it. Judge must not send requests to the site. Several goroutines call
	// it at the same time. If it panics, the turn is over and the response is closed.
	Judge func(req *http.Request, resp *http.Response, err error) Load
}

// A Load is what an answer means for the load of a site: see [Backoff].
type Load int

const (
	LoadAsUsual Load = iota // polite judges the answer by itself
	LoadGood                // the site is well, and more requests may be under way
	LoadBusy                // the site has too much to do, as if it had answered 429
	LoadNeutral             // the answer says nothing of the load, as a 404
)

// kind returns l as the engine goes by it. It returns false if polite judges by itself.
func (l Load) kind() (limit.Kind, bool) {
	switch l {
	case LoadGood:
		return limit.Good, true
	case LoadBusy:
		return limit.Busy, true
	case LoadNeutral:
		return limit.Neutral, true
	default:
		return limit.Neutral, false
	}
}

// judging returns b.Judge as the engine calls it, or nil.
func judging(b *Backoff) func(*http.Request, *http.Response, error) (limit.Kind, bool) {
	if b.Judge == nil || b.Off {
		return nil
	}
	judge := b.Judge
	return func(req *http.Request, resp *http.Response, err error) (limit.Kind, bool) {
		return judge(req, resp, err).kind()
	}
}

// A Limit is what a site bears, as polite finds out from its answers: see [Backoff].
type Limit struct {
	Origin  string        // whose answers tell: scheme, host and port
	Group   bool          // it is what the Pace.Group of the origin bears, all its origins together
	Status  int           // of the answer that has begun a break, in Trace.BreakBegan; 0 if there was none
	Trouble Trouble       // what the last bad answer was; "" if a good one came since
	Tries   int           // how many requests after a break were answered badly, in this trouble
	Window  int           // how many requests may be under way; 0 of a Group, for which polite finds none
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

	TroubleChallenged Trouble = "challenged" // a wall before it answers with challenges for browsers, again and again
)

// String returns l in a few words: "the site is busy: 1 request at a time, one every 2s". The
// times at which a break ends are left out.
func (l Limit) String() string {
	text := l.Trouble.told()
	switch {
	case l.Group && l.Trouble == "":
		text = "the group of the site is well"
	case l.Group:
		text = "the group of " + strings.TrimSuffix(text, ":")
	case l.Window == 1:
		text += " 1 request at a time"
	default:
		text += fmt.Sprintf(" %d requests at a time", l.Window)
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
	case TroubleChallenged:
		return "a wall before the site answers with challenges:"
	default:
		return "the site is busy:"
	}
}

// limitOf returns s, which the answers of an origin tell: of itself, or of its Group.
func limitOf(origin string, s limit.State, group bool) Limit {
	l := Limit{Origin: origin, Group: group, Window: s.Window, Gap: s.Gap, Asked: s.Asked}
	if group {
		l.Window = 0
	}
	if s.Incident {
		l.Trouble, l.Tries = Trouble(s.Why.String()), s.Tries
	}
	if s.Break > 0 {
		l.Until = time.Now().Add(s.Break)
	}
	return l
}
