// Package fetch asks an origin for its robots.txt over HTTP.
package fetch

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/quota"
	"github.com/go-polite/polite/internal/send"
	"github.com/go-polite/polite/internal/status"
	"github.com/go-polite/polite/robots"
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
	MaxAge     time.Duration // how long it is fresh from now on; negative if it does not say
	TimedOut   time.Duration // the Timeout of the Client, if that ended the fetch; else 0
	RetryAfter time.Duration // 0 if it does not say, and never more than quota.MaxRetryAfter
	Closes     bool          // the connection is not kept for the next request
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

// A reply is what came of one hop.
type reply struct {
	Answer            // without Hops
	location *url.URL // where it redirects to; nil if it does not
	err      error
}

// ask requests the URL at, which belongs to server. If known is not zero, the request is
// conditional: it asks for a change.
func (c *Client) ask(ctx context.Context, server origin.Origin, at *url.URL, known Validators) reply {
	return await(ctx, "the transport", func(tell func(reply)) {
		var r reply
		req, err := c.request(ctx, server, at, known)
		if err == nil {
			// The body is read here so that a connection that breaks in it is tried again.
			req.SetResponseHandler(func(resp *http.Response) error {
				r = read(ctx, resp, at, known, tell)
				return r.err
			})
			_, err = c.http.Do(req)
		}
		r.err = Plain(err)
		tell(r)
	})
}

type fetching struct{} // the key in the context of requests for robots.txt

// Fetches reports whether a Client has made the request of ctx.
func Fetches(ctx context.Context) bool { return ctx.Value(fetching{}) != nil }

func (c *Client) request(ctx context.Context, server origin.Origin, at *url.URL, known Validators) (*retryablehttp.Request, error) {
	req, err := retryablehttp.NewRequestWithContext(context.WithValue(ctx, fetching{}, true), http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.options.UserAgent)
	req.Header.Set("Accept-Encoding", "gzip") // net/http would decode it, and fail where the body is none
	known.Condition(req.Header)
	server.Aim(req.Request)
	return req, nil
}

// await calls do, which is partly the user's code, and waits until do returns or ctx
// ends. It returns the last reply of do. A panic of do is an error. If do ignores ctx, it
// goes on alone.
func await(ctx context.Context, whose string, do func(tell func(reply))) reply {
	var last atomic.Pointer[reply]
	tell := func(r reply) {
		r.err = keep(r.err)
		last.Store(&r)
	}
	tell(reply{err: ended(whose)})
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			p, r := recover(), *last.Load()
			if p != nil && r.err != nil { // it had not come to an end
				r.err = fmt.Errorf("panic in %s: %v", whose, p)
				tell(r)
			}
		}()
		do(tell)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
	r := *last.Load()
	r.err = orCause(ctx, r.err)
	return r
}

