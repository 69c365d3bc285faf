package usage

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// A Use is something that can be done with a page once it is fetched. A site may name other uses than
// the constants. They are kept as the site writes them.
type Use string

const (
	// Search is to find pages for people, and to show links to them with short excerpts.
	Search Use = "search"
	// AIInput is to give a page to a model while it answers. Content-Usage calls it ai-use.
	AIInput Use = "ai-input"
	// TrainAI is to train a model. Content-Signal calls it ai-train.
	TrainAI Use = "train-ai"
	// TDM is text and data mining of any kind, as tdm-reservation has it.
	TDM Use = "tdm"

	// Immediate is to use a page once, and to store nothing of it. Content-Signal says how
	// far a use may go by one of three levels: use=immediate, use=reference, use=full. It
	// says yes to this level and those below, and no to those above.
	Immediate Use = "immediate"
	// Reference is to store a page in an index, and to show excerpts with a link to it.
	Reference Use = "reference"
	// Full is to store a page, to summarize it, or to reproduce it.
	Full Use = "full"
)

// levels are the values of the label "use" of Content-Signal, from the least to the most.
var levels = []Use{Immediate, Reference, Full}

// useOf returns the use of a label. Of the labels that have two names, Content-Signal has
// ai-train and ai-input (draft-romm-aipref-contentsignals-00), and Content-Usage has train-ai
// and ai-use (draft-ietf-aipref-vocab-08 §6.1). Only this function knows the second names.
func useOf(label string) Use {
	switch label {
	case "ai-train":
		return TrainAI
	case "ai-use":
		return AIInput
	}
	return Use(label)
}

// Canonical returns the one name by which this package knows a use that has two:
// [TrainAI] for "ai-train", and [AIInput] for "ai-use". It returns any other use as it is.
func (u Use) Canonical() Use { return useOf(string(u)) }

// A Preference is what a site says about a use. The greater of two is the more
// restrictive. NotStated is not No: the site has said nothing.
type Preference uint8

const (
	NotStated Preference = iota
	Yes
	No
)

// String returns "not stated", "yes" or "no".
func (p Preference) String() string {
	switch p {
	case Yes:
		return "yes"
	case No:
		return "no"
	}
	return "not stated"
}

// MarshalText returns what [Preference.String] returns.
func (p Preference) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what [Preference.String] returns. It returns an error for any other
// text.
func (p *Preference) UnmarshalText(text []byte) error {
	for _, known := range []Preference{NotStated, Yes, No} {
		if string(text) == known.String() {
			*p = known
			return nil
		}
	}
	return fmt.Errorf("usage: %.40q is no preference: write yes, no or not stated", text)
}

// A Said is what one line, header or element says about one use. Its texts are what the
// site wrote: print them with %q where they must not act on a terminal.
type Said struct {
	Use        Use
	Preference Preference // NotStated if Value is neither yes nor no
	Label      string     // the label of the use, as written
	Value      string     // as written: "no", "n", "reference"; "" if there is none

	Source  string // of the record or header, in lower case: "content-signal", "x-robots-tag"
	Path    string // of a content-usage record; "" if it is for all paths
	Line    int    // of robots.txt, from 1; 0 if a page says it
	Outside bool   // it precedes the first group of robots.txt
	Slip    bool   // it says nothing, and means Preference: see [Statement.Slips]
}

// String returns the part of the line that speaks of the use, such as
// "content-usage: /news/ train-ai=n".
func (s Said) String() string {
	text := s.Source + ": "
	if s.Path != "" {
		text += s.Path + " "
	}
	text += s.Label
	if s.Value != "" {
		text += "=" + s.Value
	}
	return text
}

const (
	contentSignal = "content-signal"
	contentUsage  = "content-usage"
)

// OfRecord returns all that a record of robots.txt says about use, to any crawler. Most
// records say nothing about use.
func OfRecord(r robots.Record) iter.Seq[Said] {
	return func(yield func(Said) bool) {
		switch source := sourceOf(r); source.Source {
		case contentSignal:
			for s := range pairs(r.Value, source) {
				if !yield(s) {
					return
				}
			}
		case contentUsage:
			for _, m := range parseDictionary(statementOf(source, r.Value)) {
				if !yield(source.of(m)) {
					return
				}
			}
		}
	}
}

