package robots

import (
	"slices"
	"strings"
)

// A doubt is a finding on a rule that another one may settle, and so has to wait
// for all of them.
type doubt struct {
	check   check
	line    uint32
	column  int
	message string
}

// doubt is say for a finding that another rule may settle.
func (l *linter) doubt(c check, part []byte, message string) {
	l.doubts = append(l.doubts, doubt{c, l.line, l.column(part), message})
}

// checkDoubts reports what no rule settles.
func (l *linter) checkDoubts(f *File) {
	if len(l.doubts) == 0 {
		return
	}
	allows, disallows := divide(l.rules)
	place := 0
	for _, d := range l.doubts {
		for l.rules[place].line() < d.line {
			place++
		}
		r, others := l.rules[place], allows
		if r.allow() {
			others = disallows
		}
		if !l.isSettled(f, d.check, r, others) {
			l.report(d.check, int(d.line), d.column, d.message)
		}
	}
}

// isSettled reports whether another rule makes a finding on r pointless, or may.
// The others are all of the file that say the opposite.
func (l *linter) isSettled(f *File, c check, r rule, others []rule) bool {
	pattern := f.str(r.pattern())
	switch c {
	case trailingStar, repeatedStar:
		return l.lengthDecides(f, r, needless(pattern), others)
	case encodedPlain, rawOctet:
		return l.inGroup(r, func(o rule) bool {
			return o.allow() == r.allow() && f.str(o.pattern()) == pattern && l.written(o) != l.written(r)
		})
	case indexPage:
		folder := pattern[:strings.LastIndexByte(pattern, '/')+1] + "$"
		return l.inGroup(r, func(o rule) bool { return o.allow() && f.str(o.pattern()) == folder })
	case assetsDisallowed:
		return l.inGroup(r, f.isForAll)
	}
	return false
}

// lengthDecides reports whether r might lose to one of others if its pattern were
// shorter by n octets.
func (l *linter) lengthDecides(f *File, r rule, n int, others []rule) bool {
	if len(others) > 0 && !l.spend(8*len(others)) {
		return true
	}
	shorter := r - rule(n)<<sizeShift
	return slices.ContainsFunc(others, func(o rule) bool { return shorter < o && o < r && f.mayMeet(o, r) })
}

// needless returns the number of octets that a pattern could do without: all but
// one of the stars that stand together, or else those of a "*" or "*$" at its end.
func needless(pattern string) int {
	n := 0
	for i := 1; i < len(pattern); i++ {
		if pattern[i-1] == '*' && pattern[i] == '*' {
			n++
		}
	}
	if n > 0 {
		return n
	}
	return len(pattern) - len(strings.TrimSuffix(strings.TrimSuffix(pattern, "$"), "*"))
}

// inGroup reports whether a rule in the group of r is as asked for, or there is no
// effort left to find out.
func (l *linter) inGroup(r rule, is func(rule) bool) bool {
	group := l.groups[l.groupOf(r)]
	rules := l.rules[group.first:group.end]
	return !l.spend(8*len(rules)) || slices.ContainsFunc(rules, is)
}

// written returns the pattern of r as the file has it.
func (l *linter) written(r rule) string {
	if i, ok := l.spellingOf(r); ok {
		return l.spellings[i].text
	}
	return view(l.text[r.pattern().at:][:r.pattern().size])
}
