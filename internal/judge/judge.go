// Package judge says what is known of an origin's robots.txt means for a request.
//
//	judge.go the verdict, and why a site has no rules
//	use.go   the purposes for which a page may be used
package judge

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/status"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// A Judge judges requests for a crawler. It is safe for concurrent use.
type Judge struct {
	Agents []string // the product tokens of the crawler, most specific first
	Policy Policy
	Memory *answers.Reader
}

// Judge fills in what v.Known means for target.
func (j *Judge) Judge(v *Verdict, target string) {
	if file := v.Known.File; file == nil || file.WebPage {
		v.Silence = silenceOf(v.Known, j.Policy.EndsOutages, j.Memory)
		v.Allowed = !j.Policy.Denies[v.Silence]
	} else {
		v.Rules = file.RulesFor(j.Agents)
		v.match(target, &j.Policy)
		v.matchFolded(target, &j.Policy)
	}
	j.Memory.Recount(v.Known.File)
}

// A Policy says what is allowed where RFC 9309 leaves a choice.
type Policy struct {
	Denies      [silences]bool // whether a site without rules allows nothing
	EndsOutages bool           // after 30 days an outage is a LongOutage
	FoldPaths   bool           // judge also the path as most servers read it
	Purposes    []usage.Use    // what the pages are for
	ReadSlips   bool           // a slip that means no says no
}

// A Verdict is what robots.txt means for a request.
type Verdict struct {
	Allowed bool
	Again   bool           // the request was judged before
	Known   *answers.Known // nil if robots.txt was not needed
	Found   answers.Found  // what was known when the request came
	Silence Silence        // if there are no rules
	Rules   robots.Rules
	Rule    robots.Rule // that matches; zero if none does
	Matched bool        // a rule matches, and decides
	Use     *usage.Said // the statement that says no to a purpose; nil if none does

	Purposes []usage.Use // of the request; nil: those of the Policy count
}

// Slips returns what the file means to say about the use of target, and does not. It returns
// no more than most.
func (v *Verdict) Slips(target string, most int) (slips []usage.Said) {
	if v.File() == nil {
		return nil
	}
	for slip := range v.File().Said(v.Rules, target).Slips() {
		if len(slips) == most {
			break
		}
		slips = append(slips, slip)
	}
	return slips
}

// Gone returns a channel that is closed when another answer takes the place of v.Known.
func (v *Verdict) Gone() <-chan struct{} {
	if v.Known == nil {
		return nil
	}
	return v.Known.Gone()
}

// File returns the file that v goes by, or nil if there is none.
func (v *Verdict) File() *answers.File {
	if v.Known == nil {
		return nil
	}
	return v.Known.File
}

// NextAsk returns when to ask for robots.txt again. There must be something known.
func (v *Verdict) NextAsk(r *answers.Reader) time.Time { return r.Next(v.Known) }

// Recheck returns how long a request judged by v can wait for its turn before it is time
// to ask for robots.txt again. Zero means that this time never comes.
func (v *Verdict) Recheck(r *answers.Reader) time.Duration {
	if v.Known == nil {
		return 0
	}
	return r.Recheck(v.Known)
}

// Current reports whether v still goes by what is known of o.
func (v *Verdict) Current(r *answers.Reader, o origin.Origin) bool {
	return v.Known == nil || r.Current(o, v.Known)
}

// Differs reports whether v means something else than last.
func (v *Verdict) Differs(last *Verdict) bool {
	return v.Allowed != last.Allowed || v.Silence != last.Silence || v.Matched != last.Matched || v.Rule != last.Rule ||
		(v.Use == nil) != (last.Use == nil) || v.Use != nil && *v.Use != *last.Use
}

// Forbids reports whether v forbids what last allowed.
func (v *Verdict) Forbids(last *Verdict) bool { return !v.Allowed && v.Differs(last) }

// match fills in which of v's rules decides on target, or which statement says no to a
// purpose. No rule decides on /robots.txt; no other target is equal to it (RFC 9309
// §2.2.2).
func (v *Verdict) match(target string, p *Policy) {
	v.Rule, v.Matched = v.Rules.Match(target)
	v.Allowed = !v.Matched || v.Rule.Allow
	purposes := v.Purposes
	if purposes == nil {
		purposes = p.Purposes
	}
	if len(purposes) == 0 || !v.Allowed {
		return
	}
	said := v.Known.File.Said(v.Rules, target)
	if p.ReadSlips {
		said = said.Strictly()
	}
	if use := forbids(said, purposes); use != nil && !isAboutSite(v.File().Parsed(), v.Known.Origin(), target) {
		v.Use, v.Allowed, v.Matched, v.Rule = use, false, false, robots.Rule{}
	}
}

// matchFolded does what match does for target as most servers read it, if the Policy
// asks for it and v allows target as it is sent.
func (v *Verdict) matchFolded(target string, p *Policy) {
	if !p.FoldPaths || !v.Allowed {
		return
	}
	sent := strings.Clone(target) // target itself can stay on the stack
	if folded := origin.Folded(sent); folded != sent {
		v.match(folded, p)
	}
}

// A Silence says why a site has no rules. The zero Silence is that it has some.
type Silence int

const (
	None             Silence = iota // there are rules
	Unavailable                     // there is no robots.txt (RFC 9309 §2.3.1.3)
	Forbidden                       // 401 or 403
	TooManyRedirects                // §2.3.1.2
	WebPage                         // a page for browsers came in its place, with 2xx
	TooManyRequests                 // 429
	Unreachable                     // it could not be fetched (§2.3.1.4)
	LongOutage                      // it could not be fetched for over 30 days
	silences
)

// IsOutage reports whether the site could not be reached (RFC 9309 §2.3.1.4). If not, it
// has no robots.txt (§2.3.1.3).
func (s Silence) IsOutage() bool { return s >= TooManyRequests }

// String returns the name of s. A field of polite.Policy has the same name.
func (s Silence) String() string {
	return [...]string{"", "Unavailable", "Forbidden", "TooManyRedirects", "WebPage", "TooManyRequests", "Unreachable", "LongOutage"}[s]
}

// longOutage is how long an outage lasts before a Policy may see it in another way.
const longOutage = 30 * 24 * time.Hour

// silenceOf returns why k has no rules now, for r. If endsOutages is true, an outage becomes a
// LongOutage after 30 days.
func silenceOf(k *answers.Known, endsOutages bool, r *answers.Reader) Silence {
	if f := k.Failure; f != nil && !r.Counts(k) {
		switch {
		case r.Now()-f.Since > int64(longOutage) && endsOutages:
			return LongOutage
		case f.Err == nil && f.Status == http.StatusTooManyRequests:
			return TooManyRequests
		default:
			return Unreachable
		}
	}
	switch {
	case k.File != nil:
		return WebPage
	case k.TooManyRedirects():
		return TooManyRedirects
	case status.Of(int(k.Status)).File == status.Closed:
		return Forbidden
	default:
		return Unavailable
	}
}
