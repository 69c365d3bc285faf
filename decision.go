package polite

import (
	"time"

	"github.com/go-polite/polite/robots"
)

// A Decision is what robots.txt means for one request, and why. Its texts can be
// shown on a terminal and in a log as they are, but for Rule.Pattern, which is as
// the site wrote it: print the Rule with %q.
type Decision struct {
	Allowed bool   // by robots.txt; Turn tells whether it would have to wait
	Reason  Reason // what kind of thing decided

	URL    string // the one decided on, without its password
	Origin string // scheme, host and port of the site, as in "https://example.com"

	Agent string      // our product token: the one that the file names, else the first
	Group string      // the token of the group that speaks to us, "*", or "" for none
	Rule  robots.Rule // the rule that decided; zero if Reason is not ByRule
	Basis string      // what decided if there are no rules: "Forbidden: deny all", after the Policy's field

	RobotsURL string    // the origin's robots.txt; this and what follows down to Next is zero if it was not needed
	Hops      []string  // where it redirected to, in order
	Status    int       // its last HTTP status; 0 if there was none
	Err       error     // why the last answer could not be relied on, or there was none
	Fetched   time.Time // when what counts was fetched, or confirmed; zero if nothing was
	Truncated bool      // the file is longer than robots.MaxSize
	Stale     bool      // what counts should have been replaced by now
	Failing   time.Time // since when there was no answer to rely on; zero if the last one was
	Next      time.Time // when it will be asked for again, or later

	SiteDelay time.Duration // what the site's crawl-delay asks for
	Delay     time.Duration // what is kept between the starts of two requests
	Turn      time.Time     // when the next request could be sent; zero if it could be now
}

// A Reason says what kind of thing decided on a request.
type Reason string

const (
	NotHTTP     Reason = "not-http"    // robots.txt does not speak of other schemes
	Exempt      Reason = "exempt"      // by Policy.Exempt
	RobotsTxt   Reason = "robots.txt"  // always allowed (RFC 9309 §2.2.2)
	ByRule      Reason = "rule"        // a rule matches: Decision.Rule
	NoRule      Reason = "no-rule"     // no rule for us matches
	Unavailable Reason = "unavailable" // the site has no robots.txt (§2.3.1.3)
	Unreachable Reason = "unreachable" // robots.txt could not be had (§2.3.1.4)
)
