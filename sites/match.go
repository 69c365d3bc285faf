package sites

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/go-polite/polite/internal/origin"
)

// A match says which sites an entry is for.
type match struct {
	named
	origin origin.Origin // if it is one
	text   string        // as it is written, in its one spelling
}

// A named is what a match is for that is no origin.
type named struct {
	kind kind
	name string // of a host; of a domain, without its "." or "*."; a pattern
}

type kind int

const (
	anOrigin kind = iota
	aHost
	aDomain // and all below it
	below   // all below a domain
	aPattern
	everything
)

// longestName is the longest name that DNS can have. It bounds the time of a look-up.
const longestName = 253

// parseMatch reads the Match of an entry.
func parseMatch(s string) (match, error) {
	rest, isBelow := strings.CutPrefix(s, "*.")
	switch {
	case s == "*":
		return match{named: named{kind: everything}, text: s}, nil
	case strings.Contains(s, "="):
		return match{}, fmt.Errorf("%.60q is a setting, where a site is expected: write, as in example.com %.60s", s, s)
	case strings.Contains(s, "://"):
		return parseOrigin(s)
	case isBelow && !strings.Contains(rest, "*"):
		return parseDomain("*.", rest, below)
	case strings.Contains(s, "*"):
		return parsePattern(s)
	case strings.HasPrefix(s, "."):
		return parseDomain(".", s[1:], aDomain)
	default:
		host, err := parseHost(s)
		return match{named: named{aHost, host}, text: bracketed(host)}, err
	}
}

func parseOrigin(s string) (match, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil || !origin.IsHTTP(u):
		return match{}, fmt.Errorf("%.60q is no origin: write it as in https://example.com", s)
	case u.User != nil || u.Opaque != "" || u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(s, "#"):
		return match{}, fmt.Errorf("%.60q is more than an origin: write only scheme, host and port, as in https://example.com:8443", s)
	case strings.Contains(u.Host, "*"):
		return match{}, fmt.Errorf("%.60q has a scheme and a *: write one of them", s)
	}
	o, err := origin.OfURL(u)
	if err != nil {
		return match{}, noHost(u.Host)
	}
	o.Host = withoutDot(o.Host)
	return match{named: named{kind: anOrigin}, origin: o, text: o.String()}, vetName(o.Host)
}

func parseDomain(front, name string, kind kind) (match, error) {
	host, err := parseHost(name)
	if last := host[strings.LastIndexByte(host, '.')+1:]; err == nil && ('0' <= last[0] && last[0] <= '9' || strings.Contains(host, ":")) {
		err = fmt.Errorf("%.60q is a part of an address: write the whole address, or a pattern as in 192.0.2.*", front+name)
	}
	return match{named: named{kind, host}, text: front + host}, err
}

// parsePattern reads a pattern with a * elsewhere than in front of a domain.
func parsePattern(s string) (match, error) {
	s = withoutDot(strings.ToLower(s))
	switch {
	case len(s) > longestName:
		return match{}, fmt.Errorf("%.60q is longer than a name can be: write a shorter one", s)
	case strings.Contains(s, "**"):
		return match{}, fmt.Errorf("%.60q has two * side by side: write one", s)
	case strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }):
		return match{}, fmt.Errorf("%.60q has letters beyond ASCII beside a *: write the name in Punycode, as in *.xn--exmple-cua.com", s)
	case strings.ContainsFunc(s, func(r rune) bool { return r != '*' && !inName(r) }):
		return match{}, noHost(s)
	}
	return match{named: named{aPattern, s}, text: s}, nil
}

// parseHost reads the name or the address of a host.
func parseHost(s string) (host string, err error) {
	authority := s
	switch address, err := netip.ParseAddr(s); {
	case err == nil && address.Is6():
		authority = bracketed(s)
	case strings.Contains(s, "/"):
		return "", fmt.Errorf("%.60q has a path: a line is for all of a host, as in example.com", s)
	case strings.Contains(s, ":") && !strings.HasSuffix(s, "]"):
		return "", fmt.Errorf("%.60q has a port, and so needs a scheme: write it as in https://example.com:8443", s)
	}
	o, err := origin.OfURL(&url.URL{Scheme: "http", Host: authority})
	if err != nil {
		return "", noHost(s)
	}
	host = withoutDot(o.Host)
	return host, vetName(host)
}

// vetName returns an error if a host, in its one spelling, cannot be looked up.
func vetName(host string) error {
	switch {
	case strings.Contains(host, ":"): // an address
		return nil
	case host == "" || strings.HasPrefix(host, ".") || strings.HasSuffix(host, ".") || strings.Contains(host, ".."):
		return fmt.Errorf("%.60q has a part without letters: write a name as in example.com", host)
	case strings.ContainsFunc(host, func(r rune) bool { return !inName(r) }):
		return noHost(host)
	case len(host) > longestName:
		return errors.New("the name is longer than a name can be: write a shorter one")
	}
	return nil
}

func inName(r rune) bool {
	return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("-._", r)
}

func noHost(s string) error {
	return fmt.Errorf("%.60q is no host: write a name or an address, as in example.com, 192.0.2.1 or [2001:db8::1]", s)
}

// withoutDot returns a name without the dot that may end it.
func withoutDot(host string) string { return strings.TrimSuffix(host, ".") }

// bracketed returns a host as a URL has it.
func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// matches reports whether pattern, in which a * stands for any characters, matches host.
// It looks at each character of host once.
func matches(pattern, host string) bool {
	head, rest, star := strings.Cut(pattern, "*")
	if !strings.HasPrefix(host, head) {
		return false
	}
	host = host[len(head):]
	for star {
		var part string
		if part, rest, star = strings.Cut(rest, "*"); !star {
			return strings.HasSuffix(host, part)
		}
		at := strings.Index(host, part)
		if at < 0 {
			return false
		}
		host = host[at+len(part):]
	}
	return host == ""
}
