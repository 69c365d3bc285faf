package usage

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/robots"
)

// A Page is what a page says itself, in its headers or its HTML, to one crawler. The
// zero Page says nothing.
type Page struct {
	Statement
	Directives []Directive // of X-Robots-Tag or <meta>, for this crawler or for all
	Licenses   []License
	TDMPolicy  string // the URL of tdm-policy; "" if there is none
}

// IsZero reports whether the page says nothing, and means nothing either: see
// [Statement.Slips].
func (p Page) IsZero() bool {
	for range p.All() {
		return false
	}
	return len(p.slips) == 0 && len(p.Directives) == 0 && len(p.Licenses) == 0 && p.TDMPolicy == ""
}

// UnavailableAfter returns the earliest time after which the page asks search engines not
// to show it. If the page names no such time, ok is false.
func (p Page) UnavailableAfter() (at time.Time, ok bool) {
	for _, d := range p.Directives {
		if d.Name != unavailableAfter {
			continue
		}
		if t, valid := parseDate(d.Value); valid && (!ok || t.Before(at)) {
			at, ok = t, true
		}
	}
	return at, ok
}

// NoIndex reports whether the page asks search engines not to show it: noindex, none, or an
// unavailable_after whose time is over now, by the clock of this machine.
func (p Page) NoIndex() bool {
	at, ok := p.UnavailableAfter()
	return p.has("noindex") || ok && at.Before(time.Now())
}

// NoFollow reports whether the page asks crawlers not to follow its links: nofollow or none.
func (p Page) NoFollow() bool { return p.has("nofollow") }

// has reports whether the page has a directive, or none, which stands for noindex and
// nofollow.
func (p Page) has(name string) bool {
	return slices.ContainsFunc(p.Directives, func(d Directive) bool { return d.Name == name || d.Name == "none" })
}

// And returns what p and other say together, as [Statement.And] does. The TDMPolicy is that
// of other, if it has one.
func (p Page) And(other Page) Page {
	p.Statement = p.Statement.And(other.Statement)
	p.Directives = slices.Concat(p.Directives, other.Directives)
	p.Licenses = slices.Concat(p.Licenses, other.Licenses)
	p.TDMPolicy = cmp.Or(other.TDMPolicy, p.TDMPolicy)
	return p
}

// OfHeader returns what the headers of a response say to a crawler with some product
// tokens. The header may be a [net/http.Header].
func OfHeader(header map[string][]string, agents ...string) Page {
	var p Page
	p.addUsage(joined(header["Content-Usage"]))
	for _, value := range header["Content-Signal"] {
		p.addSignal(value)
	}
	for _, value := range header["Tdm-Reservation"] {
		p.addReservation(value, tdmReservation)
	}
	for _, value := range header["Tdm-Policy"] {
		p.TDMPolicy = strings.TrimSpace(value)
	}
	p.addTags(header, agents)
	for _, value := range header["Link"] {
		p.Licenses = append(p.Licenses, linkedLicenses(value)...)
	}
	return p
}

func (p *Page) addUsage(value string) {
	source, before := Said{Source: contentUsage}, len(p.page)
	for _, m := range parseDictionary(value) {
		p.add(source.of(m))
	}
	p.addSlips(value, source, before)
}

func (p *Page) addSignal(value string) {
	source, before := Said{Source: contentSignal}, len(p.page)
	p.page = slices.AppendSeq(p.page, pairs(value, source))
	p.addSlips(value, source, before)
}

// addSlips adds the slips in a header of which page[from:] was read.
func (p *Page) addSlips(value string, source Said, from int) {
	p.slips = append(p.slips, slipsIn(value, source, func(use Use) bool {
		return slices.ContainsFunc(p.page[from:], func(s Said) bool { return s.Use == use && s.Preference != NotStated })
	})...)
}

// addTags adds what Robots-Tag says. X-Robots-Tag, which it replaces, counts only where there
// is none (draft-illyes-repext-03 §5). A malformed Robots-Tag is none (RFC 9651 §4.2). Only this
// function decides that.
func (p *Page) addTags(header map[string][]string, agents []string) {
	if p.addRobotsTag(joined(header["Robots-Tag"]), agents) {
		return
	}
	for _, value := range header["X-Robots-Tag"] {
		p.addDirectives(tagDirectives(value), agents, "x-robots-tag")
	}
}

// addRobotsTag adds what a Robots-Tag says. It returns false if it is empty or malformed.
func (p *Page) addRobotsTag(value string, agents []string) bool {
	rules, ok := robotsTag(value)
	p.addDirectives(rules, agents, robotsTagSource)
	for _, use := range tagSlips(value) {
		p.slips = append(p.slips, Said{Use: use, Preference: No, Label: clipped(value), Source: robotsTagSource, Slip: true})
	}
	return ok && !isBlank(value)
}

