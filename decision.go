package polite

import (
	"time"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// A Decision is what robots.txt means for one request, and why. All texts in it are
// safe for a terminal and a log, except Rule.Pattern, which is as the site wrote it:
// print a Rule with %q. If polite did not need robots.txt, the fields about robots.txt
// are zero.
type Decision struct {
	Allowed bool   // by robots.txt; the request may still have to wait: see Turn
	Reason  Reason // what decided

	URL    string // of the request, without its password
	From   string // the URL that was asked for first, if redirects led to URL, without its password
	Origin string // scheme, host and port: "https://example.com"

	Agent string      // the one of our product tokens that the file names; our first if it names none
	Group string      // the user-agent of the group that applies to us: a token, "*", or "" if no group does
	Rule  robots.Rule // the rule that decided; zero if Reason is not ReasonRule
	Use   usage.Said  // the statement that decided; zero if Reason is not ReasonUse; print it with %q
	Basis string      // the field of Policy that decided, and how: "Forbidden: deny all"; Site.Basis if Reason is ReasonAgreed; else ""

	RobotsURL string    // of the origin's robots.txt
	Hops      []string  // the URLs that it redirected to, in order
	Status    int       // of the last answer; 0 if there was none
	Err       error     // why there was no answer, or why polite cannot rely on it
	Fetched   time.Time // when polite fetched the answer that applies, or heard that it is unchanged; zero if there is none
	Truncated bool      // the file is longer than robots.MaxSize, and its end does not apply
	Stale     bool      // the answer that applies is out of date, because polite could not fetch a new one
	Failing   time.Time // when polite first failed to fetch a new answer; zero if the last try succeeded
	Next      time.Time // when polite asks again, at the earliest

	CrawlDelay time.Duration // the crawl-delay of the site
	Gap        time.Duration // the gap that polite keeps between the starts of two requests
	Start      time.Time     // when the next request can be sent; zero if it can be sent now
}

// asked returns what was asked for, as the subject of a sentence.
func (d *Decision) asked() string {
	if d.From == "" {
		return d.URL
	}
	return d.URL + ", to which " + d.From + " redirects,"
}

// A Lookup says how robots.txt was known when a request came.
type Lookup string

const (
	LookupHit   Lookup = "hit"   // it was in the Cache
	LookupStale Lookup = "stale" // it was in the Cache, out of date
	LookupMiss  Lookup = "miss"  // the request waited for an answer
)

// A Reason says what decided on a request.
type Reason string

const (
	ReasonNotHTTP     Reason = "not-http"    // the scheme is neither http nor https
	ReasonExempt      Reason = "exempt"      // Policy.Exempt said so
	ReasonAgreed      Reason = "agreed"      // Transport.Sites said that the owner of the site has agreed
	ReasonRobotsTxt   Reason = "robots.txt"  // the request is for /robots.txt, which is always allowed (RFC 9309 §2.2.2)
	ReasonRule        Reason = "rule"        // a rule matches: Decision.Rule
	ReasonNoRule      Reason = "no-rule"     // no rule for us matches
	ReasonUse         Reason = "use"         // a statement says no to one of Policy.Purposes: Decision.Use
	ReasonUnavailable Reason = "unavailable" // the site has no robots.txt (§2.3.1.3)
	ReasonUnreachable Reason = "unreachable" // robots.txt could not be fetched (§2.3.1.4)
)
