package robots

// MatchByWalk is Match for when the budget is spent from the start: it leaves all
// rules with wildcards to a walk.
func (r Rules) MatchByWalk(target string) (Rule, bool) {
	best, _ := r.decideWithin(target, 0)
	if best == 0 {
		return Rule{}, false
	}
	return r.file.describe(best), true
}

// MatchByScan is Match without a budget: it takes no walk.
func (r Rules) MatchByScan(path string) (Rule, bool) {
	t := newTarget(path)
	best := r.decideOn(&t)
	if best == 0 {
		return Rule{}, false
	}
	return r.file.describe(best), true
}

// Steps returns the number of steps that Match takes, and whether it took a walk.
func (r Rules) Steps(path string) (steps int, walked bool) {
	_, t := r.decideWithin(path, budget)
	return t.steps, t.overspent()
}

// StepsByWalk returns the number of steps that MatchByWalk takes.
func (r Rules) StepsByWalk(path string) (steps int) {
	_, t := r.decideWithin(path, 0)
	return t.steps
}

// Extent returns the number of rules, and that of the octets of their patterns.
func (f *File) Extent() (rules, octets int) {
	for _, r := range f.rules {
		octets += int(r.pattern().size)
	}
	return len(f.rules), octets
}

// Octets returns the number of octets of a path in normal form.
func Octets(path string) int { return len(newTarget(path).path) }

func (r Rules) decideWithin(path string, budget int64) (rule, target) {
	t := newTarget(path)
	t.limited, t.left = true, budget
	best := r.decideOn(&t)
	return best, t
}

func newTarget(path string) target {
	normal := string(appendNormal(nil, pathOf(path), false))
	return target{path: normal, tag: tagOf(normal)}
}
