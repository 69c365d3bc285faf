// Package pagecache keeps pages on disk, so that the same page twice is one request, or a
// request that the site answers with 304. It is the cache of one user (RFC 9111).
//
// It is careful where the RFC leaves a choice. It never hands out a page that is out of
// date. It keeps nothing that may be secret: no answer that sets a cookie, and none to
// a request with credentials, cookies or fields of the caller's own. It keeps one version
// of a page for each crawler, and only pages that arrived whole.
package pagecache

import (
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite"
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
	Age       time.Duration   // since the site has sent the page, or said that it is unchanged
	Decision  polite.Decision // on the page, if the site was not asked
}

// RoundTrip answers from the Folder, or by polite.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.Folder == nil || !concerns(req) {
		return t.pass(req)
	}
	key, err := keyOf(t.Polite.UserAgent, req)
	if err != nil {
		return t.Polite.RoundTrip(req) // which says what is wrong with the URL
	}
	return t.answer(req, key)
}

// CloseIdleConnections closes the connections that polite does not use.
func (t *Transport) CloseIdleConnections() { t.Polite.CloseIdleConnections() }

// pass sends a request that no kept page can answer. If it changes something at the site,
// what is kept of the URL is out of date (RFC 9111 §4.4).
func (t *Transport) pass(req *http.Request) (*http.Response, error) {
	resp, err := t.Polite.RoundTrip(req)
	if err != nil || t.Folder == nil || isSafe(req.Method) || resp.StatusCode >= http.StatusBadRequest {
		return resp, err
	}
	if key, err := keyOf(t.Polite.UserAgent, req); err == nil {
		t.Folder.remove(key)
	}
	return resp, nil
}

func (t *Transport) answer(req *http.Request, key key) (*http.Response, error) {
	wants := directivesOf(req.Header, "Cache-Control")
	page := t.Folder.find(key)
	if page != nil && (!page.isFor(req) || !page.head.Public && t.Open != nil && !t.Open(req.URL)) {
		page.close()
		page = nil
	}
	switch now := time.Now(); {
	case page != nil && !t.Anew && wants.accept(page.head, now):
		return t.hand(req, page, now)
	case wants.has("only-if-cached"):
		page.close()
		return notKept(req), nil
	default:
		return t.ask(req, key, page)
	}
}

// hand hands out a page, if it may still be fetched. Else polite refuses it.
func (t *Transport) hand(req *http.Request, page *page, now time.Time) (*http.Response, error) {
	d, err := t.Polite.Check(req.Context(), req.URL)
	if err != nil || !d.Allowed {
		page.close()
		return t.Polite.RoundTrip(req)
	}
	age := page.head.age(now)
	t.tell(req, Kept{Age: age, Decision: d})
	return page.response(req, age), nil
}

func (t *Transport) tell(req *http.Request, k Kept) {
	if t.Kept != nil {
		t.Kept(req, k)
	}
}

// ask asks the site for a page, or whether the kept one has changed.
func (t *Transport) ask(req *http.Request, key key, page *page) (*http.Response, error) {
	sent, watch := watched(req.Context())
	resp, err := t.Polite.RoundTrip(conditional(req.WithContext(watch), page))
	if err != nil {
		page.close()
		return nil, err
	}
	resp.Request = req
	head := headOf(req, key, resp, sent.time(), time.Now())
	head.Public = t.Public != nil && t.Public(req.URL)
	switch {
	case page == nil || resp.StatusCode != http.StatusNotModified:
		page.close()
		return t.keep(resp, head), nil
	case !page.head.confirmedBy(resp.Header):
		resp.Body.Close()
		page.close()
		return t.ask(req, key, nil)
	default:
		resp.Body.Close()
		return t.renew(req, page, head), nil
	}
}

// renew hands out a page that is unchanged, and keeps what the site says of it now.
func (t *Transport) renew(req *http.Request, page *page, by head) *http.Response {
	page.head = page.head.renewed(by)
	if page.head.mayBeKept() {
		t.Folder.rewrite(page)
	} else {
		t.Folder.remove(page.head.key())
	}
	age := page.head.age(time.Now())
	t.tell(req, Kept{Unchanged: true, Age: age})
	return page.response(req, age)
}

// keep keeps the body of a response while it is read. A new answer takes the place of a
// kept page, unless the site is in trouble: then the page may still be good.
func (t *Transport) keep(resp *http.Response, head head) *http.Response {
	if resp.StatusCode != http.StatusTooManyRequests && resp.StatusCode < http.StatusInternalServerError {
		t.Folder.remove(head.key())
	}
	if head.mayBeKept() && endIsKnown(resp) && resp.ContentLength <= t.Folder.mostPage() {
		resp.Body = t.Folder.record(resp.Body, head, resp.ContentLength)
	}
	return resp
}
