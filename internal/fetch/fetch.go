// Package fetch asks an origin for its robots.txt over HTTP.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/send"
	"github.com/hashicorp/go-retryablehttp"
)

// ErrTooManyRedirects says that robots.txt is behind more redirects than were to
// be followed, or behind a loop of them.
var ErrTooManyRedirects = errors.New("too many redirects")

// An Answer is what an origin sent in the end. It keeps nothing of the responses that
// it was read from.
type Answer struct {
	Status     int           // of the last response; 0 if none has come
	Body       []byte        // of a 2xx: the part that is parsed, and a byte more if there is more
	Hops       []string      // the URLs it was redirected to, in order
	Validators Validators    // of a 2xx
	Unchanged  bool          // a 304: the validators that Fetch sent still hold
	MaxAge     time.Duration // from Cache-Control; negative if it does not say
	RetryAfter time.Duration // 0 if it does not say, and never more than MaxRetryAfter
}

// Validators tell an answer from a later one of the same URL (RFC 9110 §8.8).
type Validators struct {
	URL          string
	ETag         string
	LastModified string
}

// A Client fetches robots.txt. It is safe for concurrent use.
type Client struct {
	options Options
	http    *retryablehttp.Client
}

// Options are what a Client goes by. All but Visit are needed.
type Options struct {
	Base          http.RoundTripper // sends the requests
	UserAgent     string
	Timeout       time.Duration                 // for a Fetch with all its redirects and retries
	MaxRedirects  int                           // how many redirects are followed
	CheckRedirect func(from, to *url.URL) error // why a redirect is not followed

	// Visit, if not nil, is called before a request to another origin than the one
	// that Fetch is for. If it returns an error, the fetch ends with that. Requests that
	// are made again because a connection broke, or without conditions, are of one visit.
	Visit func(ctx context.Context, at origin.Origin) (Visit, error)
}

// A Visit is how a fetch asks at an origin.
type Visit struct {
	// Guard, if not nil, watches each request. The fetch ends with its error.
	Guard *send.Guard

	// Leave is called once, when the visit is over, with the status that came, or 0, and
	// what Retry-After asks for. If nil, it is not called.
	Leave func(status int, retryAfter time.Duration)
}

// New returns a client.
func New(options Options) *Client {
	return &Client{options: options, http: newHTTP(options.Base)}
}

// Fetch asks o for its robots.txt, as own says, unless it is still what known tells of. It
// returns an error if there was no answer, or none that can be relied on: a body
// that is cut short is an error, a status of any kind is not. The answer then tells
// how far it has come. When ctx ends, Fetch returns context.Cause(ctx) at once, also
// where Base ignores ctx; a response that Base returns later is closed.
func (c *Client) Fetch(ctx context.Context, o origin.Origin, known Validators, own Visit) (answer Answer, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.options.Timeout, fmt.Errorf("no answer within %v: %w", c.options.Timeout, context.DeadlineExceeded))
	defer cancel()

	at := o.RobotsURL()
	asked := map[string]bool{at.String(): true}
	for {
		r := c.hop(ctx, o, at, known, own)
		if r.Status != 0 {
			r.Hops = answer.Hops
			answer = r.Answer
		}
		if r.err != nil || r.location == nil {
			return answer, r.err
		}
		if asked[r.location.String()] || len(answer.Hops) == c.options.MaxRedirects {
			return answer, ErrTooManyRedirects
		}
		if err := c.check(ctx, at, r.location); err != nil {
			return answer, err
		}
		at = r.location
		asked[at.String()] = true
		answer.Hops = append(answer.Hops, at.String())
	}
}

// check returns the error if a redirect is not to be followed.
func (c *Client) check(ctx context.Context, from, to *url.URL) error {
	return await(ctx, "CheckRedirect", func(tell func(reply)) {
		err := c.options.CheckRedirect(from, to)
		if err != nil {
			err = fmt.Errorf("redirected to %s: %w", clip(to.String(), maxText/2), err)
		}
		tell(reply{err: err})
	}).err
}

// hop asks at, as a visitor if that is not of o.
func (c *Client) hop(ctx context.Context, o origin.Origin, at *url.URL, known Validators, visit Visit) (r reply) {
	if ctx.Err() != nil {
		return reply{err: context.Cause(ctx)}
	}
	there, err := serverOf(at, o)
	if err != nil {
		return reply{err: err}
	}
	if there != o {
		visit = Visit{}
	}
	if there != o && c.options.Visit != nil {
		if visit, err = c.options.Visit(ctx, there); err != nil {
			return reply{err: orCause(ctx, err)}
		}
	}
	if visit.Leave != nil {
		defer func() { visit.Leave(r.Status, r.RetryAfter) }()
	}
	if visit.Guard != nil {
		ctx = context.WithValue(ctx, visiting{}, *visit.Guard)
	}
	if r = c.ask(ctx, there, at, known.of(at)); errors.Is(r.err, errMistaken) {
		r = c.ask(ctx, there, at, Validators{})
	}
	return r
}

// serverOf returns the origin of u, which is found where o is if it is o.
func serverOf(u *url.URL, o origin.Origin) (origin.Origin, error) {
	server, err := origin.OfURL(u)
	server.Host = strings.Clone(server.Host) // and not the URL that it is a part of
	if server.Dial = o.Dial; server != o {
		server.Dial = ""
	}
	return server, err
}

// redirect returns where resp, the answer of at, redirects to; nil if it does
// not, or not to a place that can be asked.
func redirect(resp *http.Response, at *url.URL) *url.URL {
	switch resp.StatusCode {
	case http.StatusMultipleChoices, http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil
	}
	header := resp.Header.Get("Location")
	if header == "" || len(header) > maxText {
		return nil
	}
	location, err := at.Parse(header)
	if err != nil || !origin.IsHTTP(location) {
		return nil
	}
	if _, err := origin.OfURL(location); err != nil {
		return nil
	}
	location.User = nil                                    // no credentials go with a robots.txt request
	location.Host = strings.TrimSuffix(location.Host, ":") // an empty port is none
	location.Fragment, location.RawFragment = "", ""
	location.RawQuery = printable.URL(location.RawQuery) // which net/url leaves as it is, and errors and logs show
	return location
}
