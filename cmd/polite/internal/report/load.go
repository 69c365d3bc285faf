package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
)

// A Load is a page, or what a page loads, with the verdicts on it, one for each crawler.
type Load struct {
	Kind     string // "page", "script", "image" and others
	From     string // the URL of the style that names it; "" for none
	Verdicts []judge.Verdict
}

// A LoadForm is how loads are told.
type LoadForm struct {
	head string
	host func(origin string) string // before all from an origin
	load func(Load) string
}

// Tell writes the loads from an origin. The first are those from the page's own.
func (f LoadForm) Tell(w io.Writer, origin string, loads []Load, first bool) error {
	var b strings.Builder
	if first {
		b.WriteString(f.head)
	}
	if f.host != nil {
		b.WriteString(f.host(origin))
	}
	for _, l := range loads {
		b.WriteString(f.load(l))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Loads tells each verdict on each load as [JSON] or [CSV] does, with the kind and the style, or in
// text, below the origins. That is for a terminal with so many columns; 0 is for any number. For
// several crawlers it is a table, as [Table] is.
func Loads(asJSON, asCSV bool, s terminal.Style, crawlers [][]string, columns int) LoadForm {
	f := LoadForm{host: func(origin string) string { return s.Bold(printable.Text(origin)) + "\n" }}
	switch {
	case asJSON:
		return LoadForm{load: loadJSON}
	case asCSV:
		return LoadForm{head: "kind,from," + CSV().heading, load: loadCSV}
	case len(crawlers) == 1:
		f.load = func(l Load) string { return loadLine(s, l) }
	case columns > 0 && tableWidth(crawlers)+usualPath > columns:
		f.load = func(l Load) string { return loadRows(s, l) }
	default:
		f.head = tableHead(s, crawlers, "KIND    URL")
		f.load = func(l Load) string { return loadRow(s, l) }
	}
	return f
}

func loadJSON(l Load) string {
	return Each(func(v judge.Verdict) string {
		return verb.JSONLine(struct {
			Kind string `json:"kind"`
			From string `json:"from,omitempty"`
			verdictData
		}{l.Kind, l.From, dataOfVerdict(v)})
	}, "").text(l.Verdicts)
}

func loadCSV(l Load) string {
	head := strings.TrimSuffix(verb.CSVLine(l.Kind, l.From), "\n") + ","
	return Each(func(v judge.Verdict) string { return head + csvLine(v) }, "").text(l.Verdicts)
}

// usualPath is the width of a usual path, with its kind.
const usualPath = 30

// loadLine tells a load for one crawler.
func loadLine(s terminal.Style, l Load) string {
	v := l.Verdicts[0]
	o := OutcomeOf(v.Decision, v.Err)
	return fmt.Sprintf("  %s  %-6s  %s  %s\n", o.Paint(s, fmt.Sprintf("%-11s", o)), l.Kind, path(v), s.Dim(printable.Text(why(o, v.Decision, v.Err)+old(v.Decision))))
}

// loadRow tells a load as a row of the table.
func loadRow(s terminal.Style, l Load) string {
	return fmt.Sprintf("%s%-6s  %s\n", cells(s, l.Verdicts), l.Kind, path(l.Verdicts[0]))
}

// loadRows tells the verdicts on a load below it, each in a row.
func loadRows(s terminal.Style, l Load) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %-6s  %s\n", l.Kind, path(l.Verdicts[0]))
	for _, v := range l.Verdicts {
		fmt.Fprintf(&b, "    %s  %s\n", cell(s, v, verdictWidth), v.Tokens[0])
	}
	return b.String()
}

// path returns the URL of a verdict without its origin, in one word.
func path(v judge.Verdict) string {
	_, rest, _ := strings.Cut(v.URL, "://")
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		return printable.URL(rest[slash:])
	}
	return ShownURL(v)
}
