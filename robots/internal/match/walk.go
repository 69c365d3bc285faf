package match

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// A walk over a path matches rules with wildcards, all at once. A rule waits for its next
// literal. When the walk comes to the end of that literal, the rule waits for the next
// one. The earliest match of a literal is as good as any other (see matchesWild), so the
// walk never goes back:
//
//	path      / x a b c a b d        disallow: *ab*ab
//	octets    0 1 2 3 4 5 6 7 8
//	"ab"      due at 2, ends at 4;   the second time due at 6, ends at 7: a match
//
// The first octet at which a literal may end is known from where it may begin and from
// its length. Before the walk comes there, the rule is in a list of due; from then on, it
// is in a list of awaiting. So when a literal ends, all rules that await it go on at
// once, and no rule waits for a part twice.
type walk struct {
	*literals
	table    *Table
	room     []byte
	path     string // in room
	question int    // where the query of the path begins, or -1
	best     Rule
	every    bool   // all rules that match are wanted, not only the best
	found    []Rule // all rules that match, if every
	steps    int    // that the walk has taken

	due      []uint32 // by octet: the first waiter whose literal may end there
	awaiting []uint32 // by literal: the first waiter for it
	awaited  bitset   // the literals that have waiters
	nextPart []uint32 // by rule: the part that it waits for
	waiters  []waiter // from 1
	waiting  int      // waiters that are due or awaiting
}

// A waiter is a rule that waits for one of its parts, in a list of waiters.
type waiter struct{ next, rule, part uint32 }

// newWalk returns a walk over a path, for rules that take precedence over best.
func (x *literals) newWalk(table *Table, path string, best Rule) *walk {
	w, ok := x.walks.Get().(*walk)
	if !ok {
		w = &walk{
			literals: x, table: table,
			awaiting: make([]uint32, len(x.sizes)), awaited: make(bitset, len(x.sizes)/64+1),
			nextPart: make([]uint32, len(table.Rules)), waiters: make([]waiter, 1),
		}
	}
	w.room = append(w.room[:0], path...) // so that nothing refers to path
	w.path, w.question, w.best, w.steps = View(w.room), strings.IndexByte(path, '?'), best, 0
	w.due = cleared(w.due, len(path)+1)
	return w
}

// cleared returns s, or a larger one, as n zeros.
func cleared(s []uint32, n int) []uint32 {
	if cap(s) < n {
		return make([]uint32, n)
	}
	clear(s[:n])
	return s[:n]
}

// begin adds the rules of a section that may match.
func (w *walk) begin(section Section) {
	w.steps += int(section.End - section.First)
	begins := tagOf(w.path)
	for at := section.First; at < section.End; at++ {
		r := w.table.Rules[at]
		if tag := w.table.Tags[at]; !r.Wild() || r <= w.best || tag&innerTag == 0 && tag != begins {
			continue
		}
		literal := w.table.Literal(r)
		w.steps += len(literal)/octetsAStep + 1
		if strings.HasPrefix(w.path, literal) {
			w.proceed(at, w.firstParts[at], len(literal))
		}
	}
}

// end walks over the path. It returns the rule that decides on it, and all rules that match, if these
// are wanted. It adds the steps of the walk to the steps of p. Do not use the walk again.
func (w *walk) end(p *Path) (best Rule, found []Rule) {
	w.run()
	p.steps += w.steps
	best, found = w.best, w.found
	clear(w.awaiting)
	clear(w.awaited)
	w.waiters, w.waiting = w.waiters[:1], 0
	w.every, w.found = false, nil
	w.walks.Put(w)
	return best, found
}

// proceed makes a rule wait for one of its parts, from an octet on.
func (w *walk) proceed(rule, part uint32, from int) {
	w.nextPart[rule] = part
	end := w.firstParts[rule+1]
	if part == end {
		w.conclude(rule, from)
		return
	}
	w.wait(rule, part, from)
	if part++; part < end && w.parts[part]&inQuery != 0 && w.question >= 0 {
		w.wait(rule, part, max(from, w.question+1))
	}
}

// wait adds a waiter to a list of due.
func (w *walk) wait(rule, part uint32, from int) {
	end := from + int(w.sizes[w.parts[part].literal()])
	if end > len(w.path) {
		return
	}
	w.steps++
	w.waiting++
	w.waiters = append(w.waiters, waiter{w.due[end], rule, part})
	w.due[end] = uint32(len(w.waiters)) - 1
}

// conclude matches a rule when all of its parts have been found.
func (w *walk) conclude(at uint32, from int) {
	r := w.table.Rules[at]
	switch {
	case r <= w.best || r.Anchored() && !w.endsWith(from, r):
	case w.every:
		w.found = append(w.found, r)
	default:
		w.best = r
	}
}

// endsWith reports whether the path ends with the last literal of r, which starts at
// or after from.
func (w *walk) endsWith(from int, r Rule) bool {
	pattern := w.table.Pattern(r)
	last := pattern[strings.LastIndexByte(pattern, '*')+1 : len(pattern)-1]
	w.steps += len(last) + 1
	if w.question < 0 {
		return strings.HasSuffix(w.path[from:], last)
	}
	// Search the query alone: the path may be long.
	query := w.path[w.question:]
	return strings.HasSuffix(w.path[from:], last) || endsWith(query, max(from-w.question, 0), last)
}

