package agent

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/public"
)

// A Refusal is why a model gets nothing, and what it can do about that.
type Refusal struct {
	Why  string `json:"why" jsonschema:"in a word: disallowed, use, no-rules, no-host, delayed, store, private, host, status, kind, redirect, time, misuse or failed"`
	Says string `json:"says" jsonschema:"why, and what to do, in sentences"`
	URL  string `json:"url,omitempty" jsonschema:"what was refused; after a redirect, it is not what was asked for"`

	RobotsURL string `json:"robots_url,omitempty"`
	Rule      string `json:"rule,omitempty" jsonschema:"the rule or statement that decided"`
	Line      int    `json:"line,omitempty" jsonschema:"of the rule in robots.txt, from 1"`

	Again string `json:"again,omitempty" jsonschema:"when to ask again; if missing, asking again is of no use"`

	Allowed  []string `json:"allowed,omitempty" jsonschema:"URLs of the site that are allowed"`
	Sitemaps []string `json:"sitemaps,omitempty" jsonschema:"sitemaps of the site: the tool sitemap lists what they name"`
}

func (r *Refusal) Error() string { return r.Says }

// text returns all of a refusal for a model.
func (r *Refusal) text() string {
	var b strings.Builder
	b.WriteString(r.Says)
	if r.Again == "" {
		b.WriteString("\nAsking again is of no use.")
	} else {
		fmt.Fprintf(&b, "\nAsk again at %s, not sooner.", r.Again)
	}
	if len(r.Allowed) > 0 {
		b.WriteString("\nThese are allowed: " + excerpts(r.Allowed))
	}
	if len(r.Sitemaps) > 0 {
		b.WriteString("\nThese sitemaps list pages of the site: " + excerpts(r.Sitemaps))
	}
	return b.String()
}

// misuse refuses what cannot be asked for.
func misuse(format string, values ...any) *Refusal {
	return &Refusal{Why: "misuse", Says: fmt.Sprintf(format, values...)}
}

// at returns a time as a model reads it, with the seconds until then.
func at(t time.Time) string {
	wait := max(0, time.Until(t)).Round(time.Second)
	return fmt.Sprintf("%s (in %v)", t.UTC().Format(time.RFC3339), wait)
}

// closed refuses what is at a private address. where is the beginning of a sentence.
func closed(where string) *Refusal {
	return &Refusal{Why: report.KindPrivate, Says: where + " is not on the public internet. This server asks none, unless the person who runs it names the host by --private."}
}

// refusal returns what err means to a model.
func (s *service) refusal(err error) *Refusal {
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r
	}
	if errors.Is(err, public.ErrPrivate) {
		return closed("It leads to a host that")
	}
	soon := at(time.Now().Add(time.Minute))
	if errors.Is(err, context.DeadlineExceeded) && !isRefusal(err) {
		return &Refusal{Why: "time", Says: "The site did not answer in time.", Again: soon}
	}
	if d, ok := polite.DecisionOf(err); ok {
		return ofDecision(d, err)
	}
	return &Refusal{Why: "failed", Says: "The page was not fetched: " + excerpt(verb.Message(fetch.Plain(err))) + ".", Again: soon}
}

// ofDecision returns the refusal for a request that polite has not sent. err may be nil.
func ofDecision(d polite.Decision, err error) *Refusal {
	report.NameLimits(err, "--max-wait or --max-time")
	told := report.RefusalOf(d, err)
	r := &Refusal{Why: told.Kind, Says: told.Says, URL: shownURL(d.URL), RobotsURL: shownURL(d.RobotsURL), Rule: told.Rule, Line: told.Line}
	if !told.Again.IsZero() {
		r.Again = at(told.Again)
	}
	return r
}

// The bounds of what a refusal offers.
const (
	mostParents = 8
	mostAllowed = 3
)

// offer adds what is allowed at the site to a refusal by a rule, or by a statement of
// robots.txt. It asks nobody: robots.txt is known.
func (c *client) offer(ctx context.Context, r *Refusal) {
	u, err := url.Parse(r.URL)
	if err != nil || r.Why != "disallowed" && r.Why != "use" {
		return
	}
	r.Sitemaps = c.sitemaps(ctx, u, mostSitemaps)
	for _, parent := range parents(u) {
		if d, err := c.Check(ctx, parent); err == nil && d.Allowed && len(r.Allowed) < mostAllowed {
			r.Allowed = append(r.Allowed, shownURL(parent.String()))
		}
	}
}

// parents returns the folders above a page, the nearest first.
func parents(u *url.URL) (all []*url.URL) {
	for at := u.Path; len(at) > 1 && len(all) < mostParents; {
		at = at[:strings.LastIndex(strings.TrimSuffix(at, "/"), "/")+1]
		all = append(all, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: at})
	}
	return all
}
