package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/provenance"
	"github.com/go-polite/polite/public"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Question is what the tool check takes.
type Question struct {
	URL string `json:"url" jsonschema:"the page, as in https://example.com/page"`
}

func (q Question) address() string { return q.URL }

// A Verdict is what the tool check has found.
type Verdict struct {
	URL       string `json:"url"`
	Allowed   bool   `json:"allowed" jsonschema:"whether the tool fetch may fetch it"`
	Reason    string `json:"reason" jsonschema:"why, in a few words"`
	Crawler   string `json:"crawler" jsonschema:"the product token under which the tools ask"`
	Group     string `json:"group,omitempty" jsonschema:"the group of robots.txt that applies"`
	Rule      string `json:"rule,omitempty" jsonschema:"the rule or statement that decides"`
	Line      int    `json:"line,omitempty" jsonschema:"of the rule, from 1"`
	RobotsURL string `json:"robots_url,omitempty"`

	Gap   float64 `json:"gap,omitempty" jsonschema:"the seconds that are left between two requests to the site"`
	Turn  string  `json:"turn,omitempty" jsonschema:"when the next request can be sent; missing if it can be sent now"`
	Again string  `json:"again,omitempty" jsonschema:"when robots.txt is asked for again, if it could not be fetched"`

	Uses     []Use    `json:"uses,omitempty" jsonschema:"what robots.txt says may be done with it; the page itself may say more"`
	Sitemaps []string `json:"sitemaps,omitempty"`
}

// text returns the verdict for a model.
func (v *Verdict) text() string {
	var b strings.Builder
	verdict := "may be fetched"
	if !v.Allowed {
		verdict = "may not be fetched"
	}
	fmt.Fprintf(&b, "%s %s by %s: %s.\n", excerpt(v.URL), verdict, v.Crawler, v.Reason)
	switch {
	case v.Again != "":
		fmt.Fprintf(&b, "Ask again at %s, not sooner.\n", v.Again)
	case !v.Allowed:
		b.WriteString("Asking again is of no use.\n")
	case v.Turn != "":
		fmt.Fprintf(&b, "Its turn comes at %s.\n", v.Turn)
	}
	if v.Gap > 0 {
		fmt.Fprintf(&b, "Requests to the site are at least %v apart.\n", time.Duration(v.Gap*float64(time.Second)))
	}
	b.WriteString(usesText(v.Uses))
	if len(v.Sitemaps) > 0 {
		b.WriteString("Its sitemaps: " + excerpts(v.Sitemaps) + "\n")
	}
	return b.String()
}

func checkTool() *mcp.Tool {
	return &mcp.Tool{
		Name: "check", Title: "Check whether a page may be fetched",
		Description: "Tells whether a page may be fetched, by which rule of robots.txt, what the site says may be done with it, and when the next request can be sent. It does not fetch the page.",
	}
}

// check tells what fetch would do.
func (s *service) check(ctx context.Context, q Question) (*Verdict, error) {
	u, err := s.address(q.URL)
	if err != nil {
		return nil, err
	}
	c := s.model
	ctx = polite.With(ctx, polite.Options{MaxWait: s.MaxWait})
	d, err := c.Check(ctx, u)
	if errors.Is(d.Err, public.ErrPrivate) {
		err = d.Err // as fetch would say, and not the address
	}
	if err != nil {
		return nil, err
	}
	v := verdictOf(d)
	said, _ := provenance.Of(ctx, c.Transport, u, nil) // empty if robots.txt is not known
	v.Uses = usesOf(said)
	v.Sitemaps = c.sitemaps(ctx, u, mostSitemaps)
	return v, nil
}

func verdictOf(d polite.Decision) *Verdict {
	v := &Verdict{
		URL: shownURL(d.URL), Allowed: d.Allowed, Reason: excerpt(report.Reason(d)), Crawler: d.Agent, Group: excerpt(d.Group),
		Rule: excerpt(d.Rule.String()), Line: d.Rule.Line, RobotsURL: shownURL(d.RobotsURL), Gap: d.Gap.Seconds(),
	}
	switch d.Reason {
	case polite.ReasonUse:
		v.Rule, v.Line = excerpt(d.Use.String()), d.Use.Line
		v.Reason = fmt.Sprintf("the site says no to its use for %s, line %d: %s", excerpt(string(d.Use.Use)), d.Use.Line, quoted(d.Use.String()))
	case polite.ReasonUnreachable, polite.ReasonUnknown:
		if !d.Allowed {
			v.Again = at(d.Next)
		}
	}
	if d.Start.After(time.Now()) {
		v.Turn = at(d.Start)
	}
	return v
}
