package sarif

import (
	"bytes"
	"iter"
	"maps"
	"unicode/utf16"

	"github.com/go-polite/polite/robots"
)

// A Source is a robots.txt and what was found in it.
type Source struct {
	Name     string // of the file, or the URL
	Body     []byte
	Findings []robots.Finding
}

// regions yields the findings of a source, each with the region from its column to
// the end of the line. Columns count UTF-16 code units, as those of editors do, and
// not octets.
func regions(s Source) iter.Seq2[robots.Finding, region] {
	return func(yield func(robots.Finding, region) bool) {
		lines := maps.Collect(robots.Lines(s.Body))
		for _, f := range s.Findings {
			line, octets := lines[f.Line], f.Column-1
			if f.Line == 1 && bytes.HasPrefix(s.Body, []byte(byteOrderMark)) {
				octets -= len(byteOrderMark) // which is not part of the text
			}
			start := 1 + utf16Len(line[:min(max(octets, 0), len(line))])
			if !yield(f, region{f.Line, start, f.Line, max(start, 1+utf16Len(line))}) {
				return
			}
		}
	}
}

const byteOrderMark = "\uFEFF"

// utf16Len returns the number of code units of text. An octet that is not UTF-8
// counts as one.
func utf16Len(text []byte) int {
	n := 0
	for _, r := range string(text) {
		n += utf16.RuneLen(r)
	}
	return n
}
