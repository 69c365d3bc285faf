// Package manual reads the help of the command, so that completion and the man page need
// no text of their own.
package manual

import (
	"regexp"
	"strings"
)

// A Flag is a flag as the help lists it.
type Flag struct {
	Names []string // with their dashes; the long one is last
	Value string   // what its value is, as in "file"; "" if it has none
	Text  string
}

var item = regexp.MustCompile(`^    (-\S+?)(?:, (--\S+))?(?: (\S+))?(?:  +(\S.*))?$`)

// Flags returns the flags that a help lists.
func Flags(help string) (flags []Flag) {
	for line := range strings.SplitSeq(help, "\n") {
		if f, ok := flagOf(line); ok {
			flags = append(flags, f)
		} else if n := len(flags); n > 0 && strings.HasPrefix(line, "        ") {
			flags[n-1].Text = strings.TrimSpace(flags[n-1].Text + " " + strings.TrimSpace(line))
		} else if n > 0 {
			break // the list is over
		}
	}
	return flags
}

// flagOf returns the flag with which a line begins, and whether there is one.
func flagOf(line string) (Flag, bool) {
	part := item.FindStringSubmatch(line)
	if part == nil {
		return Flag{}, false
	}
	f := Flag{Names: []string{part[1]}, Value: part[3], Text: part[4]}
	if part[2] != "" {
		f.Names = append(f.Names, part[2])
	}
	return f, true
}

// Brief returns the first sentence of what a flag does, for a list.
func (f Flag) Brief() string {
	for _, end := range []string{". ", ": ", "; ", ", as in "} {
		text, _, found := strings.Cut(f.Text, end)
		if found {
			return text
		}
	}
	return f.Text
}

var overview = regexp.MustCompile(`(?m)^    polite (\S+)(?: \S+)*?  +(\S.*)$`)

// Brief returns what a verb does, as the overview of the help has it, or "" if it is not
// in it.
func Brief(help, verb string) string {
	for _, line := range overview.FindAllStringSubmatch(help, -1) {
		if line[1] == verb {
			return line[2]
		}
	}
	return ""
}
