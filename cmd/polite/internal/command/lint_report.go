package command

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/sarif"
	"github.com/go-polite/polite/cmd/polite/internal/serving"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/lint"
)

// A tally is what lint has found so far.
type tally struct {
	files      int
	severities map[lint.Severity]int // how many findings there are of each
	worst      lint.Severity
	unread     []error
	sources    map[int]sarif.Source // by their places, if they are needed later
}

// add adds a source, or what was found in how a file is served that could not be read.
func (f *tally) add(s sarif.Source, err error) {
	if err != nil {
		f.unread = append(f.unread, err)
	} else {
		f.files++
	}
	for _, finding := range s.Findings {
		f.severities[finding.Severity] += 1 + finding.More
		f.worst = max(f.worst, finding.Severity)
	}
}

// inOrder returns the sources in the order in which they were given.
func (f *tally) inOrder() (all []sarif.Source) {
	for _, n := range slices.Sorted(maps.Keys(f.sources)) {
		all = append(all, f.sources[n])
	}
	return all
}

// summary tells how much was found, from a severity on.
func (f *tally) summary(from lint.Severity) string {
	var counts []string
	for severity := lint.Error; severity >= from; severity-- {
		counts = append(counts, verb.Count(f.severities[severity], severity.String()))
	}
	return strings.Join(counts, ", ") + " in " + verb.Count(f.files, "file")
}

// eachFinding returns the function that tells the findings of a source one by one.
func eachFinding(tell func(name string, f lint.Finding) string) func(sarif.Source) string {
	return func(s sarif.Source) string {
		var b strings.Builder
		for _, f := range s.Findings {
			b.WriteString(tell(s.Name, f))
		}
		return b.String()
	}
}

// textFindings returns the function that tells findings as compilers do, with the lines
// that they are about. On a terminal with so many columns, it groups those that say the same.
// 0 is for what is no terminal.
func textFindings(style terminal.Style, columns int) func(sarif.Source) string {
	return func(s sarif.Source) string {
		lines := s.Lines()
		if columns > 0 {
			s.Findings = grouped(s.Findings)
		}
		return eachFinding(func(name string, f lint.Finding) string {
			text, octet := lines(f)
			return finding(style, name, f, columns) + pointed(style, f, text, octet, columns)
		})(s)
	}
}

// grouped returns the first of all findings that say the same, with their number and lines.
func grouped(all []lint.Finding) (firsts []lint.Finding) {
	const most = 5                  // lines that are told
	places := make(map[string]int)  // in firsts, by message
	lines := make(map[int][]string) // by place
	for _, f := range all {
		i, known := places[f.Message]
		if !known {
			i = len(firsts)
			places[f.Message], firsts = i, append(firsts, f)
		} else {
			firsts[i].More += f.More
		}
		lines[i] = append(lines[i], fmt.Sprint(f.Line))
	}
	for i, in := range lines {
		if len(in) > most {
			in[most-1] += " and others"
		}
		if len(in) > 1 {
			firsts[i].Message += fmt.Sprintf(" (%d times: lines %s)", len(in), strings.Join(in[:min(len(in), most)], ", "))
		}
	}
	return firsts
}

// finding tells a finding as compilers do: in a line, or on a terminal in as many as it
// takes.
func finding(s terminal.Style, name string, f lint.Finding, columns int) string {
	const indent = 4
	place, severity, id := beginning(name)+":", f.Severity.String()+":", "["+f.ID+"]"
	if f.Line > 0 {
		place += fmt.Sprintf("%d:%d:", f.Line, f.Column)
	}
	text := terminal.Fold(strings.Join([]string{place, severity, printable.Text(f.Text()), id}, " "), columns, indent)
	if rest, ok := strings.CutPrefix(text, place+" "+severity); ok { // else there is a line end in it
		text = s.Bold(place) + " " + severityColour(s, f.Severity)(severity) + rest
	}
	return strings.TrimSuffix(text, id) + s.Dim(id) + "\n"
}

// pointed shows the line of a finding, and its place. It is "" if the line is blank.
func pointed(s terminal.Style, f lint.Finding, line string, octet, columns int) string {
	const (
		usual    = 80
		narrow   = 40
		numbered = len("123456 | ")
	)
	if strings.TrimSpace(line) == "" {
		return ""
	}
	if columns == 0 {
		columns = usual
	}
	text, spaces := terminal.Pointed(line, octet, max(columns, narrow)-numbered-1)
	return fmt.Sprintf("%6d | %s\n       | %s%s\n", f.Line, strings.TrimRight(text, " "), spaces, severityColour(s, f.Severity)("^"))
}

