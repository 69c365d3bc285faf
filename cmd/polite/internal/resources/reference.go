package resources

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/go-polite/polite/internal/origin"
)

// add adds what a reference leads to, as the page or the style at base has it.
func (p *Page) add(base *url.URL, reference string, kind Kind, from string) {
	reference = trimmed(reference)
	switch {
	case reference == "" || reference[0] == '#':
		return // the page itself
	case p.isFull():
		p.Left++
		return
	}
	p.looked++
	u, ok := resolve(base, reference)
	if !ok {
		p.Broken++
	} else if u != nil {
		p.list(Resource{u, kind, from})
	}
}

// list lists a resource, unless it is known, or there is no room.
func (p *Page) list(r Resource) {
	text := r.URL.String()
	o, err := origin.OfURL(r.URL)
	switch {
	case err != nil || len(text) > maxURL:
		p.Broken++
	case p.known[text]:
	case len(p.origins) == MostOrigins && !p.origins[o.String()]:
		p.Left++
	default:
		p.known[text], p.origins[o.String()] = true, true
		p.Resources = append(p.Resources, r)
	}
}

// resolve returns what a reference leads to. It returns nil if nobody is asked for that, as
// with data: and javascript:. If the reference is no URL, ok is false.
func resolve(base *url.URL, reference string) (u *url.URL, ok bool) {
	if scheme, _, found := strings.Cut(reference, ":"); found && schemes.MatchString(scheme) && !isHTTP(scheme) {
		return nil, true
	}
	if len(reference) > maxURL {
		return nil, false
	}
	u, err := base.Parse(reference)
	if err != nil || u.Host == "" || !isHTTP(u.Scheme) {
		return nil, false
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	return u, true
}

func isHTTP(scheme string) bool {
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
}

// schemes matches what has the form of a scheme (RFC 3986 §3.1).
var schemes = regexp.MustCompile("^[A-Za-z][A-Za-z0-9+.-]*$")

// trimmed returns a reference as browsers read it: without the spaces around it, and without
// tabs and line ends.
func trimmed(reference string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, strings.Trim(reference, " \t\r\n\f"))
}
