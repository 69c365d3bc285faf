package diff

import (
	"slices"
	"strings"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// A side is the rules of one of the two files.
type side struct {
	rules   robots.Rules
	wild    int     // how many forms have a wildcard that is not their end
	forms   []form  // of all rules
	entries []entry // by their literals
	lengths []int   // of the literals, from the shortest
	all     bool    // no form was left out
}

// An entry is a form of a rule.
type entry struct {
	literal string // of the form
	form    form
	allow   bool
	changed bool // the other file has no such rule
}

// A content is what two rules of different files have in common if they are the same.
type content struct {
	pattern string // in normal form, with "$" if it is anchored
	allow   bool
}

func contentOf(r robots.Rule) content {
	pattern := string(syntax.AppendNormal(nil, r.Pattern, true))
	if strings.HasSuffix(pattern, "$") && !strings.HasSuffix(r.Pattern, "$") {
		pattern = strings.TrimSuffix(pattern, "$") + "%24"
	}
	return content{pattern, r.Allow}
}

func contents(r robots.Rules) map[content]robots.Rule {
	all := make(map[content]robots.Rule)
	for rule := range r.All() {
		if c := contentOf(rule); all[c] == (robots.Rule{}) {
			all[c] = rule
		}
	}
	return all
}

// sideOf returns the side of rules, whose contents are own. The other side has those of
// other.
func sideOf(rules robots.Rules, own, other map[content]robots.Rule) *side {
	s := &side{rules: rules, all: true}
	s.add(everything, true, false) // allowed if no rule matches
	for c, r := range own {
		_, kept := other[c]
		forms, all := formsOf(r)
		s.all = s.all && all
		for _, f := range forms {
			s.add(f, r.Allow, !kept)
		}
	}
	slices.SortFunc(s.entries, func(a, b entry) int { return strings.Compare(string(a.form), string(b.form)) })
	slices.SortStableFunc(s.entries, func(a, b entry) int { return strings.Compare(a.literal, b.literal) })
	for _, e := range s.entries {
		s.lengths = append(s.lengths, len(e.literal))
	}
	slices.Sort(s.lengths)
	s.lengths = slices.Compact(s.lengths)
	return s
}

func (s *side) add(f form, allow, changed bool) {
	s.forms = append(s.forms, f)
	if !f.isPrefix() {
		s.wild++
	}
	s.entries = append(s.entries, entry{f.literal(), f, allow, changed})
}

// compatible calls yield with the entries whose literal begins with that of e, or the other
// way round. It stops when yield or spend, which gets what a search costs, returns false.
func (s *side) compatible(e entry, spend func(int) bool, yield func(entry) bool) {
	for _, end := range s.lengths {
		if end >= len(e.literal) {
			break
		}
		if !spend(searchCost(end)) || !s.from(e.literal[:end], func(o entry) bool { return o.literal == e.literal[:end] }, yield) {
			return
		}
	}
	s.from(e.literal, func(o entry) bool { return strings.HasPrefix(o.literal, e.literal) }, yield)
}

// searchCost is what it costs to search for a literal: many octets are compared at once.
func searchCost(size int) int { return 1 + size/16 }

// from calls yield with the entries from a literal on, as long as they are in.
func (s *side) from(literal string, in, yield func(entry) bool) bool {
	i, _ := slices.BinarySearchFunc(s.entries, literal, func(o entry, l string) int { return strings.Compare(o.literal, l) })
	for ; i < len(s.entries) && in(s.entries[i]); i++ {
		if !yield(s.entries[i]) {
			return false
		}
	}
	return true
}
