// Package diff tells which verdicts change when one robots.txt takes the place of another. It needs
// only the two files: it makes up the paths on which it compares them.
//
//	before, after := robots.Parse(old), robots.Parse(new)
//	changes, all := diff.Verdicts(before.Rules("Googlebot"), after.Rules("Googlebot"))
//
// # Why no change is missed
//
// A verdict changes on a path if the rule that decides in the old file and the one that decides in the
// new file say the opposite; if no rule decides, the path is allowed. One of these two rules is new or
// gone: if both files had both rules, the same rule would decide. So it is enough to look at pairs of a
// rule that changed and a rule that says the opposite.
//
// Verdicts lays the patterns of such a pair over each other in every way in which they fit, and writes
// a filler where a wildcard of both is: a character that is in no pattern of either file. If a third
// rule matches such a path, its wildcards match the fillers. So the third rule matches every path that
// the two patterns share in this way. If the two rules decide on any path at all, they also decide on
// one of these paths.
package diff

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots"
)

// A Change is a path on which the verdict changes: from allowed to disallowed, or the other way round.
type Change struct {
	Path string
	Old  robots.Rule // the rule that decides in the old file; zero if none does
	New  robots.Rule // the rule that decides in the new file; zero if none does
}

// Allowed reports whether the new file allows the path. The old file says the opposite.
func (c Change) Allowed() bool { return c.New == (robots.Rule{}) || c.New.Allow }

// Verdicts returns the changes for one crawler, whose rules are old and new: for each pair
// of rules that decide on a path and say the opposite, one path. It returns nil if no verdict
// changes. It may be called at the same time for several crawlers.
//
// The time that Verdicts takes is limited. If it could not look at all pairs, which happens
// only for files with very many rules or wildcards, all is false, and changes may be missing.
func Verdicts(old, new robots.Rules) (changes []Change, all bool) {
	c := newComparison(old, new)
	c.run()
	return c.changes(), c.all
}

// A comparison finds the changes between two sides.
type comparison struct {
	old, new *side
	filler   string
	spent    int
	all      bool            // nothing was left out
	found    map[pair]string // the paths
}

// A pair is the rules that decide on a path.
type pair struct{ old, new robots.Rule }

const (
	maxSpent     = 400_000_000 // octets or so that are looked at: some seconds at most
	maxCells     = 1 << 18     // of an overlay
	mostOverlays = 256         // of two forms
	lookCost     = 500         // of asking both files about a path
)

func newComparison(old, new robots.Rules) *comparison {
	before, after := contents(old), contents(new)
	c := &comparison{old: sideOf(old, before, after), new: sideOf(new, after, before), found: make(map[pair]string)}
	c.filler, c.all = fillerFor(c.old.forms, c.new.forms)
	c.all = c.all && c.old.all && c.new.all
	return c
}

func (c *comparison) run() {
	c.compare(c.old, c.new)
	c.compare(c.new, c.old)
}

// compare compares each changed rule of one side with all rules of the other side that
// say the opposite.
func (c *comparison) compare(one, other *side) {
	for _, e := range one.candidates {
		if !e.changed || c.spent > maxSpent {
			continue
		}
		other.compatible(e, c.spend, func(o candidate) bool {
			if o.allow != e.allow && !(o.changed && one == c.new) { // else it was looked at
				c.overlay(e.form, o.form)
			}
			return c.spend(16)
		})
	}
}

// spend spends n, and reports whether there was enough.
func (c *comparison) spend(n int) bool {
	if c.spent += n; c.spent > maxSpent {
		c.all = false
	}
	return c.spent <= maxSpent
}

// overlay looks at the paths that two forms have in common.
func (c *comparison) overlay(a, b form) {
	if a.isPrefix() && b.isPrefix() {
		c.look([]byte(max(a.literal(), b.literal()) + c.filler)) // one begins with the other
		return
	}
	if cells(a, b) > maxCells || !c.spend(cells(a, b)) {
		c.all = false
		return
	}
	left := mostOverlays
	overlays(a, b, c.filler, func(path []byte) bool {
		if left--; left < 0 || !c.spend(len(path)) {
			c.all = false
			return false
		}
		c.look(path)
		return true
	})
}

// look asks both sides about a path, and keeps it if they differ.
func (c *comparison) look(path []byte) {
	if !c.spend(lookCost + 4*(len(path)+c.old.wild+c.new.wild)) {
		return
	}
	target := string(path)
	before, _ := c.old.rules.Match(target)
	after, _ := c.new.rules.Match(target)
	if allows(before) == allows(after) {
		return
	}
	p := pair{before, after}
	if known, ok := c.found[p]; !ok || shorter(target, known) {
		c.found[p] = target
	}
}

func allows(r robots.Rule) bool { return r == (robots.Rule{}) || r.Allow }

func shorter(a, b string) bool {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) < 0
}

// changes returns what was found, in the order of the new file's rules. Where no rule of
// the new file decides, they are in the order of the old file's rules.
func (c *comparison) changes() (changes []Change) {
	for p, path := range c.found {
		changes = append(changes, Change{path, p.old, p.new})
	}
	slices.SortFunc(changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.New.Line, b.New.Line), cmp.Compare(a.Old.Line, b.Old.Line))
	})
	return changes
}
