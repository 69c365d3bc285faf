package robots

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// Allowed reports whether a crawler with the product token agent may fetch target: a
// URL, or its path with the query. It is short for f.Rules(agent).Allowed(target).
func (f *File) Allowed(agent, target string) bool {
	return f.Rules(agent).Allowed(target)
}

// Allowed reports whether the rules allow target: a URL, or its path with the query.
func (r Rules) Allowed(target string) bool {
	best := r.decide(target)
	return best == 0 || best.Allow()
}

// Match returns the rule that decides on target: a URL, or its path with the query. If no rule matches,
// ok is false, and target is allowed. The matching rule with the longest pattern decides. If several
// are equally long, an allow rule decides (RFC 9309 §2.2.2). Of several such allow rules, the first in
// the file decides.
func (r Rules) Match(target string) (rule Rule, ok bool) {
	best := r.decide(target)
	if best == 0 {
		return Rule{}, false
	}
	return r.file.describe(best), true
}

// decide returns the rule that decides on target, or 0.
func (r Rules) decide(target string) match.Rule {
	if syntax.IsNormalTarget(target) {
		return r.decideNormal(target)
	}
	var room [512]byte // enough for most, so that nothing is allocated
	normal := syntax.AppendNormal(room[:0], syntax.PathOf(target), false)
	return r.decideNormal(match.View(normal))
}

// decideNormal is decide for a path in normal form, which it does not keep.
func (r Rules) decideNormal(path string) match.Rule {
	p := match.Within(match.Budget, path)
	return r.decideOn(&p)
}

// decideOn is decide for a path.
func (r Rules) decideOn(p *match.Path) (best match.Rule) {
	if p.String() == robotsTxt {
		return 0 // implicitly allowed (§2.2.2)
	}
	for i := range r.agents {
		best = r.file.set.Decide(r.agents[i].section, p, best)
	}
	if p.Overspent() {
		best = r.file.set.Walk(r.sections(), p, best)
	}
	return best
}

// sections returns the rules of all groups that apply.
func (r Rules) sections() (sections []match.Section) {
	for _, a := range r.agents {
		sections = append(sections, a.section)
	}
	return sections
}

// robotsTxt is the path of the file itself.
const robotsTxt = "/robots.txt"

// Matches returns all rules that match target: a URL, or its path with the query. They
// come in the order of precedence: the first is the one that [Rules.Match] returns.
// Matches compares target with every rule, so it is slower than Match.
func (r Rules) Matches(target string) iter.Seq[Rule] {
	return func(yield func(Rule) bool) {
		for _, matching := range r.matching(target) {
			if !yield(r.file.describe(matching)) {
				return
			}
		}
	}
}

// matching returns the rules that match target, the greatest first.
func (r Rules) matching(target string) (matching []match.Rule) {
	p := match.Unlimited(string(syntax.AppendNormal(nil, syntax.PathOf(target), false)))
	if p.String() == robotsTxt {
		return nil // implicitly allowed (§2.2.2)
	}
	for _, a := range r.agents {
		for _, rule := range r.file.set.Rules[a.section.First:a.section.End] {
			if r.file.set.Matches(rule, &p) {
				matching = append(matching, rule)
			}
		}
	}
	slices.SortFunc(matching, func(a, b match.Rule) int { return cmp.Compare(b, a) })
	return matching
}

// NamedBy reports whether a line of the file is a user-agent line that names the product
// token of the group that applies: see [Rules.Agent]. [Lines] returns a file's lines.
func (r Rules) NamedBy(line []byte) bool {
	key, value, ok := syntax.Split(line)
	if !ok || len(r.agents) == 0 || syntax.Classify(key) != syntax.UserAgent {
		return false
	}
	long, short := syntax.Tokens(string(value))
	return syntax.CompareFold(long, r.Agent()) == 0 || syntax.CompareFold(short, r.Agent()) == 0
}

// Agents returns the product tokens of the group that has a record, as the file writes
// them and in its order. It returns nil if the record is in no group. A sitemap is in no
// group.
func (f *File) Agents(r Record) []string {
	i, ok := f.recordIn(r.Line)
	if !ok || f.records[i].kind == syntax.Sitemap {
		return nil
	}
	return slices.Collect(f.tokens(func(a agent) bool { return a.group == f.records[i].group }))
}

// Named returns the product tokens that the file names, as it writes them and in its order. It includes
// "*" if there is a group for all other crawlers. It returns a token once, even if the file writes it
// several times, in upper or lower case.
func (f *File) Named() iter.Seq[string] {
	return func(yield func(string) bool) {
		seen := make(map[string]bool, len(f.agents))
		for name := range f.tokens(func(agent) bool { return true }) {
			if folded := strings.ToLower(name); !seen[folded] {
				seen[folded] = true
				if !yield(name) {
					return
				}
			}
		}
	}
}

// tokens yields the tokens of the agents that are wanted, in the order of the file.
func (f *File) tokens(want func(agent) bool) iter.Seq[string] {
	var written []match.Span
	for _, a := range f.agents {
		if want(a) && !a.short {
			written = append(written, a.token)
		}
	}
	slices.SortFunc(written, func(a, b match.Span) int { return cmp.Compare(a.At, b.At) })
	return func(yield func(string) bool) {
		for _, token := range written {
			if !yield(f.str(token)) {
				return
			}
		}
	}
}
