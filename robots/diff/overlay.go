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

// An overlay lays two forms over each other: it writes the paths that both match. Where a
// wildcard of both is, it writes the filler.
type overlay struct {
	a, b   form
	filler string
	fits   []bool // by cell: whether the rest of a and the rest of b have a path in common
	path   []byte
	yield  func(path []byte) bool // returns false to end the overlay
}

// cells returns the size of an overlay, which is also its cost.
func cells(a, b form) int { return (len(a) + 1) * (len(b) + 1) }

// overlays calls yield with the paths that two forms have in common.
func overlays(a, b form, filler string, yield func(path []byte) bool) {
	o := overlay{a: a, b: b, filler: filler, fits: make([]bool, cells(a, b)), yield: yield}
	for i := len(a); i >= 0; i-- {
		for j := len(b); j >= 0; j-- {
			o.fits[o.cell(i, j)] = o.fit(i, j)
		}
	}
	o.lay(0, 0)
}

func (o *overlay) cell(i, j int) int { return i*(len(o.b)+1) + j }

func (o *overlay) isStar(i, j int) (a, b bool) {
	return i < len(o.a) && o.a[i] == '*', j < len(o.b) && o.b[j] == '*'
}

// fit reports whether a from i on and b from j on have a path in common. It needs the
// cells after this one.
func (o *overlay) fit(i, j int) bool {
	starA, starB := o.isStar(i, j)
	endA, endB := i == len(o.a), j == len(o.b)
	switch {
	case endA && endB:
		return true
	case starA && o.fits[o.cell(i+1, j)], starB && o.fits[o.cell(i, j+1)]:
		return true
	case starA:
		return !endB && o.fits[o.cell(i, j+1)]
	case starB:
		return !endA && o.fits[o.cell(i+1, j)]
	default:
		return !endA && !endB && o.a[i] == o.b[j] && o.fits[o.cell(i+1, j+1)]
	}
}

// lay goes on with a from i on, and with b from j on. It returns false if yield does.
func (o *overlay) lay(i, j int) bool {
	if !o.fits[o.cell(i, j)] {
		return true
	}
	if i == len(o.a) && j == len(o.b) {
		return o.yield(o.path)
	}
	starA, starB := o.isStar(i, j)
	before := len(o.path)
	defer func() { o.path = o.path[:before] }()
	switch {
	case starA && starB:
		o.path = append(o.path, o.filler...)
		return o.lay(i+1, j) && o.lay(i, j+1)
	case starA:
		return o.lay(i+1, j) && o.under(o.b[j:], i, j+1)
	case starB:
		return o.lay(i, j+1) && o.under(o.a[i:], i+1, j)
	default:
		o.path = append(o.path, o.a[i])
		return o.lay(i+1, j+1)
	}
}

// under writes the first octet of rest, which the wildcard of the other form matches.
func (o *overlay) under(rest form, i, j int) bool {
	if rest == "" {
		return true
	}
	o.path = append(o.path, rest[0])
	return o.lay(i, j)
}

// fillers are what may stand for a wildcard, the nicest first. None of them is a
// hexadecimal digit, which might complete a percent-encoded octet.
const fillers = "xzqjkwvyuhgmnoprstilXZQJKWVYUHGMNOPRSTIL~-._!'(),;@&=+:"

// fillerFor returns a filler that only wildcards match: no literal of a form matches a
// part of it. If there is no such filler, all is false.
func fillerFor(forms ...[]form) (filler string, all bool) {
	var used, atEdge [256]bool
	var run [256]int // the longest run of an octet
	for _, some := range forms {
		for _, f := range some {
			for literal := range strings.SplitSeq(string(f), "*") {
				note(literal, &used, &atEdge, &run)
			}
		}
	}
	for _, c := range []byte(fillers) {
		if !used[c] {
			return string(c), true
		}
	}
	for _, c := range []byte(fillers) {
		if !atEdge[c] && run[c] < 8 {
			return strings.Repeat(string(c), run[c]+1), true
		}
	}
	return "xqzjxqzj", false
}

// note notes which octets a literal has.
func note(literal string, used, atEdge *[256]bool, run *[256]int) {
	length := 0
	for i := range len(literal) {
		c := literal[i]
		used[c] = true
		if length++; i == 0 || literal[i-1] != c {
			length = 1
		}
		run[c] = max(run[c], length)
	}
	if literal != "" {
		atEdge[literal[0]], atEdge[literal[len(literal)-1]] = true, true
	}
}
