package usage

import (
	"slices"
	"strings"

	"github.com/go-polite/polite/robots"
)

// A License is a document that says under which terms pages may be used. Package usage
// does not fetch it.
type License struct {
	URL  string // as written; a URL of a header may be relative to the page
	Type string // the media type that a Link header gives: application/rsl+xml for RSL
	Line int    // of robots.txt, from 1; 0 if a page says it
}

// Licenses returns the licences that a robots.txt names. They are for all crawlers,
// whichever group they stand in (RSL 1.0).
func Licenses(f *robots.File) (licenses []License) {
	for r := range f.Records() {
		if strings.EqualFold(r.Key, "license") && r.Value != "" {
			licenses = append(licenses, License{URL: r.Value, Line: r.Line})
		}
	}
	return licenses
}

// linkedLicenses returns the links of a Link header that lead to a licence of the page
// (RFC 8288 §3). A link with an anchor is one of something else (§3.2). Where the header is
// malformed, linkedLicenses stops.
func linkedLicenses(value string) (licenses []License) {
	p := parser{rest: value}
	for {
		p.skip(" \t,")
		if !p.next('<') {
			return licenses
		}
		url := p.while(func(c byte) bool { return c != '>' })
		if !p.next('>') {
			return licenses
		}
		given := p.linkParameters()
		if given["anchor"] == "" && slices.ContainsFunc(strings.Fields(given["rel"]), isLicense) {
			licenses = append(licenses, License{URL: strings.TrimSpace(url), Type: given["type"]})
		}
	}
}

func isLicense(relation string) bool { return strings.EqualFold(relation, "license") }

// linkParameters reads the parameters of a link. If several have the same name, the first counts.
func (p *parser) linkParameters() map[string]string {
	given := make(map[string]string)
	for {
		p.skip(" \t")
		if !p.next(';') {
			return given
		}
		p.skip(" \t")
		name := strings.ToLower(p.while(func(c byte) bool { return strings.IndexByte(" \t=;,", c) < 0 }))
		value := ""
		if p.skip(" \t"); p.next('=') {
			p.skip(" \t")
			value = p.linkValue()
		}
		if _, again := given[name]; !again {
			given[name] = value
		}
	}
}

// linkValue reads the value of a parameter, which may be in quotes.
func (p *parser) linkValue() string {
	if !p.next('"') {
		return p.while(func(c byte) bool { return strings.IndexByte(" \t;,", c) < 0 })
	}
	var value strings.Builder
	for p.rest != "" && !p.next('"') {
		p.next('\\')
		if p.rest != "" {
			value.WriteByte(p.rest[0])
			p.rest = p.rest[1:]
		}
	}
	return value.String()
}