// beginning returns the name of a file for the beginning of a line. There, "-" may be an
// option to the next command of a pipe, and "::" a command to a CI system.
func beginning(name string) string {
	if strings.HasPrefix(name, "-") || strings.HasPrefix(strings.TrimLeft(name, " "), ":") {
		name = "./" + name // which is the same
	}
	return printable.Text(name)
}

func severityColour(s terminal.Style, severity lint.Severity) func(string) string {
	switch severity {
	case lint.Error:
		return s.Red
	case lint.Warning:
		return s.Yellow
	default:
		return s.Bold
	}
}

func findingJSON(name string, f lint.Finding) string {
	return verb.JSONLine(struct {
		File     string `json:"file"`
		Line     int    `json:"line,omitempty"` // 0 if it is about how the file is served
		Column   int    `json:"column,omitempty"`
		Severity string `json:"severity"`
		ID       string `json:"id"`
		Message  string `json:"message"`
		More     int    `json:"more,omitempty"`
		Edit     *edit  `json:"edit,omitempty"`
	}{name, f.Line, f.Column, f.Severity.String(), f.ID, f.Message, f.More, (*edit)(f.Edit)})
}

// edit is how JSON has a [lint.Edit].
type edit struct {
	From int    `json:"from"`
	To   int    `json:"to"`
	Text string `json:"text"`

	Changes bool `json:"changes,omitempty"` // verdicts or delays
}

// csvFindings returns the function that tells findings in CSV, after a line that names the
// columns.
func csvFindings() func(sarif.Source) string {
	head := verb.CSVLine("file", "line", "column", "severity", "id", "message")
	return func(s sarif.Source) string {
		text := head + eachFinding(findingCSV)(s)
		head = ""
		return text
	}
}

func findingCSV(name string, f lint.Finding) string {
	var line, column string // "" if it is about how the file is served
	if f.Line > 0 {
		line, column = fmt.Sprint(f.Line), fmt.Sprint(f.Column)
	}
	return verb.CSVLine(beginning(name), line, column, f.Severity.String(), f.ID, f.Text())
}

// explainCheck tells what a check finds, with an example.
func explainCheck(s terminal.Style, id string) string {
	all := checks()
	c := all[slices.IndexFunc(all, func(c lint.Check) bool { return c.ID == id })]
	var b strings.Builder
	b.WriteString(s.Bold(c.ID) + "\n\n")
	b.WriteString(terminal.Fold(c.Summary, 80, 0) + "\n\n")
	dialogue := serving.Example(id)
	b.WriteString(terminal.Fold(fmt.Sprintf("It is %s: %s.", severities(c.Severity), means(c.Severity, dialogue != "")), 80, 0) + "\n\nFor example:\n\n")
	if dialogue != "" {
		b.WriteString(indented(strings.TrimRight(dialogue, "\n")))
		fmt.Fprintf(&b, "\nIf this is meant as it is, use --ignore %s.\n", id)
	} else {
		b.WriteString(exampleOf(s, id))
		fmt.Fprintf(&b, "\nIf the line is meant as it is, write above it:\n\n    # polite-lint: ignore %s\n", id)
	}
	return b.String()
}

// indented returns the beginning of a text of several lines, indented.
func indented(text string) string {
	const most = 20
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		if n++; n > most {
			return b.String() + "    ...\n"
		}
		b.WriteString(strings.TrimRight("    "+line, " \n") + "\n")
	}
	return b.String()
}

// exampleOf shows a file, unless it is long, and what the check finds in it.
func exampleOf(s terminal.Style, id string) string {
	body := []byte(lint.Example(id))
	found := slices.DeleteFunc(lint.Lint(body), func(f lint.Finding) bool { return f.ID != id })
	source := sarif.Source{Name: "robots.txt", Body: body, Findings: found[:1]}
	text, octet := source.Lines()(found[0])
	var b strings.Builder
	for _, line := range source.Short() {
		b.WriteString("    " + terminal.Excerpt(line) + "\n")
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	place := fmt.Sprintf("    line %d: ", found[0].Line)
	return b.String() + terminal.Fold(place+found[0].Message, 80, terminal.Cells(place)) + "\n" + pointed(s, found[0], text, octet, 0)
}

func severities(severity lint.Severity) string {
	if severity == lint.Error {
		return "an error"
	}
	return "a " + severity.String()
}

// means tells what a severity means, of a finding about how a site serves its file, or in a file.
func means(severity lint.Severity, served bool) string {
	switch {
	case severity == lint.Error && served:
		return "crawlers do not get the rules. Lint fails"
	case severity == lint.Error:
		return "the line does nothing, or not what it says. Lint fails"
	case severity == lint.Warning && served:
		return "crawlers may go by other rules than you expect. With --strict, lint fails"
	case severity == lint.Warning:
		return "the line does something else than many expect. With --strict, lint fails"
	default:
		return "it is worth knowing"
	}
}
