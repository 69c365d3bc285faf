package serving

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/go-polite/polite/internal/origin"
	"golang.org/x/net/publicsuffix"
)

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
