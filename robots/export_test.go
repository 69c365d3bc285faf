package robots

import (
	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// MatchByWalk is Match with a budget that is spent from the start: it leaves all rules
// with wildcards to a walk.
func (r Rules) MatchByWalk(target string) (Rule, bool) {
	best, _ := r.decideWithin(0, target)
	if best == 0 {
		return Rule{}, false
	}
	return r.file.describe(best), true
}

// MatchByScan is Match without a budget: it takes no walk.
func (r Rules) MatchByScan(path string) (Rule, bool) {
	p := match.Unlimited(normal(path))
	best := r.decideOn(&p)
	if best == 0 {
		return Rule{}, false
	}
	return r.file.describe(best), true
}

// Room returns the number of bytes that the parser has room for which reads the next file.
func Room() int {
	p := parsers.Get().(*parser)
	defer parsers.Put(p)
	return p.room()
}

// Steps returns the number of steps that Match takes, and whether it took a walk.
func (r Rules) Steps(path string) (steps int, walked bool) {
	_, p := r.decideWithin(match.Budget, path)
	return p.Steps(), p.Overspent()
}

// StepsByWalk returns the number of steps that MatchByWalk takes.
func (r Rules) StepsByWalk(path string) (steps int) {
	_, p := r.decideWithin(0, path)
	return p.Steps()
}

// Extent returns the number of rules, and the number of octets of their patterns.
func (f *File) Extent() (rules, octets int) {
	for _, r := range f.set.Rules {
		octets += int(r.Pattern().Size)
	}
	return len(f.set.Rules), octets
}

// Octets returns the number of octets of a path in normal form.
func Octets(path string) int { return len(normal(path)) }

func (r Rules) decideWithin(budget int64, path string) (match.Rule, match.Path) {
	p := match.Within(budget, normal(path))
	best := r.decideOn(&p)
	return best, p
}

func normal(path string) string {
	return string(syntax.AppendNormal(nil, syntax.PathOf(path), false))
}

// UsageSteps returns the number of steps that Usage takes for a path in normal form.
func (r Rules) UsageSteps(path string) (steps int) {
	_, steps = r.file.usageIn(r.file.usage.of(r.agents), path, match.Budget)
	return steps
}

// UsageByWalk is Usage with a budget that is spent from the start.
func (r Rules) UsageByWalk(path string) []UsageRecord {
	records, _ := r.file.usageIn(r.file.usage.of(r.agents), normal(path), 0)
	return records
}

// UsageExtent is Extent for the paths of content-usage records.
func (f *File) UsageExtent() (rules, octets int) {
	for _, r := range f.usage.paths.Rules {
		octets += int(r.Pattern().Size)
	}
	return len(f.usage.paths.Rules), octets
}
