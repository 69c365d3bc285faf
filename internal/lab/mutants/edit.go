package main

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A mutant is one change.
type mutant struct {
	id           int
	group, kind  string
	folder, file string // below the root
	line         int
	was, now     string
	edits        map[string][]edit // of files
}

func (m *mutant) String() string {
	return fmt.Sprintf("%-6s %s:%d: %s → %s", m.kind, m.file, m.line, m.was, m.now)
}

// An edit puts text into a file, in the place of some octets. # in the text is the number of the mutant.
type edit struct {
	at, replaces int
	text         string
	ends         bool // it comes after a node
	size         int  // of the node round which it is
	id           int
}

// compare orders edits at one place, so that what stands round other nodes opens before and closes after
// what stands round these.
func (e edit) compare(other edit) int {
	switch {
	case e.at != other.at:
		return cmp.Compare(e.at, other.at)
	case e.ends != other.ends && e.ends:
		return -1
	case e.ends != other.ends:
		return 1
	case e.ends:
		return cmp.Or(cmp.Compare(e.size, other.size), cmp.Compare(other.id, e.id))
	default:
		return cmp.Or(cmp.Compare(other.size, e.size), cmp.Compare(e.id, other.id))
	}
}

var packageClause = regexp.MustCompile(`(?m)^package \w+`)

// apply returns the text of a file with edits, which imports the switches. Its lines are as before.
func apply(text []byte, edits []edit, switches string) []byte {
	edits = slices.SortedStableFunc(slices.Values(edits), edit.compare)
	var out bytes.Buffer
	done := packageClause.FindIndex(text)[1]
	out.Write(text[:done])
	fmt.Fprintf(&out, "; import switches %q", switches)
	for _, e := range edits {
		out.Write(text[done:e.at])
		out.WriteString(strings.Replace(e.text, "#", strconv.Itoa(e.id), 1))
		done = e.at + e.replaces
	}
	out.Write(text[done:])
	return out.Bytes()
}
