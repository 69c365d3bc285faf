package usage

import (
	"strings"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// A Said is what one place says about one use. Its texts are what the site wrote: print
// them with %q where they must not act on a terminal.
type Said struct {
	Use        Use
	Preference Preference // NotStated if Value is neither yes nor no
	Label      string     // the use as written
	Value      string     // as written: "no", "n", "reference"; "" if there is none

	Source  string // of the record or header, in lower case: "content-signal", "x-robots-tag"
	Path    string // of a content-usage record; "" if it is for all paths
	Line    int    // of robots.txt, from 1; 0 if a page says it
	Outside bool   // it precedes the first group of robots.txt
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

// OfRecord returns what a record of robots.txt says, whoever it speaks to. It returns
// nil for a record that says nothing about use.
func OfRecord(r robots.Record) []Said {
	switch {
	case strings.EqualFold(r.Key, contentSignal):
		return signalSays(nil, r.Value, Said{Source: contentSignal, Line: r.Line})
	case strings.EqualFold(r.Key, contentUsage):
		path, statement, _ := syntax.SplitUsage(r.Value)
		return usageSays(nil, statement, Said{Source: contentUsage, Line: r.Line, Path: path})
	}
	return nil
}

// signalSays appends what the value of a content-signal says. It is a list of pairs that
// no grammar defines, so it is read leniently: in upper or lower case, with white space
// anywhere. place is where it is said.
func signalSays(said []Said, value string, place Said) []Said {
	for pair := range strings.SplitSeq(value, ",") {
		label, value, _ := strings.Cut(pair, "=")
		s := place
		s.Label, s.Value = strings.Trim(label, whiteSpace), strings.Trim(value, whiteSpace)
		if s.Label == "" {
			continue
		}
		s.Use = useOf(strings.ToLower(s.Label))
		switch strings.ToLower(s.Value) {
		case "yes":
			s.Preference = Yes
		case "no":
			s.Preference = No
		}
		said = append(said, s)
	}
	return said
}

const whiteSpace = " \t\v\f"

// usageSays appends what the value of a content-usage says, without its path. If it is
// no dictionary, it says nothing (draft-ietf-aipref-vocab §6.5).
func usageSays(said []Said, value string, place Said) []Said {
	for _, m := range parseDictionary(value) {
		s := place
		s.Label, s.Value, s.Use = m.key, m.value, useOf(m.key)
		switch {
		case !m.token:
		case m.value == "y":
			s.Preference = Yes
		case m.value == "n":
			s.Preference = No
		}
		said = append(said, s)
	}
	return said
}
