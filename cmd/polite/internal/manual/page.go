package manual

import (
	"strings"
)

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
