package usage

import (
	"strings"
	"time"

	"github.com/go-polite/polite/robots"
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
