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
