package robots

import "strings"

// Allowed reports whether the rules allow target, which is a URL or its path
// with the query.
func (r Rules) Allowed(target string) bool {
	best := r.decide(target)
	return best < 0 || r.file.rules[best].allow
}

// Match returns the rule that decides on target, which is a URL or its path with
// the query, and whether there is one; without one target is allowed. It is the
// matching rule with the longest pattern, on a tie an allow rule (RFC 9309
// §2.2.2), and of several such the first in the file.
func (r Rules) Match(target string) (Rule, bool) {
	best := r.decide(target)
	if best < 0 {
		return Rule{}, false
	}
	return r.file.rule(best), true
}

// decide returns the index of the rule that decides on target, or -1.
func (r Rules) decide(target string) int {
	target = normalTarget(pathOf(target))
	if target == "/robots.txt" {
		return -1 // implicitly allowed (§2.2.2)
	}
	best := -1
	for _, a := range r.agents {
		first, end := r.file.rulesOf(a.group)
		for i := first; i < end; i++ {
			if r.file.beats(i, best) && r.file.matches(i, target) {
				best = i
			}
		}
	}
	return best
}

// beats reports whether rule i takes precedence over rule best.
func (f *File) beats(i, best int) bool {
	if best < 0 {
		return true
	}
	a, b := f.rules[i], f.rules[best]
	return a.pattern.size > b.pattern.size || a.pattern.size == b.pattern.size && a.allow && !b.allow
}

func (f *File) matches(i int, target string) bool {
	pattern := f.str(f.rules[i].pattern)
	if f.rules[i].anchored {
		return matches(pattern[:len(pattern)-1], target, true)
	}
	return matches(pattern, target, false)
}

// matches reports whether pattern matches target, to its end if anchored. Both
// are in normal form. What stands between wildcards is searched for from left to
// right: the earliest place is as good as any, so there is no way back.
func matches(pattern, target string, anchored bool) bool {
	literal, pattern, wild := strings.Cut(pattern, "*")
	if !strings.HasPrefix(target, literal) {
		return false
	}
	at := len(literal)
	for wild {
		literal, pattern, wild = strings.Cut(pattern, "*")
		if anchored && !wild {
			return endsWith(target, at, literal)
		}
		if at = find(target, at, literal); at < 0 {
			return false
		}
	}
	return !anchored || at == len(target)
}

// find returns the end of the first literal in target that starts at or after
// at, or -1.
func find(target string, at int, literal string) int {
	if i := strings.Index(target[at:], literal); i >= 0 {
		return at + i + len(literal)
	}
	if decoded, from, ok := inQuery(target, at, literal); ok {
		if i := strings.Index(target[from:], decoded); i >= 0 {
			return from + i + len(decoded)
		}
	}
	return -1
}

// endsWith reports whether target ends with a literal that starts at or after at.
func endsWith(target string, at int, literal string) bool {
	if strings.HasSuffix(target[at:], literal) {
		return true
	}
	decoded, from, ok := inQuery(target, at, literal)
	return ok && strings.HasSuffix(target[from:], decoded)
}
