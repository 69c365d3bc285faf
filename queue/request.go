package queue

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"github.com/go-polite/polite/internal/tries"
)

// A request is what http.Client has made of the request of an item at a hop.
type request struct {
	method  string
	without []string // the credentials that it has left out
}

// credentials are the headers that http.Client does not take along to another site.
var credentials = [...]string{"Authorization", "Cookie", "Cookie2", "Proxy-Authorization", "Proxy-Authenticate", "Www-Authenticate"}

// requestOf returns what is to be remembered of a request at a hop.
func requestOf(req *http.Request) *request {
	r := &request{method: req.Method}
	for _, name := range credentials {
		if req.Header[name] == nil {
			r.without = append(r.without, name)
		}
	}
	return r
}

// request returns the request of a task, for its URL or for the hop where it goes on.
func (q *Queue[T]) request(ctx context.Context, t *task[T]) (*http.Request, error) {
	if q.Request == nil {
		return http.NewRequestWithContext(ctx, http.MethodGet, t.url(), nil)
	}
	req, err := q.Request(ctx, t.item())
	switch {
	case err != nil:
		return nil, err
	case req == nil:
		return nil, errors.New("queue: Request has returned no request")
	case tries.Of(req.Context()) == nil:
		req = req.WithContext(ctx)
	}
	if t.way.url == "" {
		return req, nil
	}
	return req, t.way.aim(req)
}

// goOn lets a task go on at a hop of its own, where its request of was refused. If like, the next is made like it.
func (w *way) goOn(at *url.URL, of *http.Request, like bool) {
	w.url = at.String()
	if like {
		w.like = requestOf(of)
	}
	end := len(w.via)
	for resp := of.Response; resp != nil && resp.Request != nil && resp.Request != of; resp = of.Response {
		of = resp.Request
		w.via = slices.Insert(w.via, end, &http.Request{Method: of.Method, URL: of.URL})
	}
}

// following returns c for the request of a hop, so that its CheckRedirect hears of all requests before.
func (w *way) following(c *http.Client) *http.Client {
	next, check, before := *c, c.CheckRedirect, slices.Clip(w.via)
	if check == nil {
		check = atMostTen
	}
	next.CheckRedirect = func(req *http.Request, via []*http.Request) error { return check(req, append(before, via...)) }
	return &next
}

// atMostTen is what http.Client does without a CheckRedirect.
func atMostTen(_ *http.Request, via []*http.Request) error {
	if len(via) >= 10 {
		return errors.New("stopped after 10 redirects")
	}
	return nil
}

// aim makes req the request of a hop.
func (w *way) aim(req *http.Request) (err error) {
	if req.URL, err = url.Parse(w.url); err != nil || w.like == nil {
		return err
	}
	req.Host = ""
	req.Header = req.Header.Clone()
	for _, name := range w.like.without {
		req.Header.Del(name)
	}
	if req.Method != w.like.method {
		if req.Body != nil {
			req.Body.Close()
		}
		req.Method, req.Body, req.GetBody, req.ContentLength = w.like.method, nil, nil, 0
		req.Header.Del("Content-Type")
	}
	return nil
}
