package usage

import (
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// A Directive is one instruction of an X-Robots-Tag header or a <meta> element, such as
// noindex, noai or max-snippet:20. Package usage also keeps directives that it does not
// know.
type Directive struct {
	Agent string // the product token of the crawler that it is for; "" for all
	Name  string // in lower case
	Value string // as written; "" if there is none
}

// String returns the directive as in a header, such as "otherbot: max-snippet: 20".
func (d Directive) String() string {
	text := d.Name
	if d.Value != "" {
		text += ": " + d.Value
	}
	if d.Agent != "" {
		text = d.Agent + ": " + text
	}
	return text
}

// forbids are the directives that say no to a use.
var forbids = map[string]Use{"noindex": Search, "none": Search, "noai": TrainAI}

// forbids returns the use to which d says no at a time. What is to be unavailable after an earlier
// time is noindex then.
func (d Directive) forbids(now time.Time) (use Use, ok bool) {
	if d.Name == unavailableAfter {
		at, dated := parseDate(d.Value)
		return Search, dated && at.Before(now)
	}
	use, ok = forbids[d.Name]
	return use, ok
}

const unavailableAfter = "unavailable_after"

// hasValue reports whether a directive takes a value. If so, the word before the colon is
// not the name of a crawler.
func hasValue(name string) bool {
	return name == unavailableAfter || strings.HasPrefix(name, "max-")
}

// tagDirectives returns the directives of an X-Robots-Tag. The name of a crawler, with a
// colon, may precede any of them. It applies to all directives after it, up to the next
// name or the end of the line.
func tagDirectives(value string) (found []Directive) {
	agent := ""
	for rest := value; rest != ""; {
		if end := strings.IndexAny(rest, ",:"); end >= 0 && rest[end] == ':' {
			name := strings.TrimSpace(rest[:end])
			if robots.IsProductToken(name) && !hasValue(strings.ToLower(name)) {
				agent, rest = name, rest[end+1:]
				continue
			}
		}
		var d Directive
		if d, rest = cutDirective(rest); d.Name != "" {
			d.Agent = agent
			found = append(found, d)
		}
	}
	return found
}

// directives returns the directives in the content of a <meta> element.
func directives(agent, content string) (found []Directive) {
	for content != "" {
		var d Directive
		if d, content = cutDirective(content); d.Name != "" {
			d.Agent = agent
			found = append(found, d)
		}
	}
	return found
}

// cutDirective returns the first directive of a list, and the rest. A date may have a
// comma of its own.
func cutDirective(list string) (d Directive, rest string) {
	first, rest, _ := strings.Cut(list, ",")
	name, value, _ := strings.Cut(first, ":")
	d.Name, d.Value = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(value)
	if d.Name != unavailableAfter {
		return d, rest
	}
	if _, ok := parseDate(d.Value); !ok {
		more, after, _ := strings.Cut(rest, ",")
		if whole := d.Value + ", " + strings.TrimSpace(more); isDate(whole) {
			return Directive{Name: d.Name, Value: whole}, after
		}
	}
	return d, rest
}

func isDate(text string) bool {
	_, ok := parseDate(text)
	return ok
}

// longestTag is how much of a Robots-Tag is read. The draft wants at least 8 KiB.
const longestTag = 64 << 10

// robotsTag returns the directives in a Robots-Tag: a list of product tokens, whose parameters are the
// rules for it. If a header is too long, the whole members at its beginning count
// (draft-illyes-repext-03 §3.1.1). If it is malformed, ok is false.
func robotsTag(value string) (found []Directive, ok bool) {
	cut := len(value) > longestTag
	wellFormed := eachTag(value[:min(len(value), longestTag)], func(agent string, rules []Directive, last bool) {
		if !cut || !last {
			found = append(found, rules...)
		}
	})
	if !wellFormed && !cut {
		return nil, false
	}
	return found, true
}

// eachTag visits the members of a list that are items (RFC 9651 §4.2.1), with the rules
// for each. Last says that no comma follows. It returns false where value is malformed.
func eachTag(value string, visit func(agent string, rules []Directive, last bool)) bool {
	p := parser{rest: strings.Trim(value, " "), fold: true}
	for p.rest != "" {
		agent, rules, ok := p.tag()
		if p.skip(" \t"); !ok {
			return false
		}
		last := p.rest == ""
		if !last && !p.next(',') {
			return false
		}
		visit(agent, rules, last)
		if p.skip(" \t"); !last && p.rest == "" {
			return false // a comma at the end
		}
	}
	return true
}

// tag reads a member of a Robots-Tag. The agent of a member that is no token and no string
// is ""; it has no rules.
func (p *parser) tag() (agent string, rules []Directive, ok bool) {
	from := p.rest
	if strings.HasPrefix(from, "(") {
		return "", nil, p.innerList() && p.parameters()
	}
	token, ok := p.bareItem()
	if !ok {
		return "", nil, false
	}
	written := from[:len(from)-len(p.rest)]
	if token || strings.HasPrefix(written, `"`) {
		agent = unquoted(written)
	}
	ok = p.eachParameter(func(key, value string) {
		rules = slices.DeleteFunc(rules, func(d Directive) bool { return strings.EqualFold(d.Name, key) }) // the last counts (§4.2.3.2)
		if agent != "" && value != "?0" {
			rules = append(rules, Directive{Agent: strings.TrimPrefix(agent, "*"), Name: strings.ToLower(key), Value: ruleValue(value)})
		}
	})
	return agent, rules, ok
}

// ruleValue returns the value of a rule. That of a rule without one is true.
func ruleValue(written string) string {
	if written == "?1" {
		return ""
	}
	return unquoted(written)
}

// unquoted returns the text of a string, or any other item as written.
func unquoted(item string) string {
	if !strings.HasPrefix(item, `"`) {
		return item
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(strings.Trim(item, `"`))
}

// tagSlips returns the uses to which a Robots-Tag means to say no, but says it as in
// X-Robots-Tag: "noindex" is a product token there.
func tagSlips(value string) (uses []Use) {
	eachTag(value[:min(len(value), longestTag)], func(agent string, rules []Directive, _ bool) {
		if use, ok := forbids[strings.ToLower(agent)]; ok && len(rules) == 0 && !slices.Contains(uses, use) {
			uses = append(uses, use)
		}
	})
	return uses
}

// parseDate reads a date in one of the forms that Google names for unavailable_after: of
// RFC 822 and RFC 850, with or without the weekday, and of ISO 8601. A date without a
// zone is in UTC, and one without a time is the beginning of that day.
func parseDate(text string) (time.Time, bool) {
	if len(text) > 64 {
		return time.Time{}, false
	}
	if weekday, date, _ := strings.Cut(text, ","); isLetters(weekday) {
		text = strings.TrimSpace(date)
	}
	text = withOffset(text)
	for _, layout := range dateLayouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

var dateLayouts = []string{
	"2006-01-02", time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04Z07:00", "2006-01-02T15:04",
	"2006-01-02T15:04:05-0700", "2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05",
	"2 Jan 2006 15:04:05 -0700", "2 Jan 2006 15:04 -0700", "2 Jan 2006 15:04:05", "2 Jan 2006 15:04", "2 Jan 2006",
	"2 Jan 06 15:04:05 -0700", "2 Jan 06 15:04 -0700",
	"2-Jan-06 15:04:05 -0700", "2-Jan-2006 15:04:05 -0700",
}

// withOffset returns a date with the zone at its end as a number. Package time knows only
// the names of the local zone.
func withOffset(date string) string {
	i := strings.LastIndexByte(date, ' ')
	if offset, ok := zones[strings.ToUpper(date[i+1:])]; ok {
		return date[:i+1] + offset
	}
	return date
}

// zones are the zones of RFC 822 §5.1.
var zones = map[string]string{
	"UT": "+0000", "GMT": "+0000", "UTC": "+0000", "Z": "+0000", "EST": "-0500", "EDT": "-0400", "CST": "-0600",
	"CDT": "-0500", "MST": "-0700", "MDT": "-0600", "PST": "-0800", "PDT": "-0700",
}

func isLetters(s string) bool { return s != "" && syntax.TokenEnd(s, isLetter) == len(s) }
