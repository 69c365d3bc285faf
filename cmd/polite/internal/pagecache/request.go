package pagecache

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"slices"
	"sync/atomic"
	"time"
)

// concerns reports whether a kept page may answer a request, and its answer be kept. A
// field that is not known here may be a secret, and so may the answer to it. A User-Agent of
// the request's own may be judged by other rules.
func concerns(req *http.Request) bool {
	hasBody := req.Body != nil && req.Body != http.NoBody
	isElsewhere := req.Host != "" && req.Host != req.URL.Host
	if req.Method != http.MethodGet && req.Method != "" || hasBody || isElsewhere || req.URL.User != nil {
		return false
	}
	for name := range req.Header {
		if !slices.Contains(harmless(), name) {
			return false
		}
	}
	return !directivesOf(req.Header, "Cache-Control").has("no-store")
}

// harmless are the fields of requests that a cache for pages understands.
func harmless() []string {
	return []string{"Accept", "Accept-Language", "Cache-Control", "Pragma", "Referer"}
}

// isSafe reports whether a method changes nothing at the site (RFC 9110 §9.2.1).
func isSafe(method string) bool {
	return slices.Contains([]string{"", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace}, method)
}

// conditional returns the request for a page, or whether it has changed (RFC 9111 §4.3.1).
func conditional(req *http.Request, page *page) *http.Request {
	if page == nil {
		return req
	}
	req = req.Clone(req.Context())
	if req.Header == nil {
		req.Header = make(http.Header)
	}
	if tag := page.head.Header.Get("ETag"); tag != "" {
		req.Header.Set("If-None-Match", tag)
	}
	if date := page.head.Header.Get("Last-Modified"); date != "" {
		req.Header.Set("If-Modified-Since", date)
	}
	return req
}

// A moment is when a request was written. A turn that it waited for is no delay of its
// answer.
type moment struct {
	begun   time.Time
	written atomic.Pointer[time.Time]
}

// watched returns a context whose request notes when it is written.
func watched(ctx context.Context) (*moment, context.Context) {
	m := &moment{begun: time.Now()}
	return m, httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() {
		now := time.Now()
		m.written.Store(&now)
	}})
}

func (m *moment) time() time.Time {
	if written := m.written.Load(); written != nil {
		return *written
	}
	return m.begun
}

// notKept is the answer to a request that wants no other page than a kept one
// (RFC 9111 §5.2.1.7).
func notKept(req *http.Request) *http.Response {
	return &http.Response{
		Status: "504 Gateway Timeout", StatusCode: http.StatusGatewayTimeout,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header), Body: http.NoBody, Request: req,
	}
}
