package polite

import (
	"context"
	"encoding/hex"
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/usage"
)

// A Provenance is what counts for a URL at some time, to be kept beside the page: may it
// be fetched, what may be done with it, and who says so. encoding/json writes it in its
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
	Uses     []StatedUse   `json:"uses,omitempty"`     // what the site and the page say about use, up to 100
	Licenses []string      `json:"licenses,omitempty"` // up to 100
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

// Provenance returns what counts for u now. header is what came with the page; it may be
// nil. Provenance asks for robots.txt if necessary, and sends nothing to u. The errors are
// those of [Transport.Check].
func (t *Transport) Provenance(ctx context.Context, u *url.URL, header http.Header) (Provenance, error) {
	var to site
	var v verdict
	req := (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host}).WithContext(ctx)
	target, err := t.resolve(req, nil, &to)
	if err == nil {
		err = t.judge.judge(ctx, &to, target, &v)
	}
	if err != nil {
		return Provenance{}, err
	}
	p := provenanceOf(t.judge.decision(req, &to, &v))
	p.Time, p.UserAgent = time.Now(), t.named.userAgent
	page := usage.OfHeader(header, t.named.agents...)
	said, licenses := page.Statement, page.Licenses
	if v.entry != nil && v.entry.file != nil {
		p.Robots.SHA256 = hex.EncodeToString(v.entry.file.digest[:])
		said = usage.OfRules(v.rules, target).And(said)
		licenses = append(usage.Licenses(v.entry.file.File), licenses...)
	}
	p.add(said, licenses)
	return p, nil
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
	for s := range said.All() {
		if len(p.Uses) == mostSaid {
			break
		}
		p.Uses = append(p.Uses, StatedUse{
			Use: printable.Text(string(s.Use)), Allowed: s.Preference, Statement: printable.Text(s.String()), Source: s.Source, Line: s.Line,
		})
	}
	for _, l := range licenses[:min(len(licenses), mostSaid)] {
		p.Licenses = append(p.Licenses, printable.Text(l.URL))
	}
}
