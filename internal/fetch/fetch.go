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
	Status int
	Body   []byte   // of a 2xx: what counts of it, and a byte more if there is more
	Hops   []string // the URLs it was redirected to, in order
}

// A Client fetches robots.txt. It is safe for concurrent use.
type Client struct {
	userAgent string
	timeout   time.Duration
	maxHops   int
	http      *retryablehttp.Client
}

// New returns a client that sends requests through base with userAgent, follows
// up to maxHops redirects, and takes no longer than timeout for all of it.
func New(base http.RoundTripper, userAgent string, timeout time.Duration, maxHops int) *Client {
	return &Client{userAgent: userAgent, timeout: timeout, maxHops: maxHops, http: newHTTP(base)}
}

// Fetch asks o for its robots.txt. It returns an error if there was no answer,
// or none that can be relied on: a body that is cut short is an error, a status
// of any kind is not.
func (c *Client) Fetch(ctx context.Context, o origin.Origin) (answer Answer, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, fmt.Errorf("no answer within %v: %w", c.timeout, context.DeadlineExceeded))
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in the transport: %v", p)
		}
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}()

	at := o.RobotsURL()
	asked := map[string]bool{at.String(): true}
	for {
		location, err := c.ask(ctx, o, at, &answer)
		if err != nil || location == nil {
			return answer, err
		}
		at = location
		if asked[at.String()] || len(answer.Hops) == c.maxHops {
			return answer, ErrTooManyRedirects
		}
		asked[at.String()] = true
		answer.Hops = append(answer.Hops, at.String())
	}
}

// ask fills in the answer of one hop, and returns where it redirects to.
func (c *Client) ask(ctx context.Context, o origin.Origin, at *url.URL, answer *Answer) (location *url.URL, err error) {
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.userAgent)
	if sameServer(at, o) {
		o.Aim(req.Request)
	}
	// The body is read here so that a connection that breaks in it is tried again.
	req.SetResponseHandler(func(resp *http.Response) (err error) {
		defer resp.Body.Close()
		answer.Status = resp.StatusCode
		location = redirect(resp, at)
		if resp.StatusCode/100 == 2 {
			answer.Body, err = readBody(resp)
		}
		return err
	})
	_, err = c.http.Do(req)
	return location, plain(err)
}

// sameServer reports whether u is of origin o, wherever that is dialed.
func sameServer(u *url.URL, o origin.Origin) bool {
	o.Dial = ""
	other, err := origin.OfURL(u)
	return err == nil && other == o
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
	if header == "" {
		return nil
	}
	location, err := at.Parse(header)
	if err != nil || !origin.IsHTTP(location) || location.Host == "" {
		return nil
	}
	location.User = nil // no credentials go with a robots.txt request
	location.Fragment, location.RawFragment = "", ""
	return location
}

// readBody reads what counts of a body and one byte more, so that it can be told
// from one that ends there.
func readBody(resp *http.Response) ([]byte, error) {
	body := io.Reader(resp.Body)
	switch encoding := strings.ToLower(resp.Header.Get("Content-Encoding")); encoding {
	case "", "identity":
	case "gzip", "x-gzip": // not asked for by base, which would have decoded it
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			return nil, err
		}
		body = unzipped
	default:
		return nil, fmt.Errorf("Content-Encoding %q, which was not asked for", encoding)
	}
	return io.ReadAll(io.LimitReader(body, robots.MaxSize+1))
}
