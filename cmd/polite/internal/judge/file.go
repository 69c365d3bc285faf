package judge

import (
	"context"
	"net/http"
	"net/url"
	"sync"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
)

// A reading is what a file to go by says to a crawler. It does for all sites, so that the
// file is not read again for each of them.
type reading struct {
	rules     robots.Rules
	transport *polite.Transport // which gets the file from every site
	usual     func() (polite.Decision, error)
	subject   func() *subject
}

func newReading(text *robotstxt.Text, transport *polite.Transport, tokens []string) *reading {
	return &reading{
		rules: text.Rules(tokens...), transport: transport,
		usual: sync.OnceValues(func() (polite.Decision, error) {
			any := &url.URL{Scheme: "https", Host: "localhost", Path: "/"}
			return transport.Check(context.Background(), any) // the file is at hand: nothing is waited for
		}),
		subject: sync.OnceValue(func() *subject { return newSubject(text, tokens) }),
	}
}

// names reports whether the file names the crawler.
func (r *reading) names() bool { return r.rules.Agent() != "" && r.rules.Agent() != "*" }

// check returns what Check of the transport returns.
func (r *reading) check(ctx context.Context, u *url.URL) (polite.Decision, error) {
	if ctx.Err() != nil {
		return polite.Decision{}, context.Cause(ctx)
	}
	o, path, ok := ruled(u)
	if !ok {
		return r.transport.Check(ctx, u)
	}
	d, err := r.usual()
	if err != nil {
		return d, err
	}
	d.URL, d.Origin = printable.URL(u.Redacted()), o.String()
	d.Allowed, d.Reason, d.Rule = true, polite.ReasonNoRule, robots.Rule{}
	if rule, ok := r.rules.Match(path); ok {
		d.Allowed, d.Reason, d.Rule = rule.Allow, polite.ReasonRule, rule
	}
	return d, nil
}

// ruled returns the origin of a URL, and its path and query as they are sent. If rules alone
// do not decide on the URL, ok is false.
func ruled(u *url.URL) (o origin.Origin, path string, ok bool) {
	o, path, err := origin.Of(&http.Request{Method: http.MethodGet, URL: u, Host: u.Host}, nil)
	return o, path, err == nil && path != "/robots.txt" && u.Opaque == "" && origin.IsHTTP(u)
}

// A Target is a question whose URL has been read. It can be asked of many files.
type Target struct {
	Question
	path string // and its query, as they are sent; "" if rules alone do not decide
}

// TargetOf reads the URL of a question.
func TargetOf(q Question) Target {
	if q.Err != nil {
		return Target{Question: q}
	}
	if _, path, ok := ruled(q.URL); ok {
		return Target{q, path}
	}
	return Target{Question: q}
}

// Rule returns the rule that decides on a target, for the crawler at an index of the options.
// If the rule is zero, the target is allowed. It is for a Judge with a File, and is the rule of
// the verdict, without all else that a verdict has.
func (j *Judge) Rule(ctx context.Context, t Target, crawler int) (robots.Rule, error) {
	c := j.crawlers[crawler]
	if t.path == "" {
		v := j.asCrawler(j.judge(ctx, t.Question, c, decided))
		return v.Decision.Rule, v.Err
	}
	if c.unnamed() && crawlers.IgnoresEveryone(c.tokens[0]) {
		return robots.Rule{}, nil
	}
	rule, _ := c.reading.rules.Match(t.path)
	return rule, nil
}
