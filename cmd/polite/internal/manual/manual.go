// Package manual reads the help of the command, so that completion and the man page need
// no text of their own.
package manual

import (
	_ "embed"
	"io"
	"regexp"
	"strings"
	"text/template"
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

// A Page is a man page for section 1.
type Page struct {
	Name, Brief, Version string
	Sections             []Section
}

// A Section is a part of a man page: a text of the help and its name.
type Section struct{ Name, Text string }

//go:embed page.1
var form string

// Write writes the page as roff has it.
func (p Page) Write(w io.Writer) error {
	page, err := template.New("page.1").Funcs(template.FuncMap{
		"upper": strings.ToUpper, "roff": roff, "quoted": quoted, "flags": Flags,
		"blocks": blocks, "lines": lines, "isExample": isExample,
	}).Parse(form)
	if err != nil {
		return err
	}
	return page.Execute(w, p)
}

var blankLines = regexp.MustCompile("\n\n+")

// blocks returns what is between blank lines: lists of flags, examples and paragraphs.
func blocks(text string) []string { return blankLines.Split(strings.Trim(text, "\n"), -1) }

func lines(block string) []string { return strings.Split(block, "\n") }

// isExample reports whether a block keeps its lines.
func isExample(block string) bool {
	return strings.HasPrefix(block, " ") || strings.HasPrefix(block, "usage: ")
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

func quoted(text string) string { return `"` + strings.ReplaceAll(roff(text), `"`, `""`) + `"` }
