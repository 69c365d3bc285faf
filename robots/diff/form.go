package diff

import (
	"strings"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// A form is a pattern as octets of a path and "*". It matches whole paths: at its end
// stands "*", unless the pattern was anchored.
type form string

// everything is the form of a rule that matches all paths. It stands for no rule.
const everything form = "/*"

// literal returns the text before the first wildcard.
func (f form) literal() string {
	before, _, _ := strings.Cut(string(f), "*")
	return before
}

// isPrefix reports whether the only wildcard is at the end.
func (f form) isPrefix() bool { return strings.IndexByte(string(f), '*') == len(f)-1 }

// mostForms bounds the forms of a pattern.
const mostForms = 16

// formsOf returns the forms of a rule: a path matches the rule if it matches one of them.
// There is none if no path can match. If there are too many, all is false.
func formsOf(r robots.Rule) (forms []form, all bool) {
	pattern := string(syntax.AppendNormal(nil, r.Pattern, true))
	if anchored := strings.HasSuffix(r.Pattern, "$"); anchored {
		pattern = pattern[:len(pattern)-1]
	} else {
		pattern += "*"
	}
	pattern = syntax.OneStar(pattern)
	var starts []string
	switch {
	case strings.HasPrefix(pattern, "/"):
		starts = []string{pattern}
	case strings.HasPrefix(pattern, "*/"): // the wildcard may match nothing
		starts = []string{"/" + pattern, pattern[1:]}
	case strings.HasPrefix(pattern, "*"):
		starts = []string{"/" + pattern}
	}
	for _, start := range starts {
		forms = append(forms, form(start))
		forms = append(forms, inQuery(start)...)
	}
	return forms[:min(len(forms), mostForms)], len(forms) <= mostForms
}

// inQuery returns the forms of a pattern in which a wildcard matches the "?" of a path,
// and the text after it is as in a query.
func inQuery(pattern string) (forms []form) {
	last := -1 // where an octet begins that is written otherwise in a query
	for _, octet := range []string{"%3A", "%2F", "%3F", "%40"} {
		last = max(last, strings.LastIndex(pattern, octet))
	}
	for i := 0; i < last && pattern[i] != '?' && len(forms) <= mostForms; i++ {
		if pattern[i] == '*' {
			forms = append(forms, form(pattern[:i]+"*?"+string(syntax.AppendDecoded(nil, pattern[i:]))))
		}
	}
	return forms
}
