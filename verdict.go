package polite

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// A verdict is what robots.txt means for a request. A Decision is made of it.
type verdict struct {
	allowed bool
	reason  Reason
	lookup  Lookup
	again   bool    // it takes the place of another
	silence silence // if there are no rules
	entry   *entry  // nil if robots.txt was not needed
	rules   robots.Rules
	rule    robots.Rule // if reason is ByRule
	use     *usage.Said // if reason is ByUse
}

// gone returns a channel that is closed when another entry replaces v.entry.
func (v *verdict) gone() <-chan struct{} {
	if v.entry == nil {
		return nil
	}
	return v.entry.gone()
}

// look returns how long a request judged by v can wait for its turn before it is time
// to ask for robots.txt again. Zero means that this time never comes.
func (v *verdict) look(c *Cache) time.Duration {
	if v.entry == nil {
		return 0
	}
	return v.entry.look(c.now())
}

// current reports whether v.entry still counts.
func (v *verdict) current(c *Cache, to *site) bool {
	return v.entry == nil || c.current(to.origin, v.entry)
}

// judge fills in what v.entry means for target, for a crawler with these tokens.
func (v *verdict) judge(p *Policy, agents []string, target string, c *Cache) {
	if v.entry.file == nil {
		v.silence = p.silence(v.entry, c.now())
		v.allowed, v.reason = p.access(v.silence) == AllowAll, v.silence.reason()
		return
	}
	v.rules = v.entry.file.rulesFor(agents)
	v.match(target, p)
	if p.FoldPaths && v.allowed {
		sent := strings.Clone(target) // target itself can stay on the stack
		if folded := origin.Folded(sent); folded != sent {
			v.match(folded, p)
		}
	}
}

// differs reports whether v means something else than last.
func (v *verdict) differs(last *verdict) bool {
	return v.allowed != last.allowed || v.reason != last.reason || v.rule != last.rule || v.use != nil && *v.use != *last.use
}

// match fills in which of v's rules decides on target, or which statement says no to a
// purpose. No rule decides on /robots.txt; no other target counts as equal to it (RFC 9309
// §2.2.2).
func (v *verdict) match(target string, p *Policy) {
	v.allowed, v.reason, v.rule = true, ReasonNoRule, robots.Rule{}
	if rule, ok := v.rules.Match(target); ok {
		v.allowed, v.reason, v.rule = rule.Allow, ReasonRule, rule
	}
	if len(p.Purposes) == 0 || !v.allowed {
		return
	}
	if v.use = forbids(usage.OfRules(v.rules, target), p.Purposes); v.use != nil {
		v.allowed, v.reason, v.rule = false, ReasonUse, robots.Rule{}
	}
}

// decision tells all about v, except the turns.
func (v *verdict) decision(req *http.Request, to *site, agents []string, p *Policy, c *Cache) Decision {
	d := Decision{Allowed: v.allowed, Reason: v.reason, URL: redacted(req.URL)}
	if first := firstURL(req); first != req.URL {
		d.From = redacted(first)
	}
	if v.reason == ReasonNotHTTP {
		return d
	}
	d.Origin, d.Agent, d.Group, d.Rule = to.origin.String(), agents[0], v.rules.Agent(), v.rule
	for _, agent := range agents {
		if strings.EqualFold(agent, d.Group) {
			d.Agent = agent
		}
	}
	if v.use != nil {
		d.Use = *v.use
	}
	if v.reason == ReasonUnavailable || v.reason == ReasonUnreachable {
		d.Basis = v.silence.String() + ": " + p.access(v.silence).String()
	}
	if v.reason == ReasonAgreed {
		d.Basis = printable.Text(to.own.Basis)
	}
	if v.entry != nil {
		d.RobotsURL = to.origin.RobotsURL().String()
		v.entry.describe(&d, c)
	}
	return d
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
