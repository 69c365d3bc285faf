package input

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/self"
	"github.com/go-polite/polite/cmd/polite/internal/told"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// Robots reads the robots.txt that an argument names: that of the site of a URL, a
// file, or standard input for "-".
func Robots(ctx context.Context, arg string, std verb.Streams) (Source, error) {
	if IsURL(arg) {
		return Site(ctx, arg, http.DefaultTransport)
	}
	return File(ctx, arg, std)
}

// VetRobots returns the error of an argument for [Robots] that makes no sense. It
// reads nothing.
func VetRobots(ctx context.Context, arg string) error {
	if !IsURL(arg) {
		return nil
	}
	u, err := URL(arg)
	if err != nil {
		return err
	}
	return Vet(ctx, &polite.Transport{UserAgent: self.UserAgent()}, u)
}

// Site asks the site of a URL for its robots.txt through base, as polite does before
// it fetches a page.
func Site(ctx context.Context, arg string, base http.RoundTripper) (Source, error) {
	u, err := URL(arg)
	if err != nil {
		return Source{}, err
	}
	tap := &robotstxt.Tap{Base: base}
	transport := &polite.Transport{UserAgent: self.UserAgent(), Base: tap}
	d, err := transport.Check(ctx, &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"})
	if err != nil {
		return Source{}, cmp.Or(context.Cause(ctx), err)
	}
	if d.Reason != polite.ByRule && d.Reason != polite.NoRule {
		return Source{}, verb.Unread(fmt.Errorf("%s %s", d.RobotsURL, told.Answer(d)))
	}
	text := tap.Text(d)
	if text == nil {
		return Source{}, verb.Unread(fmt.Errorf("%s was read, but its text was not kept", d.RobotsURL))
	}
	at, err := url.Parse(d.RobotsURL)
	return Source{d.RobotsURL, text.Body, at}, err
}
