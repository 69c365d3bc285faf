package polite

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
)

// Check tells what RoundTrip would do with a GET request for u, but does not send it.
// It asks for robots.txt if necessary. It does not wait for a turn: see Decision.Start.
// A refusal is not an error of Check. Check returns an error if the Transport or u
// cannot be used, and context.Cause if ctx ends.
func (t *Transport) Check(ctx context.Context, u *url.URL) (Decision, error) {
	var to site
	var v verdict
	req := (&http.Request{Method: http.MethodGet, URL: u, Host: u.Host}).WithContext(ctx)
	target, err := t.resolve(req, nil, &to)
	if err != nil {
		return Decision{}, err
	}
	if err := t.judge.judge(ctx, &to, target, &v); err != nil {
		return Decision{}, err
	}
	d := t.judge.decision(req, &to, &v)
	if !to.exempt {
		t.line.describeShared(ctx, &d, &to)
	}
	return d, nil
}

// Robots returns the robots.txt by which polite judges requests to the site of u now, with
// its sitemaps, licences and other records. It takes it from the Cache, or from the Store,
// or asks the site for it. It takes no turn, but does not ask during a break. It does not
// call Policy.Exempt. It also asks a site whose owner has agreed: see [Site].
//
// If the site has no robots.txt and the Policy allows all, the file is empty. If polite
// would refuse requests because there are no rules to go by, the error is a
// *NoRulesError. Robots returns another error if the Transport or u cannot be used, and
// context.Cause if ctx ends.
func (t *Transport) Robots(ctx context.Context, u *url.URL) (*robots.File, error) {
	if !origin.IsHTTP(u) {
		return nil, errors.New("polite: only http and https URLs have a robots.txt")
	}
	var to site
	var v verdict
	req := (&http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}}).WithContext(ctx)
	t.init.Do(t.setup)
	if t.err != nil {
		return nil, t.err
	}
	target, err := to.resolve(req, nil, new(Policy), t.line.paces)
	if err != nil {
		return nil, err
	}
	to.why = "" // also where the owner has agreed
	if err := t.judge.judge(ctx, &to, target, &v); err != nil {
		return nil, err
	}
	switch file := v.entry.file.parsed(); {
	case file != nil:
		return file, nil
	case v.allowed:
		return robots.Parse(nil), nil
	default:
		return nil, t.judge.decision(req, &to, &v).refusal()
	}
}