// sourceOf returns a Said with the source of a record, its line and its path.
func sourceOf(r robots.Record) Said {
	switch {
	case strings.EqualFold(r.Key, contentSignal):
		return Said{Source: contentSignal, Line: r.Line}
	case strings.EqualFold(r.Key, contentUsage):
		path, _, _ := syntax.SplitUsage(r.Value)
		return Said{Source: contentUsage, Line: r.Line, Path: path}
	}
	return Said{}
}

// statementOf returns the value of a record that has a source, without its path.
func statementOf(source Said, value string) string {
	if source.Source != contentUsage {
		return value
	}
	_, statement, _ := syntax.SplitUsage(value)
	return statement
}

// each visits what the value of a record says, one after the other. It keeps nothing of it, however long it
// is. If it returns false, the value is malformed, and nothing of it counts.
func (source Said) each(value string, visit func(Said)) (wellFormed bool) {
	if source.Source == contentUsage {
		return eachMember(statementOf(source, value), func(m member) { visit(source.of(m)) })
	}
	for s := range pairs(value, source) {
		visit(s)
	}
	return true
}

// A tally is what a record says about one use. Of a content-usage, it has the last by each of the two names
// that the use may have; of a content-signal, the first of the most restrictive.
type tally [2]Said

func (t *tally) add(s Said) {
	switch {
	case s.Source == contentUsage && useOf(s.Label) != Use(s.Label):
		t[1] = s
	case s.Source == contentUsage || s.Preference > t[0].Preference:
		t[0] = s
	}
}

// most returns the most restrictive.
func (t *tally) most() Said {
	if t[1].Preference > t[0].Preference {
		return t[1]
	}
	return t[0]
}

// ofUse returns what a record says about one use. If it says several things, the most
// restrictive counts.
func ofUse(use Use, r robots.Record) Said {
	var said tally
	wellFormed := sourceOf(r).each(r.Value, func(s Said) {
		if s.Use == use {
			said.add(s)
		}
	})
	if !wellFormed {
		return Said{}
	}
	return said.most()
}

// pairs returns what the value of a content-signal says. It is a list of pairs that no
// grammar defines, so it is read leniently: in upper or lower case, with white space
// anywhere.
func pairs(list string, source Said) iter.Seq[Said] {
	return func(yield func(Said) bool) {
		for pair := range strings.SplitSeq(list, ",") {
			label, value, _ := strings.Cut(pair, "=")
			s := source
			s.Label, s.Value = strings.Trim(label, whiteSpace), strings.Trim(value, whiteSpace)
			if s.Label == "" {
				continue
			}
			s.Use, s.Preference = useOf(strings.ToLower(s.Label)), yesOrNo(s.Value)
			if strings.ContainsAny(s.Label, "/*"+whiteSpace) {
				s.Preference = NotStated // it is no use but has a path, which this record cannot have, or several words
			}
			if level := levelOf(s); level >= 0 {
				if !s.eachLevel(level, yield) {
					return
				}
			} else if !yield(s) {
				return
			}
		}
	}
}

// levelOf returns the index of the level that s says, or -1 if it says none.
func levelOf(s Said) int {
	if s.Use != "use" {
		return -1
	}
	return slices.Index(levels, Use(strings.ToLower(s.Value)))
}

// eachLevel visits what s says about each level, if it says one.
func (s Said) eachLevel(says int, visit func(Said) bool) bool {
	for level, use := range levels {
		s.Use, s.Preference = use, Yes
		if level > says {
			s.Preference = No
		}
		if !visit(s) {
			return false
		}
	}
	return true
}

func yesOrNo(value string) Preference {
	switch {
	case strings.EqualFold(value, "yes"):
		return Yes
	case strings.EqualFold(value, "no"):
		return No
	}
	return NotStated
}

