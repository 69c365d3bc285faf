package polite

import (
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
	Basis string       // the field of Policy that decided, and how: "Forbidden: deny all"; Site.Basis if Reason is ReasonAgreed; else ""

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

// A Lookup says how robots.txt was known when a request came.
type Lookup string

const (
	LookupHit   Lookup = "hit"   // it was in the Cache
	LookupStale Lookup = "stale" // it was in the Cache, out of date
	LookupMiss  Lookup = "miss"  // the request waited for an answer
)

// A Reason says what decided on a request. That of a refusal says why polite has not sent it:
// ReasonRule, ReasonUse, ReasonUnavailable, ReasonUnreachable, ReasonUnknown or ReasonDelayed.
// Logs, metrics and spans have the same words.
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
	ReasonUnknown     Reason = "unknown"     // robots.txt has not come yet
	ReasonDelayed     Reason = "delayed"     // the turn of the request would come too late: DelayError.Why
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

// lookup returns how robots.txt was known when the request came that v judges.
func lookup(v *judge.Verdict) Lookup {
	switch {
	case v.Known == nil:
		return ""
	case v.Found.State == known.Expired:
		return LookupMiss
	case v.Found.State == known.Stale:
		return LookupStale
	default:
		return LookupHit
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
	d.Basis, d.Slips = basis(to, v), v.Slips(req.URL.RequestURI(), mostSaid)
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

// describe fills in what is known of the origin's robots.txt.
func (d *Decision) describe(k *answers.Known, r *answers.Reader) {
	d.Hops, d.Status, d.Err = k.Came()
	d.Next, d.Stale = r.Next(k), r.IsStale(k)
	d.Truncated = k.File != nil && k.File.Truncated()
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

// A Provenance says what applied to a URL at some time, to be kept beside the page: whether
// it may be fetched, what may be done with it, and who says so. encoding/json writes it in its
// final form. All texts in it are safe for a terminal and a log.
type Provenance struct {
	URL       string    `json:"url"` // without its password
	Time      time.Time `json:"time"`
	UserAgent string    `json:"user_agent"`

	Allowed bool   `json:"allowed"`
	Reason  Reason `json:"reason"`
	Agent   string `json:"agent,omitempty"` // the product token that was judged
	Group   string `json:"group,omitempty"`
	Rule    string `json:"rule,omitempty"` // the rule or the statement that decided
	Line    int    `json:"line,omitempty"` // of robots.txt, from 1
	Basis   string `json:"basis,omitempty"`

	Robots   *RobotsSource `json:"robots,omitempty"`   // nil if robots.txt was not needed
	Uses     []StatedUse   `json:"uses,omitempty"`     // what the site and the page say about use, up to 100 and what decides
	Licenses []string      `json:"licenses,omitempty"` // up to 100
	NoIndex  bool          `json:"noindex,omitempty"`  // the page asks not to be shown in a search
	NoFollow bool          `json:"nofollow,omitempty"` // the page asks not to follow its links
}

// Allows returns what the site and the page say about a use. No wins.
func (p Provenance) Allows(use usage.Use) (says usage.Preference) {
	for _, s := range p.Uses {
		if s.Use == string(use.Canonical()) {
			says = max(says, s.Allowed)
		}
	}
	return says
}

// A RobotsSource is the robots.txt by which a Provenance goes.
type RobotsSource struct {
	URL     string    `json:"url"`
	Hops    []string  `json:"hops,omitempty"` // the URLs that it redirected to, in order
	Status  int       `json:"status,omitempty"`
	Error   string    `json:"error,omitempty"`
	Fetched time.Time `json:"fetched,omitzero"` // or confirmed
	SHA256  string    `json:"sha256,omitempty"` // of the body as far as it was read, in hexadecimal digits; "" if there is no file
}

// A StatedUse is what one place says about one use of a page. See [usage.Said].
type StatedUse struct {
	Use       string           `json:"use"`
	Allowed   usage.Preference `json:"allowed"` // "yes", "no" or "not stated"
	Statement string           `json:"statement"`
	Source    string           `json:"source"`         // "content-signal", "x-robots-tag" and others
	Line      int              `json:"line,omitempty"` // of robots.txt; 0 if the page says it
}

func provenanceOf(d Decision) Provenance {
	p := Provenance{URL: d.URL, Allowed: d.Allowed, Reason: d.Reason, Agent: d.Agent, Group: printable.Text(d.Group), Basis: d.Basis}
	switch d.Reason {
	case ReasonRule:
		p.Rule, p.Line = printable.Text(d.Rule.String()), d.Rule.Line
	case ReasonUse:
		p.Rule, p.Line = printable.Text(d.Use.String()), d.Use.Line
	}
	if d.RobotsURL != "" {
		p.Robots = &RobotsSource{URL: d.RobotsURL, Hops: d.Hops, Status: d.Status, Fetched: d.Fetched}
		if d.Err != nil {
			p.Robots.Error = printable.Text(d.Err.Error())
		}
	}
	return p
}

// mostSaid is how many statements and licences a Provenance has. A hostile site writes more.
const mostSaid = 100

// add adds what is said about use, and the licences.
func (p *Provenance) add(said usage.Statement, licenses []usage.License) {
	for _, s := range said.Most(mostSaid) {
		p.Uses = append(p.Uses, StatedUse{
			Use: printable.Text(string(s.Use)), Allowed: s.Preference, Statement: printable.Text(s.String()), Source: s.Source, Line: s.Line,
		})
	}
	for _, l := range licenses[:min(len(licenses), mostSaid)] {
		p.Licenses = append(p.Licenses, printable.Text(l.URL))
	}
}

// A Price is what a site asks for a page, as its header crawler-price says.
type Price struct {
	Text     string // what the site wrote, the first 64 octets of it, made printable
	Currency string // "USD"; "" if the site did not write a price like "USD 0.01"
	Amount   string // "0.01", in decimal digits; "" if Currency is
}

const maxPrice = 64 // octets

// priceOf returns the price of resp, which may be nil. Without the header, a 402 asks
// for no price.
func priceOf(resp *http.Response) (p Price, ok bool) {
	if resp == nil || resp.StatusCode != http.StatusPaymentRequired {
		return p, false
	}
	text := strings.Trim(resp.Header.Get("Crawler-Price"), " \t")
	if text == "" {
		return p, false
	}
	if len(text) > maxPrice {
		return Price{Text: printable.Text(text[:maxPrice])}, true
	}
	p.Text = printable.Text(text)
	if currency, amount, _ := strings.Cut(text, " "); isCurrency(currency) && isDecimal(amount) {
		p.Currency, p.Amount = currency, amount
	}
	return p, true
}

// isCurrency reports whether s has the form of a code of ISO 4217.
func isCurrency(s string) bool {
	return len(s) == 3 && strings.Trim(s, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// isDecimal reports whether s is digits, with a point among them or without.
func isDecimal(s string) bool {
	whole, part, point := strings.Cut(s, ".")
	return isDigits(whole) && (!point || isDigits(part))
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
