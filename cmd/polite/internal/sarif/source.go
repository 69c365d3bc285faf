package sarif

import (
	"bytes"
	"maps"
	"unicode/utf16"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

// A Source is a robots.txt and what was found in it.
type Source struct {
	Name     string // of the file, or the URL
	Body     []byte
	Findings []lint.Finding
}

// Lines returns a function that returns the line of a finding, and the octet of the line
// at which the finding begins.
func (s Source) Lines() func(lint.Finding) (line string, octet int) {
	lines := maps.Collect(robots.Lines(s.Body))
	return func(f lint.Finding) (string, int) {
		octet := f.Column - 1
		if f.Line == 1 {
			octet -= s.markSize()
		}
		line := string(lines[f.Line])
		return line, min(max(octet, 0), len(line))
	}
}

// Short returns the lines of a source, if they are few.
func (s Source) Short() (lines []string) {
	const few = 12
	if bytes.Count(s.Body, []byte("\n")) > few {
		return nil
	}
	for _, line := range robots.Lines(s.Body) {
		lines = append(lines, string(line))
	}
	return lines
}

// regionOf returns the place of a finding: from its column to the end of its line. Columns
// count UTF-16 code units, as in editors, and not octets.
func regionOf(f lint.Finding, line string, octet int) region {
	start := 1 + utf16Len(line[:octet])
	return region{f.Line, start, f.Line, max(start, 1+utf16Len(line))}
}

// replaced returns the region which a finding's edit replaces. If the finding has no edit,
// or if its edit is on a byte order mark, ok is false.
func (s Source) replaced(f lint.Finding, line string) (where region, ok bool) {
	if f.Edit == nil {
		return region{}, false
	}
	from, to := f.Edit.From, f.Edit.To
	if f.Line == 1 {
		from, to = from-s.markSize(), to-s.markSize()
	}
	if from < 0 || to > len(line) {
		return region{}, false
	}
	return region{f.Line, 1 + utf16Len(line[:from]), f.Line, 1 + utf16Len(line[:to])}, true
}

// markSize returns the number of octets of the byte order mark, or of a part of it, that
// the body begins with. It is not part of the text.
func (s Source) markSize() (n int) {
	for n < min(len(byteOrderMark), len(s.Body)) && s.Body[n] == byteOrderMark[n] {
		n++
	}
	return n
}

const byteOrderMark = "\uFEFF"

// utf16Len returns the number of code units of text. An octet that is not UTF-8
// counts as one.
func utf16Len(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
