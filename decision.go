package polite

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/printable"
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

// A verdict is what a Decision is made of.
type verdict struct {
	allowed bool
	reason  Reason
	silence silence // if there are no rules
	entry   *entry  // nil if robots.txt was not needed
	rules   robots.Rules
	rule    robots.Rule // if reason is ByRule
}

// gone returns a channel that is closed when what v was judged by is replaced.
func (v *verdict) gone() <-chan struct{} {
	if v.entry == nil {
		return nil
	}
	return v.entry.gone()
}

// look returns how long who has v can wait before he has to look what is known.
func (v *verdict) look(c *Cache) time.Duration {
	if v.entry == nil {
		return 0
	}
	return v.entry.look(c.now())
}

// current reports whether what v was judged by still counts.
func (v *verdict) current(c *Cache, to *site) bool {
	return v.entry == nil || c.current(to.origin, v.entry)
}

// decision tells all about a verdict on req.
func (t *Transport) decision(req *http.Request, to *site, v *verdict) Decision {
	d := Decision{Allowed: v.allowed, Reason: v.reason, URL: redacted(req.URL)}
	if v.reason == NotHTTP {
		return d
	}
	d.Origin = to.origin.String()
	d.Agent, d.Group, d.Rule = t.agents[0], v.rules.Agent(), v.rule
	for _, agent := range t.agents {
		if strings.EqualFold(agent, d.Group) {
			d.Agent = agent
		}
	}
	if v.reason == Unavailable || v.reason == Unreachable {
		d.Basis = v.silence.String() + ": " + t.Policy.access(v.silence).String()
	}
	if v.entry != nil {
		d.RobotsURL = to.origin.RobotsURL().String()
		v.entry.describe(&d, t.cache)
	}
	if !to.exempt {
		t.describeTurn(&d, to, v)
	}
	return d
}

// describeTurn fills in when a request judged by v could have its turn.
func (t *Transport) describeTurn(d *Decision, to *site, v *verdict) {
	rule := t.turns
	d.SiteDelay, _ = v.rules.CrawlDelay()
	gap, refuse := t.Pace.siteDelay(d.SiteDelay)
	if refuse {
		d.Turn = latest(d.Next, time.Now().Add(d.SiteDelay))
		return
	}
	rule.Gap = max(rule.Gap, gap)
	var turn time.Time
	if turn, d.Delay = t.cache.lanes.Next(to.lane, rule); turn.After(time.Now()) {
		d.Turn = turn
	}
}

// redacted returns u without its password, to be shown: net/url leaves a query as it is.
func redacted(u *url.URL) string {
	if u == nil || u.Opaque == "" {
		return printable.URL(u.Redacted())
	}
	return printable.URL(u.Scheme + "://" + u.Host + "/…") // there may be one anywhere in Opaque
}

// describe fills in what is known of the origin's robots.txt.
func (e *entry) describe(d *Decision, c *Cache) {
	d.Status, d.Next = int(e.Status), c.wall(e.Refresh)
	d.Stale = e.State(c.now()) == known.Stale
	d.Truncated = e.file != nil && e.file.Truncated()
	if e.Status != 0 {
		d.Fetched = c.wall(e.Fetched)
	}
	if e.details != nil {
		d.Hops, d.Err = slices.Clone(e.details.hops), e.details.err
	}
	if f := e.Failure; f != nil {
		d.Hops, d.Status, d.Err, d.Failing = slices.Clone(f.Hops), f.Status, f.Err, c.wall(f.Since)
	}
}

// refusal returns the error for a request that d does not allow.
func (d Decision) refusal() error {
	if d.Reason == ByRule {
		return &DisallowedError{d}
	}
	return &UnreachableError{d}
}
