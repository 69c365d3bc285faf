// Package upstream is the way from a proxy of polite to the sites: straight, or through the
// proxy that the user has set by the usual variables of the environment.
package upstream

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/cmd/polite/internal/reach"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/public"
	"golang.org/x/net/http/httpproxy"
)

// A Way leads to the sites.
type Way struct {
	proxyOf func(*url.URL) (*url.URL, error)
	proxies map[string]bool // their addresses, as they are dialled
	via     string
}

// FromEnvironment returns the way that HTTP_PROXY, HTTPS_PROXY and NO_PROXY name.
func FromEnvironment() *Way { return along(httpproxy.FromEnvironment()) }

// Followed returns an error if a proxy of the user would not be gone through.
func Followed() error {
	set := func(name string) bool { return os.Getenv(name)+os.Getenv(strings.ToUpper(name)) != "" }
	if set("all_proxy") && !(set("http_proxy") && set("https_proxy")) {
		return errors.New("polite does not go through the proxy of ALL_PROXY: set HTTP_PROXY and HTTPS_PROXY to it, or take ALL_PROXY out")
	}
	return nil
}

// Straight returns the way that leads through no proxy.
func Straight() *Way { return along(new(httpproxy.Config)) }

func along(c *httpproxy.Config) *Way {
	w := &Way{proxyOf: c.ProxyFunc(), proxies: make(map[string]bool)}
	for _, name := range []string{c.HTTPProxy, c.HTTPSProxy} {
		if address := addressOf(name); address != "" {
			w.proxies[address] = true
			w.via = "polite-" + strings.ToLower(rand.Text()[:10])
		}
	}
	return w
}

// addressOf returns the address at which a proxy of the environment is dialled, in lower case, or
// "" if it is none.
func addressOf(proxy string) string {
	if proxy == "" {
		return ""
	}
	u, err := url.Parse(proxy)
	if err != nil || u.Host == "" {
		if u, err = url.Parse("http://" + proxy); err != nil {
			return ""
		}
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443", "socks5": "1080", "socks5h": "1080"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	return strings.ToLower(net.JoinHostPort(u.Hostname(), port))
}

// Via returns the name by which a request is recognized that another proxy leads back here. It
// is "" if there is no other proxy: then nothing leads back, and sites need not see it.
func (w *Way) Via() string { return w.via }

// Cache returns the Cache for requests along the way. When the run is over, call end. What private sites have
// answered to others is not gone by. If nothing can be kept, it is in memory.
func (w *Way) Cache(ctx context.Context, o cachefile.Options, private verb.Private, tell func(error)) (cache *polite.Cache, end func()) {
	o.Open = w.Open(private)
	cache, end = cachefile.Open(ctx, o, tell)
	if cache.Store == nil {
		cache.Store = robotstxt.NewMemory(robotstxt.Most)
	}
	return cache, end
}

// Open returns what reports whether the site of a URL may be at a private address: a private one, and one to which
// the way leads through a proxy.
func (w *Way) Open(private verb.Private) func(*url.URL) bool {
	return func(u *url.URL) bool { return private.Has(u.Hostname()) || w.Leads(u) }
}

// Transport returns what sends requests along the way. It connects to no site at an address that is not of the
// public internet, but for private ones.
func (w *Way) Transport(private verb.Private) *http.Transport {
	const (
		mostHeader  = 256 << 10 // as package polite has it
		idle        = 1000
		idlePerHost = 64
		window      = 128 << 10 // of HTTP/2: so many octets of an answer wait for a slow program
	)
	open, closed := reach.Dial(nil), reach.Dial(public.Control)
	t := &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) { return w.proxyFor(r.URL, private.Has(r.URL.Hostname())) },
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, _, err := net.SplitHostPort(address)
			if err == nil && private.Has(host) || w.proxies[strings.ToLower(address)] {
				return open(ctx, network, address)
			}
			return closed(ctx, network, address)
		},
		DisableCompression: true, // the program says what it understands
		ForceAttemptHTTP2:  true, MaxResponseHeaderBytes: mostHeader,
		HTTP2:        &http.HTTP2Config{MaxReceiveBufferPerStream: window}, // no bound for all: a slow program would hold up the others of a site
		MaxIdleConns: idle, MaxIdleConnsPerHost: idlePerHost, IdleConnTimeout: 90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second, ExpectContinueTimeout: time.Second,
	}
	if w.via != "" {
		t.ProxyConnectHeader = http.Header{"Via": {"1.1 " + w.via}}
	}
	return t
}

// proxyFor returns the proxy for a site, or nil. It looks at what the dialer cannot see: a proxy
// would look up the name of a private site, and a site may be the proxy itself, which is dialled
// wherever it is.
func (w *Way) proxyFor(u *url.URL, private bool) (*url.URL, error) {
	proxy, err := w.proxyOf(u)
	if err != nil || private {
		return proxy, err
	}
	through := proxy != nil
	if through && !origin.IsPublic(u.Hostname()) || !through && w.isProxy(u) {
		reach.Refuse(u)
		return nil, fmt.Errorf("%s: %w", u.Hostname(), public.ErrPrivate)
	}
	return proxy, nil
}

// Leads reports whether the way to a URL leads through a proxy. Nobody here sees at which address
// the site is then: its name alone tells.
func (w *Way) Leads(u *url.URL) bool {
	proxy, err := w.proxyOf(u)
	return err == nil && proxy != nil
}

// isProxy reports whether a site is at the address of a proxy, however either is spelled.
func (w *Way) isProxy(u *url.URL) bool {
	at, err := origin.OfURL(u)
	return err == nil && w.proxies[net.JoinHostPort(at.Host, strconv.Itoa(int(at.Port)))]
}
