package polite

import (
	"encoding/hex"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/turns"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// A Decision is what robots.txt means for one request, and why. All texts in it are
// safe for a terminal and a log, except Rule.Pattern, which is as the site wrote it:
// print a Rule with %q. If polite did not need robots.txt, the fields about robots.txt
// are zero.
type Decision struct {
	Allowed bool   // by robots.txt; the request may still have to wait: see Start
	Reason  Reason // what decided

	URL    string // of the request, without its password
	From   string // the URL that was asked for first, if redirects led to URL, without its password
	Origin string // scheme, host and port: "https://example.com"

	Agent string       // the one of our product tokens that the file names; our first if it names none
	Group string       // the user-agent of the group that applies to us: a token, "*", or "" if no group does
	Rule  robots.Rule  // the rule that allows or disallows the request; zero if none does
	Use   usage.Said   // the statement that decided; zero if Reason is not ReasonUse; print it with %q
	Slips []usage.Said // what robots.txt means to say about use, and does not: up to 100; print it with %q
	Basis string       // the field of Policy that decided, and how: "Forbidden: deny all"; Options.Basis if Reason is ReasonAgreed; else ""

	RobotsURL string    // of the origin's robots.txt
	Hops      []string  // the URLs that it redirected to, in order
	Status    int       // of the last answer; 0 if there was none
	Err       error     // why there was no answer, or why polite cannot rely on it
	Fetched   time.Time // when polite fetched the answer that applies, or heard that it is unchanged; zero if there is none
	SHA256    string    // of the file as far as it was read, in hexadecimal digits; "" if there is none
	Truncated bool      // the file is longer than robots.MaxSize, and its end does not apply
	Stale     bool      // the answer that applies is out of date, because polite could not fetch a new one
	Failing   time.Time // when polite first failed to fetch a new answer; zero if the last try succeeded
	Next      time.Time // when polite asks again, at the earliest

	CrawlDelay time.Duration // the crawl-delay of the site
	Gap        time.Duration // the gap that polite keeps between the starts of two requests
	Limit      Limit         // what the site bears, as its answers tell; zero if it is well, or Backoff is off
	Start      time.Time     // when the next request can be sent; zero if it can be sent now
}

// asked returns what was asked for, as the subject of a sentence.
func (d *Decision) asked() string {
	if d.From == "" {
		return d.URL
	}
	return d.URL + ", to which " + d.From + " redirects,"
}

// A Reason says what decided on a request. That of a refusal says why polite has not sent it:
// ReasonRule, ReasonUse, ReasonUnavailable, ReasonUnreachable, ReasonUnknown or ReasonDelayed.
// Logs, metrics and spans have the same words.
type Reason string

const (
	ReasonNotHTTP     Reason = "not-http"    // the scheme is neither http nor https
	ReasonExempt      Reason = "exempt"      // Policy.Exempt said so
	ReasonAgreed      Reason = "agreed"      // Options said that the owner of the site has agreed
	ReasonRobotsTxt   Reason = "robots.txt"  // the request is for /robots.txt, which is always allowed (RFC 9309 §2.2.2)
	ReasonRule        Reason = "rule"        // a rule matches: Decision.Rule
	ReasonNoRule      Reason = "no-rule"     // no rule for us matches
	ReasonUse         Reason = "use"         // a statement says no to one of Policy.Purposes: Decision.Use
	ReasonUnavailable Reason = "unavailable" // the site has no robots.txt (§2.3.1.3)
	ReasonUnreachable Reason = "unreachable" // robots.txt could not be fetched (§2.3.1.4)
	ReasonUnknown     Reason = "unknown"     // robots.txt has not come yet
	ReasonDelayed     Reason = "delayed"     // the turn of the request would come too late: DelayError.Cause
)

// A destination is where a request goes to, and what is different there. It is found out
// once for a request, since users' functions say it.
type destination struct {
	turns.Site
	reason Reason // why robots.txt is not needed; "" if it is
	exempt bool   // the request takes no turn
	basis  string // of the owner's agreement

	purposes []usage.Use // of the request; nil: those of the Policy count
}

// lookup returns how robots.txt was known when the request came that v judges: see Ruling.
func lookup(v *judge.Verdict) string {
	switch {
	case v.Known == nil:
		return ""
	case v.Found.State == known.Expired:
		return "miss"
	case v.Found.State == known.Stale:
		return "stale"
	default:
		return "hit"
	}
}

// reason returns what decided on a request to a destination that is judged by v.
func reason(to *destination, v *judge.Verdict) Reason {
	switch {
	case to.reason != "":
		return to.reason
	case v.Known == nil:
		return ReasonUnknown
	case v.Silence.IsOutage():
		return ReasonUnreachable
	case v.Silence == judge.WebPage && v.Allowed:
		return ReasonNoRule // as Google reads it
	case v.Silence != judge.None:
		return ReasonUnavailable
	case v.Use != nil:
		return ReasonUse
	case v.Matched:
		return ReasonRule
	default:
		return ReasonNoRule
	}
}

// A decider makes Decisions of verdicts.
type decider struct {
	agents []string
	memory *answers.Reader
	taker  *turns.Taker
}

// decision tells all about a verdict on req.
func (e *decider) decision(req *http.Request, to *destination, v *judge.Verdict) Decision {
	d := Decision{Allowed: v.Allowed, Reason: reason(to, v), URL: redacted(req.URL)}
	if first := firstURL(req); first != req.URL {
		d.From = redacted(first)
	}
	if d.Reason == ReasonNotHTTP {
		return d
	}
	d.Origin, d.Group, d.Rule = to.Origin.String(), v.Rules.Agent(), v.Rule
	d.Agent = e.agents[0]
	for _, agent := range e.agents {
		if strings.EqualFold(agent, d.Group) {
			d.Agent = agent
		}
	}
	if v.Use != nil {
		d.Use = *v.Use
	}
	d.Basis, d.Slips = basis(to, v), v.Slips(req.URL.RequestURI(), mostSlips)
	if d.Reason == ReasonUnknown || v.Known != nil {
		d.RobotsURL = to.Origin.RobotsURL().String()
	}
	if v.Known != nil {
		d.describe(v.Known, e.memory)
	}
	if !to.exempt {
		next := e.taker.Next(&to.Site, v)
		d.CrawlDelay, d.Gap, d.Start = next.CrawlDelay, next.Gap, next.Start
		if found := next.Limit; found.Incident || found.Cut || found.Gap > 0 || found.Break > 0 {
			d.Limit = limitOf(d.Origin, next.Limit, next.OfGroup)
		}
	}
	return d
}

// basis returns the field of Policy that decided, and how, or the basis of an agreement.
func basis(to *destination, v *judge.Verdict) string {
	switch {
	case v.Silence == judge.None:
		return printable.Text(to.basis)
	case v.Allowed:
		return v.Silence.String() + ": " + AllowAll.String()
	default:
		return v.Silence.String() + ": " + DenyAll.String()
	}
}

// mostSlips is how many slips a Decision tells. A hostile site writes more.
const mostSlips = 100

// describe fills in what is known of the origin's robots.txt.
func (d *Decision) describe(k *answers.Known, r *answers.Reader) {
	d.Hops, d.Status, d.Err = k.Came()
	d.Next, d.Stale = r.Next(k), r.IsStale(k)
	if file := k.File; file != nil {
		d.SHA256, d.Truncated = hex.EncodeToString(file.Digest[:]), file.Truncated()
	}
	if r.Counts(k) {
		d.Fetched = r.Wall(k.Fetched)
	}
	if since, failing := k.FailingSince(); failing {
		d.Failing = r.Wall(since)
	}
}

// method returns the method of req, made printable. To net/http, none is GET.
func method(req *http.Request) string {
	if req.Method == "" {
		return http.MethodGet
	}
	return printable.Text(req.Method)
}

// firstURL returns the URL that was asked for before the redirects that led to req.
func firstURL(req *http.Request) *url.URL {
	for req.Response != nil && req.Response.Request != nil && req.Response.Request != req {
		req = req.Response.Request
	}
	return req.URL
}

// redacted returns u without its password, to be shown. The query stays as it is.
func redacted(u *url.URL) string {
	if u == nil || u.Opaque == "" || strings.HasPrefix(u.Opaque, "//"+u.Host+"/") {
		return printable.URL(u.Redacted())
	}
	return printable.URL(u.Scheme + "://" + u.Host + "/…") // there may be one anywhere in Opaque
}
