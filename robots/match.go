package robots

import (
	"cmp"
	"slices"
	"strings"
	"unsafe"
)

// Allowed reports whether the rules allow target, which is a URL or its path
// with the query.
func (r Rules) Allowed(target string) bool {
	best := r.decide(target)
	return best == 0 || best.allow()
}

// Match returns the rule that decides on target, which is a URL or its path with
// the query, and whether there is one; without one target is allowed. It is the
// matching rule with the longest pattern, on a tie an allow rule (RFC 9309
// §2.2.2), and of several such the first in the file.
func (r Rules) Match(target string) (Rule, bool) {
	best := r.decide(target)
	if best == 0 {
		return Rule{}, false
	}
	return r.file.describe(best), true
}

// decide returns the rule that decides on target, or 0.
func (r Rules) decide(target string) rule {
	if isNormalTarget(target) {
		return r.decideNormal(target)
	}
	var room [512]byte // mostly enough, so that nothing is allocated
	normal := appendNormal(room[:0], pathOf(target), false)
	return r.decideNormal(view(normal))
}

// view returns b as a string, for as long as b does not change. What it is given
// to does not keep it.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// decideNormal is decide for a path in normal form, which it does not keep.
func (r Rules) decideNormal(path string) rule {
	t := target{path: path, tag: tagOf(path), limited: true, left: budget}
	return r.decideOn(&t)
}

// decideOn is decideNormal for a target.
func (r Rules) decideOn(t *target) (best rule) {
	if t.path == "/robots.txt" {
		return 0 // implicitly allowed (§2.2.2)
	}
	for i := range r.agents {
		best = r.file.decide(&r.agents[i], t, best)
	}
	if t.overspent() {
		walked, steps := r.file.literals.of(r.file).decide(r.file, r.agents, t.path, best)
		best, t.steps = walked, t.steps+steps
	}
	return best
}

// A target is what rules are matched against.
type target struct {
	path    string // in normal form
	tag     tag
	tries   int    // of rules with wildcards
	octets  octets // those in path, from when it pays to know
	pairs   pairs  // likewise
	limited bool   // rules with wildcards are matched within a budget: see afford
	left    int64  // of that
	steps   int    // that matching has taken: see TestSteps
}

// budget is the number of patterns with wildcards that a path of up to some thousand
// octets is matched with in full: 100 is the most that a query about a real file is
// known to take. Beyond it a walk over the literals of all rules takes less time,
// however many rules there are.
const budget = 128

// afford spends what matching a pattern with wildcards takes, and reports whether
// there was enough left. Long patterns cost more, for it may take as long as both
// lengths multiplied to look for a long literal, though 32 octets are compared at once.
func (t *target) afford(pattern string) bool {
	work := int64(len(t.path)) * int64(32+len(pattern)) / 32
	t.left -= 1 + work>>12
	if t.limited && t.left < 0 {
		return false
	}
	t.steps += int(work)
	return true
}

// overspent reports whether a pattern could not be afforded: from then on, rules with
// wildcards are left to a walk.
func (t *target) overspent() bool { return t.limited && t.left < 0 }

// octetsAStep is the number of octets that are compared in a step.
const octetsAStep = 16

// worthwhile is the number of rules with wildcards from which on it takes less
// time to collect the octets of a target than to match all these rules.
const worthwhile = 5

// trying counts a rule with wildcards, and reports whether the octets are known.
func (t *target) trying() bool {
	t.tries++
	if t.tries == worthwhile {
		t.steps += len(t.path)
		t.octets, t.pairs = collect(t.path)
	}
	return t.tries >= worthwhile
}

// decide returns the rule of a group that decides on t, or best if that takes
// precedence.
func (f *File) decide(a *agent, t *target, best rule) rule {
	if a.end-a.first <= longGroup {
		return f.scan(a.first, a.end, t, best)
	}
	x := f.indexOf(a)
	bit := t.tag.bit()
	for _, length := range x.lengths {
		if int(length.size) > len(t.path) {
			break
		}
		if length.tags&bit != 0 {
			t.steps += int(length.size)/octetsAStep + 1
			bucket := x.bucket(t.path[:length.size])
			best = f.scan(x.buckets[bucket], x.buckets[bucket+1], t, best)
		}
	}
	return best
}

func (f *File) indexOf(a *agent) *index {
	i, _ := slices.BinarySearchFunc(f.indexes, a.first, func(x index, first uint32) int { return cmp.Compare(x.first, first) })
	return &f.indexes[i]
}

