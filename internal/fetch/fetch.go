// Package fetch asks an origin for its robots.txt over HTTP.
package fetch

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
	"github.com/hashicorp/go-retryablehttp"
)

// ErrTooManyRedirects says that robots.txt is behind more redirects than were to
// be followed, or behind a loop of them.
var ErrTooManyRedirects = errors.New("too many redirects")

// An Answer is what an origin sent in the end.
type Answer struct {
	Status     int
	Body       []byte        // of a 2xx: what counts of it, and a byte more if there is more
	Hops       []string      // the URLs it was redirected to, in order
	Validators Validators    // of a 2xx
	Unchanged  bool          // a 304: what Fetch was told of is still so
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

// Options are what a Client goes by. All are needed.
type Options struct {
	Base          http.RoundTripper // sends the requests
	UserAgent     string
	Timeout       time.Duration                 // for a Fetch with all its redirects and retries
	MaxRedirects  int                           // that are followed
	CheckRedirect func(from, to *url.URL) error // why one is not
}

// New returns a client.
func New(options Options) *Client {
	return &Client{options: options, http: newHTTP(options.Base)}
}

// Fetch asks o for its robots.txt, unless it is still what known tells of. It
// returns an error if there was no answer, or none that can be relied on: a body
// that is cut short is an error, a status of any kind is not.
func (c *Client) Fetch(ctx context.Context, o origin.Origin, known Validators) (answer Answer, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.options.Timeout, fmt.Errorf("no answer within %v: %w", c.options.Timeout, context.DeadlineExceeded))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in the transport: %v", p)
		}
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		err = short(err)
	}()

	at := o.RobotsURL()
	asked := map[string]bool{at.String(): true}
	for {
		location, err := c.ask(ctx, o, at, known, &answer)
		if errors.Is(err, errMistaken) {
			known, answer = Validators{}, Answer{Hops: answer.Hops}
			continue
		}
		if err != nil || location == nil {
			return answer, err
		}
		if asked[location.String()] || len(answer.Hops) == c.options.MaxRedirects {
			return answer, ErrTooManyRedirects
		}
		if err := c.options.CheckRedirect(at, location); err != nil {
			return answer, fmt.Errorf("redirected to %s: %w", location, err)
		}
		at = location
		asked[at.String()] = true
		answer.Hops = append(answer.Hops, at.String())
	}
}

// maxText is the length of what is kept of a header or an error: both are of the
// server's making.
const maxText = 2 << 10

// short returns err, or one of the beginning of its text if that is too long to
// keep.
func short(err error) error {
	if err == nil || len(err.Error()) <= maxText {
		return err
	}
	return errors.New(strings.ToValidUTF8(err.Error()[:maxText], "") + "…")
}

// errMistaken says that the server answered 304 for something else than it was
// asked about.
var errMistaken = errors.New("not modified, but not what is known")

// ask fills in the answer of one hop, and returns where it redirects to.
func (c *Client) ask(ctx context.Context, o origin.Origin, at *url.URL, known Validators, answer *Answer) (location *url.URL, err error) {
	server, err := serverOf(at, o)
	if err != nil {
		return nil, err
	}
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.options.UserAgent)
	conditional := known.URL == at.String()
	if conditional {
		known.condition(req.Header)
	}
	server.Aim(req.Request)
	// The body is read here so that a connection that breaks in it is tried again.
	req.SetResponseHandler(func(resp *http.Response) (err error) {
		defer resp.Body.Close()
		answer.Status = resp.StatusCode
		answer.MaxAge, answer.RetryAfter = maxAge(resp.Header), RetryAfter(resp.Header)
		location = redirect(resp, at)
		switch {
		case resp.StatusCode/100 == 2:
			answer.Validators = validators(at, resp.Header)
			answer.Body, err = ReadBody(resp.Header, resp.Body)
		case resp.StatusCode == http.StatusNotModified && conditional:
			answer.Unchanged = true
			answer.Validators, err = known.confirm(resp.Header)
		}
		return err
	})
	_, err = c.http.Do(req)
	return location, plain(err)
}

// serverOf returns the origin of u, which is found where o is if it is o.
func serverOf(u *url.URL, o origin.Origin) (origin.Origin, error) {
	server, err := origin.OfURL(u)
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
	if err != nil || !origin.IsHTTP(location) || location.Host == "" {
		return nil
	}
	location.User = nil                                    // no credentials go with a robots.txt request
	location.Host = strings.TrimSuffix(location.Host, ":") // an empty port is none
	location.Fragment, location.RawFragment = "", ""
	return location
}

// ReadBody reads what counts of a body with that header, and one byte more, so that
// it can be told from one that ends there.
func ReadBody(header http.Header, body io.Reader) ([]byte, error) {
	switch encoding := strings.ToLower(header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip", "x-gzip": // not asked for by base, which would have decoded it
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			return nil, err
		}
		body = unzipped
	default:
		return nil, fmt.Errorf("Content-Encoding %.40q, which was not asked for", encoding)
	}
	return io.ReadAll(io.LimitReader(body, robots.MaxSize+1))
}
