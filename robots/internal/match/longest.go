package match

import (
	"cmp"
	"slices"
)

// Longest finds the rules of some sections that match a path in normal form. It returns
// all of them that have the longest pattern, in the order of their lines. It also returns
// the number of steps that it took, which has the same bound as for Decide and a Walk.
func (s *Set) Longest(sections []Section, path string, budget int64) (longest []Rule, steps int) {
	p := Within(budget, path)
	best := s.decideAll(sections, &p)
	steps = p.steps
	if best == 0 {
		return nil, steps
	}
	p = Within(budget, path)
	longest = s.asLongAs(best, sections, &p)
	slices.SortFunc(longest, func(a, b Rule) int { return cmp.Compare(a.Line(), b.Line()) })
	return longest, steps + p.steps
}

// decideAll is Decide for several sections, with a walk if one is needed.
func (s *Set) decideAll(sections []Section, p *Path) (best Rule) {
	for _, section := range sections {
		best = s.Decide(section, p, best)
	}
	if p.Overspent() {
		walk := s.NewWalk(p, best)
		for _, section := range sections {
			walk.Begin(section)
		}
		best = walk.End(p)
	}
	return best
}

// asLongAs returns the rules that match p and are as long as best, the longest.
func (s *Set) asLongAs(best Rule, sections []Section, p *Path) (found []Rule) {
	for _, section := range sections {
		p.steps += int(section.End - section.First)
		for _, r := range s.Rules[section.First:section.End] {
			if r.Pattern().Size == best.Pattern().Size && s.Matches(r, p) {
				found = append(found, r)
			}
		}
	}
	if !p.Overspent() {
		return found
	}
	found = slices.DeleteFunc(found, Rule.Wild)
	walk := s.NewWalk(p, best.ahead())
	walk.every = true
	for _, section := range sections {
		walk.Begin(section)
	}
	_, wild := walk.end(p)
	return append(found, wild...)
}
