package serving

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/origin"
	"golang.org/x/net/publicsuffix"
)

// A Site is how a site serves its robots.txt.
type Site struct {
	Answer          // of the origin that was asked about
	Others []Answer // of the other origins of the site, in the order of [Origins]
	Probes []Probe  // none if the origin was unreachable
}

// Browser returns polite's User-Agent as browsers and many crawlers write theirs. Some sites
// answer it otherwise.
func Browser() string {
	product, _, _ := strings.Cut(verb.UserAgent(), " ")
	return "Mozilla/5.0 (compatible; " + product + "; +" + verb.Home + ")"
}

// probeTime is how long all probes of a URL may take.
const probeTime = 10 * time.Second

// Look asks all origins of a site at once, see [Origins], and the origin of u also with HEAD
// and in the name of each User-Agent, once in the life of a. The error is that of [Asker.Ask] for u.
func (a *Asker) Look(ctx context.Context, u *url.URL, userAgents ...string) (Site, error) {
	origins := Origins(u)
	site := Site{Others: make([]Answer, len(origins)-1)}
	var asking sync.WaitGroup
	for i, other := range origins[1:] {
		asking.Go(func() { site.Others[i], _ = a.Ask(ctx, other) })
	}
	var err error
	if site.Answer, err = a.Ask(ctx, u); err == nil && site.Reason != polite.ReasonUnreachable {
		site.Probes = a.probes(ctx, site.RobotsURL, userAgents)
	}
	asking.Wait()
	if ctx.Err() != nil {
		return site, context.Cause(ctx)
	}
	return site, err
}

// probes returns what came back from a URL when it was first asked.
func (a *Asker) probes(ctx context.Context, at string, userAgents []string) []Probe {
	a.mu.Lock()
	if a.probed[at] == nil {
		a.probed[at] = sync.OnceValue(func() []Probe { return a.probeAll(ctx, at, userAgents) })
	}
	probes := a.probed[at]
	a.mu.Unlock()
	return probes()
}

// probeAll asks one after the other, as the site wants it.
func (a *Asker) probeAll(ctx context.Context, at string, userAgents []string) []Probe {
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	all := []Probe{a.probe(ctx, http.MethodHead, verb.UserAgent(), at)}
	for _, userAgent := range userAgents {
		all = append(all, a.probe(ctx, http.MethodGet, userAgent, at))
	}
	return all
}

// first returns what the origin answered before any redirect.
func (s Site) first() (status int, body []byte) {
	switch {
	case len(s.Hops) > 0:
		return http.StatusFound, nil // or another redirect
	case s.Text != nil:
		return s.Status, s.Text.Body
	default:
		return s.Status, nil
	}
}

// said returns what came back for an origin, as the end of a sentence about its robots.txt.
func said(a Answer) string { return report.Answer(a.Decision) }

// Origins returns the origins at which people expect the site of u: http and https, and with
// www or without. Each has a robots.txt of its own (RFC 9309 §2.3). That of u is the first.
// With a port of its own, at an IP address or at a host like localhost, u is alone.
func Origins(u *url.URL) []*url.URL {
	if o, err := origin.OfURL(u); err == nil {
		u = o.RobotsURL() // its host has one spelling there
	}
	all := []*url.URL{{Scheme: u.Scheme, Host: u.Host}}
	if u.Port() != "" || !isOfInternet(u.Hostname()) {
		return all
	}
	for _, host := range hosts(u.Host) {
		for _, scheme := range []string{"https", "http"} {
			if scheme != u.Scheme || host != u.Host {
				all = append(all, &url.URL{Scheme: scheme, Host: host})
			}
		}
	}
	return all
}

// isOfInternet reports whether a host is a name with a domain.
func isOfInternet(host string) bool {
	_, err := netip.ParseAddr(host)
	return err != nil && strings.Contains(strings.Trim(host, "."), ".")
}

// hosts returns a host and, if it is a registered domain or the www of one, the other of both.
func hosts(host string) []string {
	domain, err := publicsuffix.EffectiveTLDPlusOne(host)
	switch {
	case err == nil && host == domain:
		return []string{host, "www." + host}
	case err == nil && host == "www."+domain:
		return []string{host, domain}
	default:
		return []string{host}
	}
}

// isSameSite reports whether two hosts belong to one registered domain.
func isSameSite(a, b string) bool {
	domainA, errA := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(a))
	domainB, errB := publicsuffix.EffectiveTLDPlusOne(strings.ToLower(b))
	return strings.EqualFold(a, b) || errA == nil && errB == nil && domainA == domainB
}
