package queue

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/go-polite/polite/internal/tries"
)

// A request is what http.Client has made of the request of an item at a hop.
type request struct {
	method  string
	without []string // the credentials that it has left out
}

// credentials are the headers that http.Client does not take along to another site.
var credentials = [...]string{"Authorization", "Cookie", "Cookie2", "Proxy-Authorization", "Proxy-Authenticate", "Www-Authenticate"}

// requestOf returns what is to be remembered of a request at a hop, which may be nil.
func requestOf(req *http.Request) *request {
	if req == nil {
		return nil
	}
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
