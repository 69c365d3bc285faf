// Package pagecache keeps pages on disk, so that the same page twice is one request, or a
// request that the site answers with 304. It is the cache of one user (RFC 9111).
//
// It is careful where the RFC leaves a choice. It never hands out a page that is out of
// date. It keeps nothing that may be secret: no answer that sets a cookie, and none to
// a request with credentials, cookies or fields of the caller's own. It keeps one version
// of a page for each crawler, and only pages that arrived whole.
package pagecache

import (
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origin"
)

// A Transport is an http.RoundTripper that answers from a Folder where it can, and sends
// the other requests by polite. A kept page takes no turn, and sends nothing to its site.
// But robots.txt judges it like a request: a page that may not be fetched now is not
// handed out, but refused by polite.
//
// A Transport is safe for concurrent use. Two requests for a page at the same time are
// both sent. Do not change the fields after the first use.
type Transport struct {
	Polite *polite.Transport // sends and judges
	Folder *Folder           // keeps the pages; if nil, none is kept
	Anew   bool              // ask the site whether a page has changed, each time

	// Public reports whether the site of a URL was asked at an address of the public internet.
	// If nil, nobody knows.
	Public func(*url.URL) bool

	// Open reports whether a page of a URL may be handed out that did not come from the public
	// internet, or of which nobody knows. If nil, each may.
	Open func(*url.URL) bool

	// Kept is told of each response that has a kept page, before RoundTrip returns it.
	// If nil, nobody is told.
	Kept func(*http.Request, Kept)
}

// Kept tells how a page came that was kept.
type Kept struct {
	Unchanged bool            // the site was asked, and said so (304); else it was not asked
	Decision  polite.Decision // on the page, if the site was not asked
}

// RoundTrip answers from the Folder, or by polite. A request that changes something at the site
// ends what is kept of its URL (RFC 9111 §4.4).
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.Folder == nil {
		return t.Polite.RoundTrip(req)
	}
	o, target, err := origin.Of(req, nil)
	if err != nil {
		return t.Polite.RoundTrip(req) // which says what is wrong with the URL
	}
	k := key{t.Polite.UserAgent, o.Key() + " " + target}
	if concerns(req) {
		return t.answer(req, k)
	}
	resp, err := t.Polite.RoundTrip(req)
	if err == nil && !isSafe(req.Method) && resp.StatusCode < http.StatusBadRequest {
		t.Folder.remove(k)
	}
	return resp, err
}

// CloseIdleConnections closes the connections that polite does not use.
func (t *Transport) CloseIdleConnections() { t.Polite.CloseIdleConnections() }

// concerns reports whether a kept page may answer a request, and its answer be kept. A
// field that is not known here may be a secret, and so may the answer to it. A User-Agent of
// the request's own may be judged by other rules.
func concerns(req *http.Request) bool {
	hasBody := req.Body != nil && req.Body != http.NoBody
	isElsewhere := req.Host != "" && req.Host != req.URL.Host
	if req.Method != http.MethodGet && req.Method != "" || hasBody || isElsewhere || req.URL.User != nil {
		return false
	}
	harmless := []string{"Accept", "Accept-Language", "Cache-Control", "Pragma", "Referer"}
	for name := range req.Header {
		if !slices.Contains(harmless, name) {
			return false
		}
	}
	return !directivesOf(req.Header).has("no-store")
}

// isSafe reports whether a method changes nothing at the site (RFC 9110 §9.2.1).
func isSafe(method string) bool {
	return slices.Contains([]string{"", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace}, method)
}

func (t *Transport) answer(req *http.Request, k key) (*http.Response, error) {
	wants := directivesOf(req.Header)
	p := t.Folder.find(k)
	if p != nil && (!p.isFor(req) || !p.Public && t.Open != nil && !t.Open(req.URL)) {
		p.close()
		p = nil
	}
	switch now := time.Now(); {
	case p != nil && !t.Anew && wants.accept(p.head, now):
		return t.hand(req, p, now)
	case wants.has("only-if-cached"): // RFC 9111 §5.2.1.7
		p.close()
		return respond(req, http.StatusGatewayTimeout, make(http.Header), http.NoBody), nil
	default:
		return t.ask(req, k, p)
	}
}

