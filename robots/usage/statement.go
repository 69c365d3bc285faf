package usage

import (
	"iter"
	"slices"

	"github.com/go-polite/polite/robots"
)

// A Statement is what a site says to a crawler about the use of one page, by all lines
// and headers that apply. The zero Statement says nothing. A Statement does not change,
// and is safe for concurrent use.
type Statement struct {
	records []robots.UsageRecord // of robots.txt, records in groups first
	page    []Said               // by the page itself
}

// Of returns what a robots.txt says about the use of target: a URL, or its path with the
// query. Give the product tokens of the crawler, the most specific first, as for
// [robots.File.Rules].
//
// Of does not ask whether the crawler may fetch target. By the draft of Content-Usage, a
// page that it may not fetch has no preferences: see [robots.File.Allowed].
func Of(f *robots.File, target string, agents ...string) Statement {
	return OfRules(f.Rules(agents...), target)
}

// OfRules is [Of] for a crawler whose rules are known.
func OfRules(rules robots.Rules, target string) Statement {
	return Statement{records: rules.Usage(target)}
}

// Allows returns what the site says about a use. If the site says both yes and no, Allows
// returns [No]. "ai-train" is the same use as [TrainAI].
func (s Statement) Allows(use Use) Preference {
	if len(s.records)+len(s.page) == 0 {
		return NotStated // as for most pages
	}
	why, _ := s.Why(use)
	return why.Preference
}

// Why returns the [Said] that decides on a use: the first one with the Preference that
// Allows returns. If the site says neither yes nor no, ok is false.
func (s Statement) Why(use Use) (why Said, ok bool) {
	use = useOf(string(use))
	why = s.inRecords(use, false)
	if why.Preference == NotStated {
		why = s.inRecords(use, true)
	}
	for _, said := range s.page {
		if said.Use == use && said.Preference > why.Preference {
			why = said
		}
	}
	return why, why.Preference != NotStated
}

// inRecords returns what the records in groups, or outside of groups, say about a use.
func (s Statement) inRecords(use Use, outside bool) (best Said) {
	for _, r := range s.records {
		if r.Outside != outside {
			continue
		}
		if said := ofUse(use, r.Record); said.Preference > best.Preference {
			best = said
			best.Outside = outside
		}
	}
	return best
}

// All returns everything that counts: first the lines of robots.txt in the crawler's
// groups, then its lines outside of groups, then the page itself. It includes labels that
// nobody knows, and values that are neither yes nor no.
func (s Statement) All() iter.Seq[Said] {
	return func(yield func(Said) bool) {
		contradicted := s.contradicted()
		for _, r := range s.records {
			for said := range OfRecord(r.Record) {
				said.Outside = r.Outside
				if !(r.Outside && contradicted[said.Use]) && !yield(said) {
					return
				}
			}
		}
		for _, said := range s.page {
			if !yield(said) {
				return
			}
		}
	}
}

// contradicted returns the uses to which the records in groups say yes or no. For these
// uses, records outside of groups do not count.
func (s Statement) contradicted() map[Use]bool {
	if n := len(s.records); n == 0 || !s.records[n-1].Outside {
		return nil
	}
	uses := make(map[Use]bool)
	for _, r := range s.records {
		if r.Outside {
			break
		}
		for said := range OfRecord(r.Record) {
			if said.Preference != NotStated {
				uses[said.Use] = true
			}
		}
	}
	return uses
}

// Uses returns the uses that the site names, each once, as [Statement.All] comes to
// them.
func (s Statement) Uses() (uses []Use) {
	seen := make(map[Use]bool)
	for said := range s.All() {
		if !seen[said.Use] {
			seen[said.Use] = true
			uses = append(uses, said.Use)
		}
	}
	return uses
}

// And returns what s and other say together. If both speak of the same use, the more
// restrictive counts. So a robots.txt never weakens the headers of a page, nor the other
// way round.
func (s Statement) And(other Statement) Statement {
	return Statement{s.records, slices.Concat(s.page, slices.Collect(other.All()))}
}