// orCause returns why ctx has ended, if it has, as the cause of err.
func orCause(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// errUnfinished is the error of a reply until its body has come to its end. It stays
// if the body calls runtime.Goexit.
var errUnfinished = ended("the transport")

func ended(by string) error { return fmt.Errorf("the goroutine that asked was ended by %s", by) }

// read reads resp, the response of at, and closes it. It tells what it knows as soon
// as it does.
func read(ctx context.Context, resp *http.Response, at *url.URL, known Validators, tell func(reply)) (r reply) {
	defer resp.Body.Close()
	if ctx.Err() != nil {
		return reply{err: context.Cause(ctx)} // Base has not heard that nobody waits any more
	}
	defer context.AfterFunc(ctx, func() { shut(resp.Body) })() // ends a Read that ignores ctx
	r.Status, r.Closes = resp.StatusCode, true                 // unless it is read to its end
	r.MaxAge, r.RetryAfter = MaxAge(resp.Header), quota.RetryAfter(resp.Header, time.Now())
	r.location = redirect(resp, at)
	switch {
	case status.IsChallenge(resp.Header):
		r.err = status.ErrChallenge
	case known.doubted(resp.StatusCode):
		r.err = errMistaken
	case resp.StatusCode == http.StatusNotModified && known != Validators{}:
		if r.Unchanged, r.Validators = true, known; !known.Confirmed(resp.Header) {
			r.err = errMistaken
		}
	case resp.StatusCode == http.StatusPartialContent && !IsWhole(resp.Header):
		r.err = ErrPart
	case resp.StatusCode/100 == 2:
		r.err = errUnfinished
		tell(r)
		r.Validators = validators(at, resp.Header)
		r.Body, r.err = ReadBody(resp.Header, resp.Body)
		r.Closes = resp.Close || r.err != nil || len(r.Body) > robots.MaxSize
		if status.IsWall(r.Body) {
			r.Body, r.Validators, r.err = nil, Validators{}, status.ErrChallenge
		}
		return r
	}
	if tell(r); r.err == nil && IsWall(ctx, resp) {
		r.err = status.ErrChallenge
		tell(r)
	}
	r.Closes = !drain(ctx, resp)
	return r
}

// IsWall reports whether a web page in place of a file is that of a wall, and no word of the site. The
// header does not say so, and the status says that there is no file.
func IsWall(ctx context.Context, resp *http.Response) bool {
	if file := status.Of(resp.StatusCode).File; file != status.Missing && file != status.Closed || !status.IsHTML(resp.Header) {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, pageTime)
	defer cancel()
	defer context.AfterFunc(ctx, func() { shut(resp.Body) })()
	body, err := decoded(resp.Header, resp.Body)
	if err != nil {
		return false
	}
	page, _ := io.ReadAll(io.LimitReader(body, status.Reach))
	return status.IsWall(page)
}

// pageTime is how long the beginning of a page may take. What does not come by then is no page of a wall:
// it has nothing to compute.
const pageTime = time.Second

// shut closes a body in a goroutine where nobody waits for a panic.
func shut(body io.Closer) {
	defer func() { _ = recover() }()
	body.Close()
}

const (
	maxDrained = 4 << 10
	drainTime  = 100 * time.Millisecond // about what a new connection takes
)

// drain reads the rest of a body that nobody wants if that is short and comes soon, so
// that the connection can be used again. It reports whether it can.
func drain(ctx context.Context, resp *http.Response) bool {
	if resp.StatusCode/100 == 1 || resp.Close || resp.ContentLength > maxDrained {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	defer context.AfterFunc(ctx, func() { shut(resp.Body) })()
	_, err := io.CopyN(io.Discard, resp.Body, maxDrained+1)
	return err == io.EOF
}

func validators(at *url.URL, header http.Header) Validators {
	etag, date := header.Get("ETag"), header.Get("Last-Modified")
	if len(etag) > maxText || len(date) > maxText {
		return Validators{}
	}
	// They may be parts of a header that is much longer.
	return Validators{URL: at.String(), ETag: strings.Clone(etag), LastModified: strings.Clone(date)}
}

// of returns v if it is what at is to be asked for a change of, else zero.
func (v Validators) of(at *url.URL) Validators {
	if v.ETag == "" && v.LastModified == "" || v.URL != at.String() {
		return Validators{}
	}
	return v
}

// Condition makes a request conditional on a change (RFC 9110 §13.1).
func (v Validators) Condition(header http.Header) {
	if v.ETag != "" {
		header.Set("If-None-Match", v.ETag)
	}
	if v.LastModified != "" {
		header.Set("If-Modified-Since", v.LastModified)
	}
}

// errMistaken says that an answer is about the conditions of the request, or about
// something else than what is known, and not about robots.txt.
var errMistaken = errors.New("not modified, but not what is known")

// doubted reports whether a status may be about the conditions that v makes, and
// another come without them: 412 is, and a server that knows no conditions, or finds
// them too long, says one of the others.
func (v Validators) doubted(status int) bool {
	switch status {
	case http.StatusPreconditionFailed, http.StatusBadRequest, http.StatusRequestHeaderFieldsTooLarge, http.StatusNotImplemented:
		return v != Validators{}
	}
	return false
}

// Confirmed reports whether a 304 with this header is about the same answer (RFC 9111 §4.3.4).
func (v Validators) Confirmed(header http.Header) bool {
	etag := header.Get("ETag")
	return etag == "" || v.ETag == "" || strings.TrimPrefix(etag, "W/") == strings.TrimPrefix(v.ETag, "W/")
}

// ReadBody reads the part of a body that polite parses, and one byte more, so that a
// longer body differs from one that ends there. An empty one is empty in any encoding.
func ReadBody(header http.Header, body io.Reader) ([]byte, error) {
	body, err := decoded(header, body)
	if err != nil {
		return nil, err
	}
	read, err := io.ReadAll(io.LimitReader(body, robots.MaxSize+1))
	if err != nil {
		return nil, err
	}
	return read, nil
}

// decoded returns what body says. A server may name a coding that the body is not in: then a body that
// reads as text is taken as it is.
func decoded(header http.Header, body io.Reader) (io.Reader, error) {
	codings := Codings(header)
	if len(codings) == 0 {
		return body, nil
	}
	buffered := bufio.NewReader(body)
	head, _ := buffered.Peek(headSize) // fewer octets are all; who reads on gets the error
	isGzip := len(codings) == 1 && strings.TrimPrefix(codings[0], "x-") == "gzip"
	switch {
	case isGzip && bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return gzip.NewReader(buffered)
	case strings.HasPrefix(http.DetectContentType(head), "text/"):
		return buffered, nil
	case isGzip:
		return nil, gzip.ErrHeader
	}
	return nil, fmt.Errorf("Content-Encoding %.40q, which was not asked for", strings.Join(codings, ", "))
}

// headSize is how many octets say whether a body is text (WHATWG MIME Sniffing §7.1 has 1445, and
// net/http uses 512).
const headSize = 512

// Codings returns the codings that the Content-Encoding of an answer names, of those that IANA has
// registered. Some servers write a character set there, or "none".
func Codings(header http.Header) (named []string) {
	for _, value := range header["Content-Encoding"] {
		for text := range strings.SplitSeq(strings.ToLower(value), ",") {
			if text = strings.TrimSpace(text); slices.Contains(registered, text) {
				named = append(named, text)
			}
		}
	}
	return named
}

// registered are the HTTP content codings of IANA (November 2026), but for identity.
var registered = []string{"gzip", "x-gzip", "compress", "x-compress", "deflate", "br", "zstd", "dcb", "dcz", "exi", "pack200-gzip", "aes128gcm"}

// ErrPart says that a site has sent a part of a file.
var ErrPart = errors.New("206 with a part of the file, where all of it was asked for")

// IsWhole reports whether a 206 has all of the file (RFC 9110 §14.4).
func IsWhole(header http.Header) bool {
	ends, isBytes := strings.CutPrefix(header.Get("Content-Range"), "bytes 0-")
	last, size, _ := strings.Cut(ends, "/")
	l, errLast := strconv.ParseInt(last, 10, 64)
	s, errSize := strconv.ParseInt(size, 10, 64)
	return isBytes && errLast == nil && errSize == nil && l+1 == s
}
