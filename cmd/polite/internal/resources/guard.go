package resources

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"

	"github.com/go-polite/polite/cmd/polite/internal/reach"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/public"
)

// A guard is a RoundTripper that keeps to the public internet, once a page has come from
// there. So a page in the public internet cannot have a private network asked. A page in a
// private network can.
type guard struct {
	any     *http.Transport
	outside *http.Transport // connects to public addresses alone
	closed  atomic.Bool
}

func newGuard(base *http.Transport) *guard {
	outside := base.Clone()
	outside.DialContext = reach.Dial(public.Control)
	outside.DialTLSContext = nil
	return &guard{any: base, outside: outside}
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
			if g.leadsOut(req, c.Conn.RemoteAddr()) {
				g.closed.Store(true)
			}
		},
	}))
}

// leadsOut reports whether a request goes to the public internet over a connection to there.
func (g *guard) leadsOut(req *http.Request, there net.Addr) bool {
	if g.isProxied(req) {
		return origin.IsPublic(req.URL.Hostname())
	}
	addr, err := netip.ParseAddrPort(there.String())
	return err == nil && origin.IsPublicAddr(addr.Addr())
}

// stay is the CheckRedirect for pages and styles. None at a public host leads to a private one.
func stay(req *http.Request, via []*http.Request) error {
	const most = 10
	if len(via) > most {
		return errors.New("too many redirects")
	}
	return public.Redirect(via[len(via)-1].URL, req.URL)
}
