package resources

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/reach"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/public"
)

const (
	// MostStyles is how many styles of a page are looked into.
	MostStyles = 30

	// maxStyle is how many octets of a style are read.
	maxStyle = 1 << 20

	// fetchTime is how long a page may take, and how long all its styles, with the waits
	// for their turns.
	fetchTime = 30 * time.Second
)

// A Fetcher fetches a page, and the styles that it loads, as polite does: it asks for nothing
// that robots.txt disallows. Make one with [NewFetcher] for each page.
type Fetcher struct {
	guard  *guard
	tap    *robotstxt.Tap // has the texts that a Judge explains verdicts by
	client *http.Client
}

// NewFetcher returns a Fetcher that sends its requests through base, and keeps the robots.txt
// of sites in cache. If that is nil, there is a new one.
func NewFetcher(base *http.Transport, cache *polite.Cache) *Fetcher {
	outside := base.Clone()
	outside.DialContext = reach.Dial(public.Control)
	outside.DialTLSContext = nil
	guard := &guard{any: base, outside: outside}
	tap := &robotstxt.Tap{Base: guard}
	transport := &polite.Transport{UserAgent: verb.UserAgent(), Base: tap, Cache: cache}
	return &Fetcher{guard, tap, &http.Client{Transport: transport, CheckRedirect: stay}}
}

// Base returns what is to ask the sites of the resources. If the page came from the public
// internet, it asks nobody else.
func (f *Fetcher) Base() http.RoundTripper { return f.tap }

// Fetch fetches the page at u, through redirects. The error may be a [polite.ErrRefused].
func (f *Fetcher) Fetch(ctx context.Context, u *url.URL) (*Page, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	resp, err := f.get(ctx, u)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	contentType := resp.Header.Get("Content-Type")
	switch media, _, _ := mime.ParseMediaType(contentType); media {
	case "", "text/html", "application/xhtml+xml":
		return Read(resp.Body, resp.Request.URL, contentType)
	default:
		return nil, fmt.Errorf("%s is no web page, but %.60s", resp.Request.URL.Redacted(), contentType)
	}
}

// Read reads a page that is at hand, whose URL is at. If that is at a public host, nobody in
// a private network is asked.
func (f *Fetcher) Read(r io.Reader, at *url.URL) (*Page, error) {
	if origin.IsPublic(at.Hostname()) {
		f.guard.closed.Store(true)
	}
	return Read(r, at, "")
}

// get returns the answer to a request for u, which is a 2xx.
func (f *Fetcher) get(ctx context.Context, u *url.URL) (*http.Response, error) {
	resp, err := f.client.Do(f.guard.watch(origin.NewRequest(ctx, http.MethodGet, u)))
	if err != nil {
		return nil, fetch.Plain(err)
	}
	if resp.StatusCode/100 != 2 {
		resp.Body.Close()
		return nil, fmt.Errorf("%s answered %d %s", resp.Request.URL.Redacted(), resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	return resp, nil
}

// Follow adds to p what its styles load, but not what those load that they import. It looks
// into up to [MostStyles].
func (f *Fetcher) Follow(ctx context.Context, p *Page) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	var styles []*url.URL
	for _, r := range p.Resources {
		if r.Kind == Style {
			styles = append(styles, r.URL)
		}
	}
	sheets := make([]sheet, min(len(styles), MostStyles))
	var fetching sync.WaitGroup
	for i := range sheets {
		fetching.Go(func() { sheets[i] = f.style(ctx, styles[i]) })
	}
	fetching.Wait()
	for i, s := range sheets {
		if s.err != nil {
			p.unread(styles[i], s.err)
		} else {
			p.addStyle(s.at, s.text, styles[i].String())
		}
	}
	for _, u := range styles[len(sheets):] {
		p.unread(u, fmt.Errorf("the page has more than %d styles", MostStyles))
	}
}

// A sheet is a style that was fetched.
type sheet struct {
	at   *url.URL // after all redirects
	text string
	err  error // why there is none
}

func (f *Fetcher) style(ctx context.Context, u *url.URL) sheet {
	resp, err := f.get(ctx, u)
	if err != nil {
		return sheet{err: err}
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxStyle))
	return sheet{resp.Request.URL, string(text), err}
}

// A guard is a RoundTripper that keeps to the public internet, once a page has come from
// there. So a page in the public internet cannot have a private network asked. A page in a
// private network can.
type guard struct {
	any     *http.Transport
	outside *http.Transport // connects to public addresses alone
	closed  atomic.Bool
}

// RoundTrip sends a request. Behind a proxy, the host's name alone tells where it leads to.
func (g *guard) RoundTrip(req *http.Request) (*http.Response, error) {
	switch {
	case !g.closed.Load():
		return g.any.RoundTrip(req)
	case !origin.IsPublic(req.URL.Hostname()):
		return nil, public.ErrPrivate
	case g.isProxied(req):
		return g.any.RoundTrip(req)
	default:
		return g.outside.RoundTrip(req)
	}
}

// CloseIdleConnections closes the connections that the guard has made itself.
func (g *guard) CloseIdleConnections() { g.outside.CloseIdleConnections() }

func (g *guard) isProxied(req *http.Request) bool {
	if g.any.Proxy == nil {
		return false
	}
	proxy, err := g.any.Proxy(req)
	return err == nil && proxy != nil
}

// watch returns req as it is to be sent for a page. The guard closes if it gets a connection
// to the public internet.
func (g *guard) watch(req *http.Request) *http.Request {
	return req.WithContext(httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
		GotConn: func(c httptrace.GotConnInfo) {
			there, err := netip.ParseAddrPort(c.Conn.RemoteAddr().String())
			leadsOut := err == nil && origin.IsPublicAddr(there.Addr())
			if g.isProxied(req) {
				leadsOut = origin.IsPublic(req.URL.Hostname())
			}
			if leadsOut {
				g.closed.Store(true)
			}
		},
	}))
}

// stay is the CheckRedirect for pages and styles. None at a public host leads to a private one.
func stay(req *http.Request, via []*http.Request) error {
	const most = 10
	if len(via) > most {
		return errors.New("too many redirects")
	}
	return public.Redirect(via[len(via)-1].URL, req.URL)
}
