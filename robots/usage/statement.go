package usage

import (
	"iter"
	"slices"

	"github.com/go-polite/polite/robots"
)

// A Statement is all that counts of what a site says to a crawler about the use of one
// page. The zero Statement says nothing. A Statement does not change, and is safe for
// concurrent use.
type Statement struct{ said []Said }

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
	records := rules.Usage(target)
	if records == nil {
		return Statement{}
	}
	outside := slices.IndexFunc(records, func(r robots.UsageRecord) bool { return r.Outside })
	if outside < 0 {
		outside = len(records)
	}
	own, others := says(records[:outside]), says(records[outside:])
	if len(own) > 0 && len(others) > 0 {
		own = slices.Clip(own)
		stated := preferences(own)
		others = slices.DeleteFunc(others, func(s Said) bool { return stated[s.Use] != NotStated })
	}
	return Statement{append(own, others...)}
}

func says(records []robots.UsageRecord) (said []Said) {
	for _, r := range records {
		for _, s := range OfRecord(r.Record) {
			s.Outside = r.Outside
			said = append(said, s)
		}
	}
	return said
}

// preferences returns what is said about each use: the most restrictive.
func preferences(said []Said) map[Use]Preference {
	stated := make(map[Use]Preference)
	for _, s := range said {
		stated[s.Use] = max(stated[s.Use], s.Preference)
	}
	return stated
}

// Allows returns what the site says about a use. If it says both yes and no, that is
// [No]. For "ai-train" it returns what it does for [TrainAI].
func (s Statement) Allows(use Use) Preference {
	why, _ := s.Why(use)
	return why.Preference
}

// Why returns what decides on a use: the first [Said] that says what Allows returns. If
// neither yes nor no is said, ok is false.
func (s Statement) Why(use Use) (why Said, ok bool) {
	use = useOf(string(use))
	for _, said := range s.said {
		if said.Use == use && said.Preference > why.Preference {
			why = said
		}
	}
	return why, why.Preference != NotStated
}

// All returns all that counts: first what robots.txt says in the crawler's groups, then
// what it says outside of groups, then what the page says. Labels that nobody knows, and
// values that are neither yes nor no, are there too.
func (s Statement) All() iter.Seq[Said] { return slices.Values(s.said) }

// Uses returns the uses that the site names, each once, as [Statement.All] comes to
// them.
func (s Statement) Uses() (uses []Use) {
	seen := make(map[Use]bool)
	for _, said := range s.said {
		if !seen[said.Use] {
			seen[said.Use] = true
			uses = append(uses, said.Use)
		}
	}
	return uses
}

// And returns what s and other say together. Of what they say about the same use, the
// more restrictive counts: what a page says in its headers is never weakened by the
// robots.txt of its site, nor the other way round.
func (s Statement) And(other Statement) Statement {
	return Statement{slices.Concat(s.said, other.said)}
}
