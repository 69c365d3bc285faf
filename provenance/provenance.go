// Package provenance makes a record to keep beside a page: whether robots.txt allows the page, what the
// site and the page say about its use, and the licences. PriceOf reads the price that a response asks
// for.
package provenance

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/identity"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// A Record says what applied to a URL at some time: whether it may be fetched, what may be done
// with it, and who says so. encoding/json writes it in its final form. All texts in it are safe
// for a terminal and a log.
type Record struct {
	URL       string    `json:"url"` // without its password
	Time      time.Time `json:"time"`
	UserAgent string    `json:"user_agent"`

	Allowed bool          `json:"allowed"`
	Reason  polite.Reason `json:"reason"`
	Agent   string        `json:"agent,omitempty"` // the product token of ours that robots.txt names, or our first
	Group   string        `json:"group,omitempty"`
	Rule    string        `json:"rule,omitempty"` // the rule or the statement that decided
	Line    int           `json:"line,omitempty"` // of robots.txt, from 1
	Basis   string        `json:"basis,omitempty"`

	Robots   *Robots  `json:"robots,omitempty"`   // nil if robots.txt was not needed
	Uses     []Use    `json:"uses,omitempty"`     // what the site and the page say about use: up to 100, always with those that decide
	Licenses []string `json:"licenses,omitempty"` // up to 100
	NoIndex  bool     `json:"noindex,omitempty"`  // the page asks not to be shown in a search
	NoFollow bool     `json:"nofollow,omitempty"` // the page asks not to follow its links
}

// Robots is the robots.txt by which a Record goes.
type Robots struct {
	URL       string    `json:"url"`
	Hops      []string  `json:"hops,omitempty"`   // the URLs that it redirected to, in order
	Status    int       `json:"status,omitempty"` // of the last answer: if it is not 200, the file is of an earlier one
	Error     string    `json:"error,omitempty"`
	Fetched   time.Time `json:"fetched,omitzero"`    // or confirmed
	Stale     bool      `json:"stale,omitempty"`     // the file is out of date, because the site has not given a new one: see Status and Error
	SHA256    string    `json:"sha256,omitempty"`    // of the body as far as it was read, in hexadecimal digits; "" if there is no file
	Truncated bool      `json:"truncated,omitempty"` // the file is longer than robots.MaxSize, and its end does not apply
}

// A Use is what one place says about one use of a page. See [usage.Said].
type Use struct {
	Use       string           `json:"use"`
	Allowed   usage.Preference `json:"allowed"` // "yes", "no" or "not stated"
	Statement string           `json:"statement"`
	Source    string           `json:"source"`         // "content-signal", "x-robots-tag" and others
	Line      int              `json:"line,omitempty"` // of robots.txt; 0 if the page says it
}

// most is how many statements and licences a Record has. A hostile site writes more.
const most = 100

// Of returns what applies to u now, as t judges it. header came with the page, and meta are
// <meta> elements of it; both may be left out. Of asks for robots.txt if necessary, sends nothing
// to u, and refuses nothing. The errors are those of [polite.Transport.Check] and Robots.
func Of(ctx context.Context, t *polite.Transport, u *url.URL, header http.Header, meta ...usage.Meta) (Record, error) {
	d, file, err := judged(ctx, t, u)
	if err != nil {
		return Record{}, err
	}
	agents, _ := identity.Tokens(t.UserAgent, t.Agents) // Check has found no fault in them
	page := usage.OfHeader(header, agents...).And(usage.OfMeta(meta, agents...))
	said, licenses := page.Statement, page.Licenses
	if file != nil {
		said = usage.OfRules(file.Rules(agents...), u.RequestURI()).And(said)
		licenses = append(usage.Licenses(file), licenses...)
	}
	if policy := t.Policy; policy.ReadSlips {
		said = said.Strictly()
	}
	r := recordOf(&d)
	r.Time, r.UserAgent, r.NoIndex, r.NoFollow = time.Now(), t.UserAgent, page.NoIndex(), page.NoFollow()
	r.add(said, licenses)
	return r, nil
}

// judged returns what t decides about u, and the file by which it does: nil if there is none. If the site
// gets another file in between, judged begins again, so that the two belong together.
func judged(ctx context.Context, t *polite.Transport, u *url.URL) (polite.Decision, *robots.File, error) {
	d, err := t.Check(ctx, u)
	for range 3 {
		if err != nil || d.SHA256 == "" {
			return d, nil, err
		}
		file, err := t.Robots(ctx, u)
		if err != nil {
			return d, nil, err
		}
		again, err := t.Check(ctx, u)
		if err != nil {
			return d, nil, err
		}
		if again.SHA256 == d.SHA256 {
			return again, file, nil
		}
		d = again
	}
	return d, nil, errors.New("provenance: the robots.txt of the site changes again and again: try again later")
}

// recordOf returns what a Decision tells.
func recordOf(d *polite.Decision) Record {
	r := Record{URL: d.URL, Allowed: d.Allowed, Reason: d.Reason, Agent: d.Agent, Group: printable.Text(d.Group), Basis: d.Basis}
	switch rule, use := d.Rule, d.Use; d.Reason {
	case polite.ReasonRule:
		r.Rule, r.Line = printable.Text(rule.String()), rule.Line
	case polite.ReasonUse:
		r.Rule, r.Line = printable.Text(use.String()), use.Line
	}
	if d.RobotsURL != "" {
		r.Robots = &Robots{URL: d.RobotsURL, Hops: d.Hops, Status: d.Status, Fetched: d.Fetched, Stale: d.Stale, SHA256: d.SHA256, Truncated: d.Truncated}
		if d.Err != nil {
			r.Robots.Error = printable.Text(d.Err.Error())
		}
	}
	return r
}

// add adds what is said about use, and the licences.
func (r *Record) add(said usage.Statement, licenses []usage.License) {
	for _, s := range said.Most(most) {
		r.Uses = append(r.Uses, Use{
			Use: printable.Text(string(s.Use)), Allowed: s.Preference, Statement: printable.Text(s.String()), Source: s.Source, Line: s.Line,
		})
	}
	for _, l := range licenses[:min(len(licenses), most)] {
		r.Licenses = append(r.Licenses, printable.Text(l.URL))
	}
}

// Allows returns what the site and the page say about a use. If one of them says no, it is no.
func (r Record) Allows(use usage.Use) (says usage.Preference) {
	for _, s := range r.Uses {
		if s.Use == string(use.Canonical()) {
			says = max(says, s.Allowed)
		}
	}
	return says
}
