// Package fetch asks an origin for its robots.txt over HTTP.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
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
	Beyond     string        // where the last of them redirects to, if that was not followed; else ""
	Validators Validators    // of a 2xx
	Unchanged  bool          // a 304: the validators that Fetch sent still hold
	MaxAge     time.Duration // from Cache-Control; negative if it does not say
	TimedOut   time.Duration // the Timeout of the Client, if that ended the fetch; else 0
	RetryAfter time.Duration // 0 if it does not say, and never more than quota.MaxRetryAfter
}

// Validators tell an answer from a later one of the same URL (RFC 9110 §8.8).
type Validators struct {
	URL          string
	ETag         string
	LastModified string
}

// Redirects say which redirects a crawler follows on the way to robots.txt.
type Redirects struct {
	Max   int                           // how many
	Check func(from, to *url.URL) error // why one is not followed
}

// A Client fetches robots.txt. It is safe for concurrent use.
type Client struct {
	options Options
	http    *retryablehttp.Client
}

// Options are what a Client goes by. All but Visit are needed.
type Options struct {
	Base      http.RoundTripper // sends the requests
	UserAgent string
	Timeout   time.Duration // for a Fetch with all its redirects and retries
	Redirects Redirects

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
	whole := ctx
	ctx, cancel := context.WithTimeoutCause(whole, c.options.Timeout, fmt.Errorf("no answer within %v: %w", c.options.Timeout, context.DeadlineExceeded))
	defer cancel()
	defer func() {
		if err != nil && ctx.Err() != nil && whole.Err() == nil {
			answer.TimedOut = c.options.Timeout
		}
	}()

	at := o.RobotsURL()
	asked := []string{at.String()}
	for {
		r := c.hop(ctx, o, at, known, own)
		if r.Status != 0 {
			r.Hops = answer.Hops
			answer = r.Answer
		}
		if r.err != nil || r.location == nil {
			return answer, r.err
		}
		if err := c.options.Redirects.check(ctx, asked, at, r.location); err != nil {
			answer.Beyond = r.location.String()
			return answer, err
		}
		at = r.location
		asked = append(asked, at.String())
		answer.Hops = asked[1:]
	}
}

// Retrace goes the way that another crawler went to the robots.txt of o, and asks nobody.
// hops are the redirects that the other has followed; beyond is one that it has not
// followed, or "". Retrace returns the hops that r follows, and why it follows no more:
// nil if r follows all of them.
func (r *Redirects) Retrace(ctx context.Context, o origin.Origin, hops []string, beyond string) (followed []string, err error) {
	way := append([]string{o.RobotsURL().String()}, hops...)
	if beyond != "" {
		way = append(way, beyond)
	}
	for i := 1; i < len(way) && err == nil; i++ {
		followed = way[1:i]
		err = r.checkText(ctx, way[:i], way[i])
	}
	if err == nil {
		followed = way[1:]
	}
	return append([]string(nil), followed...), err
}

func (r *Redirects) checkText(ctx context.Context, asked []string, to string) error {
	from, err := url.Parse(asked[len(asked)-1])
	if err != nil {
		return errNoURL
	}
	next, err := url.Parse(to)
	if err != nil {
		return errNoURL
	}
	return r.check(ctx, asked, from, next)
}

// errNoURL says that a Store has a hop that no Client can have followed.
var errNoURL = errors.New("redirected to what is no URL")

// check returns the error if the redirect to a URL is not to be followed, after all that
// were asked. The last of them is from.
func (r *Redirects) check(ctx context.Context, asked []string, from, to *url.URL) error {
	if slices.Contains(asked, to.String()) || len(asked) > r.Max {
		return ErrTooManyRedirects
	}
	return await(ctx, "CheckRedirect", func(tell func(reply)) {
		err := r.Check(from, to)
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
			return reply{err: orCause(ctx, keep(err))}
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