// run walks over the path.
func (w *walk) run() {
	at, path := uint32(0), w.path
	for i := 0; i < len(path) && w.waiting > 0; i++ {
		var looks int
		at, looks = w.trie.step(at, path[i])
		w.steps += looks
		w.await(w.due[i+1])
		w.passAll(w.trie.nodes[at].longest(), i+1)
	}
}

// await moves a list of waiters from due to awaiting.
func (w *walk) await(first uint32) {
	for first != 0 {
		waiter := &w.waiters[first]
		literal := w.parts[waiter.part].literal()
		w.awaited.add(literal)
		next := waiter.next
		waiter.next, w.awaiting[literal] = w.awaiting[literal], first
		first = next
		w.steps++
	}
}

// passAll lets all rules go on that await a literal which ends at an octet. Longest is
// the longest such literal.
func (w *walk) passAll(longest uint32, end int) {
	for longest != none {
		literal, looks := w.chains.nearest(w.awaited, longest)
		w.steps += looks
		if literal == none {
			return
		}
		w.pass(literal, end)
		longest = literal
	}
}

// pass lets the rules go on that await a literal.
func (w *walk) pass(literal uint32, end int) {
	first := w.awaiting[literal]
	w.awaiting[literal] = 0
	w.awaited.remove(literal)
	for first != 0 {
		passed := w.waiters[first]
		first = passed.next
		w.waiting--
		w.steps++
		w.passOne(passed, end)
	}
}

// passOne lets a rule go on, unless it already has, by the other form of a literal.
func (w *walk) passOne(passed waiter, end int) {
	part := passed.part
	if w.parts[part]&inQuery != 0 {
		part--
	}
	if w.nextPart[passed.rule] != part {
		return
	}
	part++
	if part < w.firstParts[passed.rule+1] && w.parts[part]&inQuery != 0 {
		part++
	}
	w.proceed(passed.rule, part, end)
}

// Chains say how literals are nested. If several literals end at the same octet of a
// path, each ends with the next shorter one. The parent of a literal is the longest other
// literal that it ends with. This forest is cut into chains. A chain goes from a literal
// to its child with the most descendants, and on from there:
//
//	a ─ aa ─ aaa ─ baaa       chain 0: a aa aaa baaa    literals 0 to 3
//	│   └ caa                 chain 1: ba bba           literals 4 and 5
//	└ ba ─ bba                chain 2: caa              literal  6
//
// The literals of a chain have numbers in a row, so that one bitset shows which of them
// are awaited, 64 at a time. A chain below another has less than half of its descendants,
// so there are no more than log2(literals) chains above a literal.
type chains []chain

// A chain says in which chain a literal is.
type chain struct {
	first uint32 // the first literal of the chain
	above uint32 // the parent of the first literal, or none
}

// newChains gives literals new numbers, and returns these by the old ones. The parents
// are given by old numbers. In order, each literal comes after its parent.
func newChains(parents, order []uint32) (_ chains, numbers []uint32) {
	heirs := heirs(parents, order)
	numbers = make([]uint32, len(parents))
	c := make(chains, 0, len(parents))
	for _, first := range order {
		above := none
		if parent := parents[first]; parent != none {
			if heirs[parent] == first {
				continue
			}
			above = numbers[parent]
		}
		begin := uint32(len(c))
		for literal := first; literal != none; literal = heirs[literal] {
			numbers[literal] = uint32(len(c))
			c = append(c, chain{begin, above})
		}
	}
	return c, numbers
}

// heirs returns for each literal the child that has the most descendants, or none.
func heirs(parents, order []uint32) []uint32 {
	heirs := make([]uint32, len(parents))
	descendants := make([]uint32, len(parents))
	for i := range heirs {
		heirs[i] = none
	}
	for i := len(order) - 1; i >= 0; i-- {
		child := order[i]
		parent := parents[child]
		if parent == none {
			continue
		}
		descendants[parent] += descendants[child] + 1
		if heir := heirs[parent]; heir == none || descendants[child] > descendants[heir] {
			heirs[parent] = child
		}
	}
	return heirs
}

// nearest returns the longest literal in a set that literal ends with, which may be
// literal itself, or none. It also returns the number of words of the set that it looked
// at.
func (c chains) nearest(set bitset, literal uint32) (found uint32, looks int) {
	for literal != none {
		found, words := set.last(c[literal].first, literal)
		looks += words
		if found != none {
			return found, looks
		}
		literal = c[literal].above
	}
	return none, looks
}

// A bitset is a set of small numbers.
type bitset []uint64

func (s bitset) add(i uint32)    { s[i>>6] |= 1 << (i & 63) }
func (s bitset) remove(i uint32) { s[i>>6] &^= 1 << (i & 63) }