const robotsTagSource = "robots-tag"

// joined returns the lines of a structured field as one (RFC 9651 §4.2).
func joined(values []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(values), isBlank), ", ")
}

func isBlank(s string) bool { return strings.TrimSpace(s) == "" }

func (p *Page) add(s Said) { p.page = append(p.page, s) }

// A Meta is a <meta> element of a page: the values of its name and content.
type Meta struct{ Name, Content string }

// OfMeta returns what the <meta> elements of a page say to a crawler with some product tokens: the
// elements named robots, tdm-reservation, tdm-policy, or named like the crawler. It ignores all other
// elements.
func OfMeta(elements []Meta, agents ...string) Page {
	var p Page
	for _, m := range elements {
		switch name := strings.ToLower(strings.TrimSpace(m.Name)); {
		case name == tdmReservation:
			p.addReservation(m.Content, "meta "+tdmReservation)
		case name == "tdm-policy":
			p.TDMPolicy = strings.TrimSpace(m.Content)
		case name == "robots":
			p.addDirectives(directives("", m.Content), agents, "meta robots")
		case name != "" && isAmong(name, agents):
			p.addDirectives(directives(name, m.Content), agents, "meta "+name)
		}
	}
	return p
}

const tdmReservation = "tdm-reservation"

func (p *Page) addReservation(value, source string) {
	s := Said{Use: TDM, Label: string(TDM), Value: strings.TrimSpace(value), Source: source}
	switch s.Value {
	case "0":
		s.Preference = Yes
	case "1":
		s.Preference = No
	}
	p.add(s)
}

// addDirectives adds the directives for everyone or for one of the agents.
func (p *Page) addDirectives(all []Directive, agents []string, source string) {
	for _, d := range all {
		if d.Agent != "" && !isAmong(d.Agent, agents) {
			continue
		}
		p.Directives = append(p.Directives, d)
		if use, ok := d.forbids(time.Now()); ok {
			p.add(Said{Use: use, Preference: No, Label: d.Name, Value: d.Value, Source: source})
		}
	}
}

func isAmong(name string, agents []string) bool {
	return slices.ContainsFunc(agents, func(agent string) bool { return strings.EqualFold(agent, name) })
}

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

// Reservations are what a /.well-known/tdmrep.json says about the pages of its site (TDM
// Reservation Protocol). The zero Reservations say nothing. They do not change, and are safe
// for concurrent use.
type Reservations struct{ all []reservation }

// A reservation is one rule of the file.
type reservation struct {
	pattern robots.Rules // which pages it is for: as a rule that disallows them
	size    int
	page    Page
}

// mostReservations is how many rules of a file are read. Its other rules say nothing.
const mostReservations = 1000

// ParseReservations reads a tdmrep.json: a JSON array of rules. A rule without a location
// says nothing. It returns an error if body is no such array; then the site does not take part
// in the protocol.
func ParseReservations(body []byte) (Reservations, error) {
	var written []struct {
		Location    string `json:"location"`
		Reservation any    `json:"tdm-reservation"`
		Policy      any    `json:"tdm-policy"`
	}
	if err := json.Unmarshal(body, &written); err != nil {
		return Reservations{}, fmt.Errorf("usage: tdmrep.json: %w", err)
	}
	var r Reservations
	for _, w := range written[:min(len(written), mostReservations)] {
		if w.Location == "" || strings.ContainsAny(w.Location, "\r\n#") {
			continue
		}
		rule := reservation{}
		rule.page.addReservation(fmt.Sprint(w.Reservation), "tdmrep.json")
		if policy, ok := w.Policy.(string); ok {
			rule.page.TDMPolicy = policy
		}
		file := robots.Parse([]byte("user-agent: *\ndisallow: " + w.Location))
		rule.pattern, rule.size = file.Rules(), file.Size()+len(rule.page.TDMPolicy)
		r.all = append(r.all, rule)
	}
	return r, nil
}

// Of returns what the file says about target: a URL, or its path with the query. The first
// location that matches counts. A location matches as the pattern of a rule does.
func (r Reservations) Of(target string) Page {
	for _, rule := range r.all {
		if _, matches := rule.pattern.Match(target); matches {
			return rule.page
		}
	}
	return Page{}
}

// Size returns about how many bytes of memory the Reservations take.
func (r Reservations) Size() (size int) {
	for _, rule := range r.all {
		size += rule.size
	}
	return size
}