// hand hands out a page, if it may still be fetched. Else polite refuses it.
func (t *Transport) hand(req *http.Request, p *page, now time.Time) (*http.Response, error) {
	d, err := t.Polite.Check(req.Context(), req.URL)
	if err != nil || !d.Allowed {
		p.close()
		return t.Polite.RoundTrip(req)
	}
	return t.response(req, p, now, Kept{Decision: d}), nil
}

// response returns a page as the answer to a request. The page is closed with its body.
func (t *Transport) response(req *http.Request, p *page, now time.Time, how Kept) *http.Response {
	if t.Kept != nil {
		t.Kept(req, how)
	}
	p.Header.Set("Age", strconv.FormatInt(int64(p.age(now)/time.Second), 10))
	resp := respond(req, p.Status, p.Header, struct {
		io.Reader
		io.Closer
	}{p.body(), p.file})
	resp.ContentLength, resp.Uncompressed = p.size, p.Uncompressed
	return resp
}

// respond returns an answer that no site has sent.
func respond(req *http.Request, status int, header http.Header, body io.ReadCloser) *http.Response {
	return &http.Response{
		Status: strconv.Itoa(status) + " " + http.StatusText(status), StatusCode: status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: body, Request: req,
	}
}

// ask asks the site for a page, or whether the kept one has changed.
func (t *Transport) ask(req *http.Request, k key, p *page) (*http.Response, error) {
	resp, sent, err := t.send(req, p)
	if err != nil {
		p.close()
		return nil, err
	}
	resp.Request = req
	h := headOf(req, k, resp, sent, time.Now())
	h.Public = t.Public != nil && t.Public(req.URL)
	if p == nil || resp.StatusCode != http.StatusNotModified {
		p.close()
		return t.keep(resp, h), nil
	}
	resp.Body.Close()
	if !p.validators().Confirmed(resp.Header) {
		p.close()
		return t.ask(req, k, nil)
	}
	p.renew(h)
	if p.mayBeKept() {
		t.Folder.rewrite(p)
	} else {
		t.Folder.remove(k)
	}
	return t.response(req, p, time.Now(), Kept{Unchanged: true}), nil
}

// send asks for a page, if it has changed (RFC 9111 §4.3.1). It tells when the request was
// written: a turn that it waited for is no delay of its answer.
func (t *Transport) send(req *http.Request, p *page) (*http.Response, time.Time, error) {
	var sent atomic.Pointer[time.Time]
	note := func() {
		now := time.Now()
		sent.Store(&now)
	}
	note()
	req = req.Clone(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{WroteHeaders: note}))
	if p != nil {
		p.validators().Condition(req.Header)
	}
	resp, err := t.Polite.RoundTrip(req)
	return resp, *sent.Load(), err
}

// keep keeps the body of a response while it is read. A new answer takes the place of a
// kept page, unless the site is in trouble: then the page may still be good.
func (t *Transport) keep(resp *http.Response, h head) *http.Response {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode < http.StatusInternalServerError {
		t.Folder.remove(h.key)
	}
	if h.mayBeKept() && endIsKnown(resp) && resp.ContentLength <= t.Folder.mostPage() {
		resp.Body = t.Folder.record(resp.Body, h, resp.ContentLength)
	}
	return resp
}

// endIsKnown reports whether a body that is cut short is told from one that is whole. In
// HTTP/1 without a length or chunks it is not (RFC 9112 §8), unless it was compressed.
func endIsKnown(resp *http.Response) bool {
	return resp.ContentLength >= 0 || len(resp.TransferEncoding) > 0 || resp.ProtoMajor >= 2 || resp.Uncompressed
}
