package usage

import (
	"iter"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/internal/syntax"
)

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
