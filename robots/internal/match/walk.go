package match

import "strings"

// A Walk over a path matches rules with wildcards, all at once. A rule waits for its next
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
type Walk struct {
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
func (x *literals) newWalk(table *Table, path string, best Rule) *Walk {
	w, ok := x.walks.Get().(*Walk)
	if !ok {
		w = &Walk{
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

// Begin adds the rules of a section that may match.
func (w *Walk) Begin(section Section) {
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

// End walks over the path, and returns the rule that decides on it. It adds the steps of
// the walk to the steps of p. Do not use the walk again.
func (w *Walk) End(p *Path) Rule {
	best, _ := w.end(p)
	return best
}

// end also returns all rules that match, if these are wanted.
func (w *Walk) end(p *Path) (best Rule, found []Rule) {
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
func (w *Walk) proceed(rule, part uint32, from int) {
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
func (w *Walk) wait(rule, part uint32, from int) {
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
func (w *Walk) conclude(at uint32, from int) {
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
func (w *Walk) endsWith(from int, r Rule) bool {
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
func (w *Walk) run() {
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
func (w *Walk) await(first uint32) {
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
func (w *Walk) passAll(longest uint32, end int) {
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
func (w *Walk) pass(literal uint32, end int) {
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
func (w *Walk) passOne(passed waiter, end int) {
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