// last returns the greatest element from first to last, or none, and the number of
// words that it looked at.
func (s bitset) last(first, last uint32) (found uint32, looks int) {
	word := s[last>>6] << (63 - last&63) >> (63 - last&63)
	for at := last >> 6; ; at-- {
		looks++
		if at == first>>6 {
			word = word >> (first & 63) << (first & 63)
		}
		if word != 0 {
			return at<<6 | uint32(bits.Len64(word)-1), looks
		}
		if at == first>>6 {
			return none, looks
		}
		word = s[at-1]
	}
}

// Literals are an index of all text after wildcards in a file. With it, one walk over the
// path answers a query, however many rules there are. For two rules:
//
//	disallow: /*ab*c%3A    firstParts │ 0           │ 3  │ 4    where the parts of each begin
//	disallow: *ab*d$       parts      │ ab c%3A c:' │ ab │      its literals, in order
//	                       trie       │ ab c%3A c:  │           each literal once
//
// In the query of a path a literal may have another form. This form is a part of its own,
// with the mark inQuery. Either form matches. The last literal of an anchored rule is no
// part: one look shows whether a path ends with it.
//
// Few files need this index: see Path.afford. The first query that needs it makes it.
type literals struct {
	trie       trie
	chains     chains
	sizes      []uint32 // of the literals
	parts      []part   // of all rules
	firstParts []uint32 // by their positions in Table.Rules: where the parts of each begin; and the end
	walks      sync.Pool
}

// A part is the number of a literal that a rule has after a wildcard.
type part uint32

// inQuery marks a part that is the query form of the part before it.
const inQuery part = 1 << 31

func (p part) literal() uint32 { return uint32(p &^ inQuery) }

func (x *literals) size() int {
	return x.trie.size() + SizeOf(x.chains) + SizeOf(x.sizes) + SizeOf(x.parts) + SizeOf(x.firstParts) + literalsSize
}

// literalsSize is about the number of bytes of a literals by itself.
const literalsSize = 1280

func newLiterals(t *Table) *literals {
	x := &literals{firstParts: make([]uint32, 0, len(t.Rules)+1)}
	octets := 0
	for _, r := range t.Rules {
		if r.Wild() {
			octets += len(t.walked(r))
		}
	}
	b := newTrieBuilder(octets)
	for _, r := range t.Rules {
		x.firstParts = append(x.firstParts, uint32(len(x.parts)))
		if r.Wild() {
			x.addRule(b, t.walked(r))
		}
	}
	x.firstParts = append(x.firstParts, uint32(len(x.parts)))
	x.parts = exactly(x.parts)
	b.finish()
	x.number(b)
	return x
}

// walked returns the text of a pattern that a walk searches for. It begins at the first
// wildcard. It ends with the pattern or, if the pattern is anchored, at the last
// wildcard.
func (t *Table) walked(r Rule) string {
	pattern := t.Pattern(r)
	if r.Anchored() {
		pattern = pattern[:strings.LastIndexByte(pattern, '*')+1]
	}
	return pattern[strings.IndexByte(pattern, '*'):]
}

// addRule adds the literals of a rule.
func (x *literals) addRule(b *trieBuilder, pattern string) {
	for literal := range strings.SplitSeq(pattern, "*") {
		if literal == "" {
			continue
		}
		x.parts = append(x.parts, part(b.add(literal)))
		if strings.Contains(literal, "%") {
			if decoded := syntax.AppendDecoded(nil, literal); len(decoded) < len(literal) {
				x.parts = append(x.parts, part(b.add(View(decoded)))|inQuery)
			}
		}
	}
}

// number takes the trie of b, and numbers the literals anew by their chains.
func (x *literals) number(b *trieBuilder) {
	var numbers []uint32
	x.trie = b.trie
	x.chains, numbers = newChains(b.parents, b.order)
	x.sizes = make([]uint32, len(numbers))
	for old, size := range b.sizes {
		x.sizes[numbers[old]] = size
	}
	for i, p := range x.parts {
		x.parts[i] = p&inQuery | part(numbers[p.literal()])
	}
	for i, n := range x.trie.nodes {
		if old := n.longest(); old != none {
			x.trie.nodes[i].setLongest(numbers[old])
		}
	}
}

// Longest finds the rules of some sections that match a path in normal form. It returns
// all of them that have the longest pattern, in the order of their lines. It also returns
// the number of steps that it took, which has the same bound as for Decide and Walk.
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

// decideAll returns the rule of several sections that decides on p.
func (s *Set) decideAll(sections []Section, p *Path) (best Rule) {
	for _, section := range sections {
		best = s.Decide(section, p, best)
	}
	if p.Overspent() {
		best = s.Walk(sections, p, best)
	}
	return best
}

// Walk returns the rule of some sections that decides on p, or best if that takes precedence. It is for a
// path that is overspent.
func (s *Set) Walk(sections []Section, p *Path, best Rule) Rule {
	walk := s.newWalk(p, best)
	for _, section := range sections {
		walk.begin(section)
	}
	best, _ = walk.end(p)
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
	walk := s.newWalk(p, best.ahead())
	walk.every = true
	for _, section := range sections {
		walk.begin(section)
	}
	_, wild := walk.end(p)
	return append(found, wild...)
}
