package diff

import (
	"slices"
	"strings"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// A side has the rules of one of the two files.
type side struct {
	rules      robots.Rules
	wild       int         // how many forms have a wildcard that is not their end
	forms      []form      // of all rules
	candidates []candidate // by their literals
	lengths    []int       // of the literals, from the shortest
	all        bool        // no form was left out
}

// A candidate is a form of a rule.
type candidate struct {
	literal string // of the form
	form    form
	allow   bool
	changed bool // the other file has no such rule
}

// A content is what a rule says. Two rules of different files are the same if their
// contents are equal.
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

// sideOf returns the side of rules. Own are the contents of these rules, and other those
// of the other side.
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
	slices.SortFunc(s.candidates, func(a, b candidate) int { return strings.Compare(string(a.form), string(b.form)) })
	slices.SortStableFunc(s.candidates, func(a, b candidate) int { return strings.Compare(a.literal, b.literal) })
	for _, e := range s.candidates {
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
	s.candidates = append(s.candidates, candidate{f.literal(), f, allow, changed})
}

// compatible calls yield with the candidates whose literal begins with the literal of e,
// or the other way round. It calls spend with the cost of each search. It stops if yield
// or spend returns false.
func (s *side) compatible(e candidate, spend func(int) bool, yield func(candidate) bool) {
	for _, end := range s.lengths {
		if end >= len(e.literal) {
			break
		}
		if !spend(searchCost(end)) || !s.from(e.literal[:end], func(o candidate) bool { return o.literal == e.literal[:end] }, yield) {
			return
		}
	}
	s.from(e.literal, func(o candidate) bool { return strings.HasPrefix(o.literal, e.literal) }, yield)
}

// searchCost is the cost of a search for a literal: many octets are compared at once.
func searchCost(size int) int { return 1 + size/16 }

// from calls yield with the candidates from a literal on, as long as in returns true.
func (s *side) from(literal string, in, yield func(candidate) bool) bool {
	i, _ := slices.BinarySearchFunc(s.candidates, literal, func(o candidate, l string) int { return strings.Compare(o.literal, l) })
	for ; i < len(s.candidates) && in(s.candidates[i]); i++ {
		if !yield(s.candidates[i]) {
			return false
		}
	}
	return true
}