// scan returns the rule that decides on t among those from first to end, or best
// if that takes precedence.
func (f *File) scan(first, end uint32, t *target, best rule) rule {
	t.steps += int(end - first)
	rules := f.rules[first:end]
	for i, tag := range f.tags[first:end] {
		if tag != 0 && tag != t.tag && (tag&innerTag == 0 || t.trying() && !t.pairs.has(tag)) {
			continue
		}
		if r := rules[i]; r > best && f.matches(r, t) {
			best = r
		}
	}
	return best
}

// matches reports whether r matches t, and is not left to a walk.
func (f *File) matches(r rule, t *target) bool {
	pattern := f.str(r.pattern())
	if r.anchored() {
		pattern = pattern[:len(pattern)-1]
	}
	if !r.wild() {
		t.steps += len(pattern)/octetsAStep + 1
		return strings.HasPrefix(t.path, pattern) && (!r.anchored() || len(pattern) == len(t.path))
	}
	if t.overspent() {
		return false
	}
	if t.trying() {
		t.steps += len(pattern) + 1
		if !t.octets.all(pattern) {
			return false
		}
	}
	if !t.afford(pattern) {
		return false
	}
	return matchesWild(pattern, t.path, r.anchored())
}

// matchesWild reports whether a pattern with wildcards matches path, to its end
// if anchored. What stands between wildcards is searched for from left to right:
// the earliest place is as good as any, so there is no need to go back.
func matchesWild(pattern, path string, anchored bool) bool {
	at := strings.IndexByte(pattern, '*')
	if !strings.HasPrefix(path, pattern[:at]) {
		return false
	}
	for {
		pattern = pattern[strings.IndexByte(pattern, '*')+1:]
		star := strings.IndexByte(pattern, '*')
		if star < 0 {
			break
		}
		if at = find(path, at, pattern[:star]); at < 0 {
			return false
		}
	}
	if anchored {
		return endsWith(path, at, pattern)
	}
	return find(path, at, pattern) >= 0
}

// find returns the end of the first literal in target that starts at or after
// at, or -1.
func find(target string, at int, literal string) int {
	end := -1
	if i := strings.Index(target[at:], literal); i >= 0 {
		end = at + i + len(literal)
	}
	if from := queryFrom(target, at, literal); from >= 0 {
		var room [128]byte
		decoded := appendDecoded(room[:0], literal)
		if i := strings.Index(target[from:], view(decoded)); i >= 0 && (end < 0 || from+i+len(decoded) < end) {
			end = from + i + len(decoded)
		}
	}
	return end
}

// endsWith reports whether target ends with a literal that starts at or after at.
func endsWith(target string, at int, literal string) bool {
	if strings.HasSuffix(target[at:], literal) {
		return true
	}
	from := queryFrom(target, at, literal)
	if from < 0 {
		return false
	}
	var room [128]byte
	return strings.HasSuffix(target[from:], view(appendDecoded(room[:0], literal)))
}

// octets is a set of ASCII characters, pairs one of two that stand together; the
// latter may have a few that it should not have.
type (
	octets [2]uint64
	pairs  [8]uint64
)

// collect returns what is in a path.
func collect(path string) (set octets, two pairs) {
	for i := range len(path) {
		set[path[i]>>6&1] |= 1 << (path[i] & 63)
		if i > 0 {
			two.add(pairTag(path[i-1], path[i]))
		}
	}
	// The characters of %3A, %2F, %3F and %40, which a query may have decoded:
	// see queryFrom.
	if set[0]&(1<<'?') != 0 {
		for _, c := range "%234AF0" {
			set[c>>6] |= 1 << (c & 63)
		}
	}
	set[0] |= 1 << '*'
	return set, two
}

// all reports whether all octets of a pattern are in the set.
func (set *octets) all(pattern string) bool {
	for i := len(pattern) - 1; i >= 0; i-- {
		if c := pattern[i]; set[c>>6&1]>>(c&63)&1 == 0 {
			return false
		}
	}
	return true
}

func (two *pairs) add(t tag)      { two[t.hash()>>6] |= 1 << (t.hash() & 63) }
func (two *pairs) has(t tag) bool { return two[t.hash()>>6]>>(t.hash()&63)&1 != 0 }

// hash returns a number below 512.
func (t tag) hash() uint { return uint(t^t>>6) & 511 }
