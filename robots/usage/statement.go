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
	meant   []robots.UsageRecord // lines that are slips for records, in the same order
	page    []Said               // by the page itself
	slips   []Said               // of the page itself
	strict  bool                 // slips that mean no say it

	reading         *Reading // has filled in what follows, if it is not nil
	inside, outside digest   // of the records in groups, and outside of them
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
	return Statement{records: rules.Usage(target), meant: rules.UsageSlips()}
}

// OfRules is [OfRules] for rules of the file that was read, and of no other.
func (r *Reading) OfRules(rules robots.Rules, target string) Statement {
	s := OfRules(rules, target)
	s.reading = r
	i := 0
	for _, record := range s.records {
		i = r.find(i, record.Line)
		if record.Outside {
			s.outside |= r.at(i)
		} else {
			s.inside |= r.at(i)
		}
	}
	return s
}

// Allows returns what the site says about a use. If the site says both yes and no, Allows
// returns [No]. "ai-train" is the same use as [TrainAI], and "ai-use" as [AIInput].
func (s Statement) Allows(use Use) Preference {
	if len(s.records)+len(s.page) == 0 && !s.strict {
		return NotStated // as for most pages
	}
	why, _, _ := s.decides(useOf(string(use)))
	return why.Preference
}

// Why returns the [Said] that decides on a use: the first one with the Preference that
// Allows returns. If the site says neither yes nor no, ok is false.
func (s Statement) Why(use Use) (why Said, ok bool) {
	use = useOf(string(use))
	why, outside, inRecords := s.decides(use)
	if inRecords {
		why = s.first(use, outside, why.Preference)
	}
	return why, why.Preference != NotStated
}

// decides returns what decides on a use. If this is a record, it returns only the Preference,
// and whether the record is outside of groups.
func (s Statement) decides(use Use) (why Said, outside, inRecords bool) {
	inside := s.inRecords(use, false)
	if why.Preference = inside; inside == NotStated {
		why.Preference, outside = s.inRecords(use, true), true
	}
	inRecords = why.Preference != NotStated
	for _, said := range s.page {
		if said.Use == use && said.Preference > why.Preference {
			why, inRecords = said, false
		}
	}
	if s.strict && why.Preference != No {
		if slip, ok := s.slip(use, inside); ok {
			return slip, false, false
		}
	}
	return why, outside, inRecords
}

// inRecords returns what the records in groups, or outside of groups, say about a use.
func (s Statement) inRecords(use Use, outside bool) (says Preference) {
	if place := placeOf(use); s.reading != nil && place >= 0 {
		if outside {
			return s.outside.says(place)
		}
		return s.inside.says(place)
	}
	for _, r := range s.records {
		if r.Outside == outside && says != No {
			says = max(says, ofUse(use, r.Record).Preference)
		}
	}
	return says
}

// first returns what the first record says that says some Preference about a use.
func (s Statement) first(use Use, outside bool, says Preference) Said {
	place := placeOf(use)
	for _, r := range s.records {
		if r.Outside != outside || s.reading != nil && place >= 0 && s.reading.of(r.Line).says(place) != says {
			continue
		}
		if said := ofUse(use, r.Record); said.Preference == says {
			said.Outside = outside
			return said
		}
	}
	return Said{}
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
		if !s.strict {
			return
		}
		for slip := range s.Slips() {
			if slip.Preference == No && !yield(slip) {
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

// Slips returns what the lines and headers that count mean, but do not say, because they are spelled
// wrong in a way that cannot be mistaken: "ai-train:no", "ai-train=\"no\"", "search=yes; ai-train=no",
// "ai_train=no", "content-signals: ai-train=no", or a line whose colon is missing. For
// [Statement.Allows], they say nothing. Slips returns a use once for a line, and only if the line does
// not also state it correctly. Label is the statement as written, up to 100 octets of it.
func (s Statement) Slips() iter.Seq[Said] {
	return func(yield func(Said) bool) {
		for r, meant := range s.slipped() {
			for _, slip := range slipsOf(r, meant) {
				contradicted := r.Outside && s.inRecords(slip.Use, false) != NotStated
				if !contradicted && !yield(slip) {
					return
				}
			}
		}
		for _, slip := range s.slips {
			if !yield(slip) {
				return
			}
		}
	}
}

// Strictly returns what s says if a slip that means no is read as no. A slip that means
// yes still says nothing: nobody may do more because of a guess.
func (s Statement) Strictly() Statement {
	s.strict = len(s.records)+len(s.meant)+len(s.slips) > 0
	return s
}

// slip returns the first slip that means no to a use. Inside is what the records in groups
// say about it.
func (s Statement) slip(use Use, inside Preference) (slip Said, ok bool) {
	place := placeOf(use)
	has := func(all []Said) bool {
		i := slices.IndexFunc(all, func(said Said) bool { return said.Use == use && said.Preference == No })
		if i >= 0 {
			slip = all[i]
		}
		return i >= 0
	}
	none := s.reading != nil && place >= 0 && !(s.inside|s.outside).has(slipsNo, place)
	for r, meant := range s.slipped() {
		skip := none && !meant || r.Outside && inside != NotStated
		if !skip && has(slipsOf(r, meant)) {
			return slip, true
		}
	}
	return slip, has(s.slips)
}

// slipped visits the records that may have slips, and the records that are slips as a whole.
func (s Statement) slipped() iter.Seq2[robots.UsageRecord, bool] {
	return func(yield func(_ robots.UsageRecord, meant bool) bool) {
		place, clean := 0, s.reading != nil && !(s.inside|s.outside).hasSlips()
		for _, r := range s.records {
			if clean {
				break
			}
			if s.reading != nil {
				if place = s.reading.find(place, r.Line); !s.reading.at(place).hasSlips() {
					continue
				}
			}
			if !yield(r, false) {
				return
			}
		}
		for _, r := range s.meant {
			if !yield(r, true) {
				return
			}
		}
	}
}

// Most returns what [Statement.All] does, but no more than n of it. It always includes what decides on
// a use that this package knows, even if the result is then longer than n.
func (s Statement) Most(n int) (most []Said) {
	for said := range s.All() {
		if len(most) >= n {
			break
		}
		most = append(most, said)
	}
	if len(most) < n {
		return most
	}
	for _, use := range append(known[:], TDM) {
		if why, ok := s.Why(use); ok && !slices.Contains(most, why) {
			most = append(most, why)
		}
	}
	return most
}

// Uses returns the uses that the site names, each once, in the order of [Statement.All].
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
	s.page = slices.Concat(s.page, slices.Collect(other.All()))
	s.strict = s.strict || other.strict
	s.slips = slices.Concat(s.slips, slices.Collect(other.Slips()))
	return s
}
