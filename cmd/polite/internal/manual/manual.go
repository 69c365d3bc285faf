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

// A Section is a part of a man page: a text of the help and its name.
type Section struct{ Name, Text string }

// Page returns a man page for section 1.
func Page(name, brief, version string, sections []Section) string {
	var b strings.Builder
	b.WriteString(`.\" made by "` + name + " man\"\n")
	b.WriteString(".TH " + strings.ToUpper(name) + ` 1 "" "` + name + " " + version + "\"\n")
	b.WriteString(".SH NAME\n" + name + ` \- ` + roff(brief) + "\n")
	for _, s := range sections {
		b.WriteString(".SH " + quote(strings.ToUpper(s.Name)) + "\n")
		for i, block := range strings.Split(strings.Trim(s.Text, "\n"), "\n\n") {
			writeBlock(&b, strings.Trim(block, "\n"), i == 0)
		}
	}
	return b.String()
}

// writeBlock writes what is between two blank lines: a list of flags, an example, or a
// paragraph.
func writeBlock(b *strings.Builder, block string, first bool) {
	if flags := Flags(block); len(flags) > 0 {
		for _, f := range flags {
			b.WriteString(".TP\n" + f.term() + "\n" + roff(f.Text) + "\n")
		}
		return
	}
	if !first {
		b.WriteString(".PP\n")
	}
	if strings.HasPrefix(block, " ") || strings.HasPrefix(block, "usage: ") {
		b.WriteString(".nf\n" + lines(block) + ".fi\n")
		return
	}
	b.WriteString(lines(block))
}

// term returns the names of a flag, and of its value.
func (f Flag) term() string {
	var names []string
	for _, name := range f.Names {
		names = append(names, `\fB`+roff(name)+`\fR`)
	}
	term := strings.Join(names, ", ")
	if f.Value != "" {
		term += ` \fI` + roff(f.Value) + `\fR`
	}
	return term
}

func lines(text string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString(roff(line) + "\n")
	}
	return b.String()
}

// roff returns a line as roff has it, in which a backslash, a hyphen and a dot at the
// beginning mean something.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`).Replace(line)
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		return `\&` + line
	}
	return line
}

func quote(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `""`) + `"` }
