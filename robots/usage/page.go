package usage

import (
	"cmp"
	"slices"
	"strings"
	"time"
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
	if values := header["Content-Usage"]; len(values) > 0 {
		p.addUsage(joined(values))
	}
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
