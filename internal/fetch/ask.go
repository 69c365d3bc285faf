package fetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/quota"
	"github.com/hashicorp/go-retryablehttp"
)

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
		r.err = plain(err)
		tell(r)
	})
}

func (c *Client) request(ctx context.Context, server origin.Origin, at *url.URL, known Validators) (*retryablehttp.Request, error) {
	req, err := retryablehttp.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", c.options.UserAgent)
	known.condition(req.Header)
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
	body := &onceBody{ReadCloser: resp.Body}
	defer body.Close()
	if ctx.Err() != nil {
		return reply{err: context.Cause(ctx)} // Base has not heard that nobody waits any more
	}
	defer context.AfterFunc(ctx, body.shut)() // ends a Read that ignores ctx
	r.Status = resp.StatusCode
	r.MaxAge, r.RetryAfter = MaxAge(resp.Header), quota.RetryAfter(resp.Header, time.Now())
	r.location = redirect(resp, at)
	switch {
	case known.doubted(resp.StatusCode):
		r.err = errMistaken
	case resp.StatusCode == http.StatusNotModified && known != Validators{}:
		r.Unchanged = true
		r.Validators, r.err = known.confirm(resp.Header)
	case resp.StatusCode == http.StatusPartialContent && !IsWhole(resp.Header):
		r.err = ErrPart
	case resp.StatusCode/100 == 2:
		r.err = errUnfinished
		tell(r)
		r.Validators = validators(at, resp.Header)
		r.Body, r.err = ReadBody(resp.Header, body)
		return r
	}
	tell(r)
	drain(ctx, resp, body)
	return r
}

// A onceBody is a body that is closed once, however often Close is called.
type onceBody struct {
	io.ReadCloser
	once sync.Once
}

func (b *onceBody) Close() (err error) {
	b.once.Do(func() { err = b.ReadCloser.Close() })
	return err
}

// shut closes the body in a goroutine where nobody waits for a panic.
func (b *onceBody) shut() {
	defer func() { _ = recover() }()
	b.Close()
}

const (
	maxDrained = 4 << 10
	drainTime  = 100 * time.Millisecond // about what a new connection takes
)

// drain reads the rest of a body that nobody wants if that is short and comes soon, so
// that the connection can be used again.
func drain(ctx context.Context, resp *http.Response, body *onceBody) {
	if resp.StatusCode/100 == 1 || resp.Close || resp.ContentLength > maxDrained {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, drainTime)
	defer cancel()
	defer context.AfterFunc(ctx, body.shut)()
	io.CopyN(io.Discard, body, maxDrained+1)
}