const whiteSpace = " \t\v\f"

// of returns what a member says. The Said has the source.
func (source Said) of(m member) Said {
	s := source
	s.Label, s.Value, s.Use = m.key, m.value, useOf(m.key)
	switch {
	case !m.token:
	case m.value == "y":
		s.Preference = Yes
	case m.value == "n":
		s.Preference = No
	}
	return s
}

// slipsOf returns the slips in a record, one for each use. Meant says that the record as a
// whole is a slip.
func slipsOf(r robots.UsageRecord, meant bool) []Said {
	source := sourceOf(r.Record)
	source.Outside = r.Outside
	return slipsIn(statementOf(source, r.Value), source, func(use Use) bool {
		return !meant && ofUse(use, r.Record).Preference != NotStated
	})
}

// slipsIn returns the slips in a statement that has a source, one for each use that the
// statement does not state.
func slipsIn(statement string, source Said, states func(Use) bool) (slips []Said) {
	if len(statement) > longestSlip {
		return nil
	}
	label, word := "", ""
	equals := false
	for next := range strings.FieldsSeq(mended.Replace(statement)) {
		switch {
		case next == "=":
			equals, label = true, word
		case equals:
			slips, equals = appendMeant(slips, source.Source, label, next), false
		}
		word = next
	}
	kept := slips[:0]
	for _, slip := range slips {
		if !states(slip.Use) {
			use, preference := slip.Use, slip.Preference
			slip = source
			slip.Use, slip.Preference, slip.Label, slip.Slip = use, preference, clipped(statement), true
			kept = append(kept, slip)
		}
	}
	return kept
}

// longestSlip is the longest statement that may be a slip, in octets. A longer one is
// something else.
const longestSlip = 4 << 10

// mended makes words of a statement: a label, "=" and a value.
var mended = strings.NewReplacer(
	"=", " = ", ":", " = ", ",", " ", ";", " ", `"`, " ", "'", " ", "_", "-",
	"\u00a0", " ", "\xa0", " ", "\u200b", "", "\ufeff", "",
)

// appendMeant appends what a label and a value mean, if that is clear. Of two slips about
// a use, the more restrictive counts.
func appendMeant(slips []Said, source, label, value string) []Said {
	use, preference := meantUse(label), meantPreference(value)
	if source == contentSignal && strings.EqualFold(label, "use") {
		if level := slices.Index(levels, Use(strings.ToLower(value))); level >= 0 {
			Said{}.eachLevel(level, func(s Said) bool {
				slips = appendSlip(slips, s)
				return true
			})
		}
	} else if use != "" && preference != NotStated {
		slips = appendSlip(slips, Said{Use: use, Preference: preference})
	}
	return slips
}

func appendSlip(slips []Said, slip Said) []Said {
	i := slices.IndexFunc(slips, func(s Said) bool { return s.Use == slip.Use })
	if i < 0 {
		return append(slips, slip)
	}
	slips[i].Preference = max(slips[i].Preference, slip.Preference)
	return slips
}

// meantUse returns the use that a label means, or "". Labels for which no text has a use
// mean nothing.
func meantUse(label string) Use {
	if len(label) > len("ai-training") {
		return ""
	}
	switch use := useOf(strings.ToLower(label)); use {
	case Search, AIInput, TrainAI:
		return use
	case "ai-training":
		return TrainAI
	}
	return ""
}

// meantPreference returns what a value means in the other signal.
func meantPreference(value string) Preference {
	switch {
	case strings.EqualFold(value, "no"), strings.EqualFold(value, "n"):
		return No
	case strings.EqualFold(value, "yes"), strings.EqualFold(value, "y"):
		return Yes
	}
	return NotStated
}

const longestLabel = 100 // octets of a slip

// clipped returns the beginning of a statement.
func clipped(statement string) string {
	if len(statement) <= longestLabel {
		return statement
	}
	end := longestLabel
	for end > longestLabel-utf8.UTFMax && !utf8.RuneStart(statement[end]) {
		end--
	}
	return statement[:end]
}
