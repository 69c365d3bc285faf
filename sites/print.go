package sites

import (
	"iter"
	"slices"
	"strings"

	"github.com/go-polite/polite"
)

// All yields the entries in their order. Each Match is in its one spelling.
func (t *Table) All() iter.Seq[Entry] {
	if t == nil {
		return slices.Values([]Entry(nil))
	}
	return slices.Values(t.entries)
}

// String returns the table as a text for [Parse]. It leaves out what a text does not have:
// Pace.Key, Site.Basis, and values that mean the same as zero.
func (t *Table) String() string {
	var b strings.Builder
	all := settings()
	for e := range t.All() {
		b.WriteString(e.Match)
		write(&b, e, all)
		b.WriteByte('\n')
	}
	return b.String()
}

func write(b *strings.Builder, e Entry, all []setting) {
	start := b.Len()
	if p := e.Site.Pace; p != nil {
		writePace(b, p, all)
	}
	switch e.Site.Key {
	case "":
	case e.Match:
		b.WriteString(" together")
	default:
		b.WriteString(" together=" + e.Site.Key)
	}
	if e.Site.Agreed {
		b.WriteString(" agreed")
	}
	if b.Len() == start {
		b.WriteString(" default")
	}
}

// writePace writes the settings of a Pace. If all have their default, it writes the gap.
func writePace(b *strings.Builder, p *polite.Pace, all []setting) {
	start := b.Len()
	for _, s := range all {
		if value := s.write(p); value != "" {
			b.WriteString(" " + s.name + "=" + value)
		}
	}
	if b.Len() == start {
		b.WriteString(" delay=0")
	}
}
