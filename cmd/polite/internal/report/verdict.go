package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/provenance"
	"github.com/go-polite/polite/robots/usage"
)

// decisionData is what is decided on a request, in JSON. The documentation of the command
// describes it.
type decisionData struct {
	URL             string        `json:"url"`
	Hop             int           `json:"hop,omitempty"`
	RedirectedFrom  string        `json:"redirected_from,omitempty"`
	Allowed         bool          `json:"allowed"`
	Reason          polite.Reason `json:"reason,omitempty"`
	Agreement       string        `json:"agreement,omitempty"`
	Status          int           `json:"status,omitempty"`
	Break           float64       `json:"break,omitempty"` // seconds, that the site asks for
	Error           string        `json:"error,omitempty"`
	Page            string        `json:"page,omitempty"`
	File            string        `json:"file,omitempty"`
	Origin          string        `json:"origin,omitempty"`
	Agent           string        `json:"agent,omitempty"`
	Group           string        `json:"group,omitempty"`
	Rule            string        `json:"rule,omitempty"`
	Line            int           `json:"line,omitempty"`
	RobotsURL       string        `json:"robots_url,omitempty"`
	RobotsStatus    int           `json:"robots_status,omitempty"`
	RobotsHops      []string      `json:"robots_hops,omitempty"`
	RobotsError     string        `json:"robots_error,omitempty"`
	RobotsTruncated bool          `json:"robots_truncated,omitempty"`
	Gap             float64       `json:"gap,omitempty"`
	CrawlDelay      float64       `json:"crawl_delay,omitempty"`
	Next            time.Time     `json:"next,omitzero"`

	Provenance *provenance.Record `json:"provenance,omitempty"`
}

func dataOf(d polite.Decision) decisionData {
	r := decisionData{
		URL: d.URL, Allowed: d.Allowed, Reason: d.Reason,
		Origin: d.Origin, Agent: d.Agent, Group: d.Group,
		RobotsURL: d.RobotsURL, RobotsStatus: d.Status, RobotsHops: d.Hops,
		RobotsError: fetchError(d.Err), RobotsTruncated: d.Truncated,
		Gap: d.Gap.Seconds(), CrawlDelay: d.CrawlDelay.Seconds(),
		Next: toSecond(d.Next),
	}
	if d.Reason == polite.ReasonAgreed {
		r.Agreement = d.Basis
	}
	if d.Reason == polite.ReasonRule {
		r.Rule, r.Line = verb.Cut(d.Rule.String()), d.Rule.Line
	}
	return r
}

// toSecond returns t as it is shown. The zero time stays as it is.
func toSecond(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Round(time.Second)
}

// verdictData is a verdict in JSON. The documentation of the command describes it.
type verdictData struct {
	decisionData
	Agents      []string          `json:"agents"`
	GroupReason judge.GroupReason `json:"group_reason,omitempty"`
	RuleReason  judge.RuleReason  `json:"rule_reason,omitempty"`
	Matches     []match           `json:"matches,omitempty"`
	Lines       []judge.Line      `json:"lines,omitempty"`
	Uses        []Use             `json:"uses,omitempty"`
	Fetched     time.Time         `json:"robots_fetched,omitzero"`
}

type match struct {
	Rule   string `json:"rule"`
	Line   int    `json:"line"`
	Length int    `json:"length"`
}

func dataOfVerdict(v judge.Verdict) verdictData {
	r := verdictData{
		decisionData: dataOf(v.Decision), Agents: v.Tokens,
		GroupReason: v.GroupReason(), RuleReason: v.RuleReason(),
		Uses: Uses(v), Fetched: toSecond(v.Decision.Fetched),
	}
	r.URL, r.Error = v.URL, verb.Message(v.Err)
	for _, m := range v.Matches {
		r.Matches = append(r.Matches, match{verb.Cut(m.String()), m.Line, m.Len()})
	}
	for _, l := range v.Lines {
		r.Lines = append(r.Lines, judge.Line{Number: l.Number, Text: verb.Cut(l.Text)})
	}
	return r
}

// A Form is how verdicts are told: all verdicts on one URL at a time.
type Form struct {
	heading string // before all
	between string // two URLs
	text    func([]judge.Verdict) string
}

// Tell returns the verdicts on one URL, which is the first or one that follows.
func (f Form) Tell(verdicts []judge.Verdict, first bool) string {
	if first {
		return f.heading + f.text(verdicts)
	}
	return f.between + f.text(verdicts)
}

// JSON tells each verdict as a JSON object on a line.
func JSON() Form {
	return Each(func(v judge.Verdict) string { return verb.JSONLine(dataOfVerdict(v)) }, "")
}

// Each tells the verdicts one by one, with between after each but the last.
func Each(tell func(judge.Verdict) string, between string) Form {
	return Form{between: between, text: func(verdicts []judge.Verdict) string {
		var texts []string
		for _, v := range verdicts {
			texts = append(texts, tell(v))
		}
		return strings.Join(texts, between)
	}}
}

// Lines tells each verdict in a line.
func Lines(s terminal.Style) Form {
	return Each(func(v judge.Verdict) string { return line(s, v) }, "")
}

// Table has a column for each crawler, and a row for each URL. If it is too wide for a
// terminal, each URL has a row for each crawler instead. The width is that of the terminal,
// 0 for any; the URLs have up to so many octets.
func Table(s terminal.Style, crawlers [][]string, width, urls int) Form {
	if width > 0 && tableWidth(crawlers)+urls > width {
		return Form{between: "\n", text: func(v []judge.Verdict) string { return rows(s, v) }}
	}
	return Form{heading: tableHead(s, crawlers, "URL"), text: func(v []judge.Verdict) string { return row(s, v) }}
}

// CSV tells each verdict as a line of CSV, after one that names the columns.
func CSV() Form {
	form := Each(csvLine, "")
	form.heading = verb.CSVLine("verdict", "crawler", "url", "line", "rule", "group", "robots_url", "error")
	return form
}

func line(s terminal.Style, v judge.Verdict) string {
	o := OutcomeOf(v.Decision, v.Err)
	word := o.Paint(s, fmt.Sprintf("%-11s", o))
	why := why(o, v.Decision, v.Err) + usesInLine(v) + old(v.Decision)
	return fmt.Sprintf("%s  %s  %s\n", word, ShownURL(v), s.Dim(printable.Text(why)))
}

// column returns the width of a crawler's column, which has room for its name and for
// a verdict.
func column(tokens []string) int { return max(len(tokens[0]), verdictWidth) }

const verdictWidth = len("disallowed 1234")

// tableHead names the columns: the crawlers', and the last.
func tableHead(s terminal.Style, crawlers [][]string, last string) string {
	var b strings.Builder
	for _, tokens := range crawlers {
		fmt.Fprintf(&b, "%-*s  ", column(tokens), tokens[0])
	}
	return s.Bold(b.String()+last) + "\n"
}

// tableWidth returns the width of the crawlers' columns.
func tableWidth(crawlers [][]string) int {
	width := 0
	for _, tokens := range crawlers {
		width += column(tokens) + len("  ")
	}
	return width
}

// row tells the verdicts on one URL as a row of the table. The URL is last, because
// it may have any length.
func row(s terminal.Style, verdicts []judge.Verdict) string {
	return cells(s, verdicts) + subject(s, verdicts[0]) + "\n" + useRows(s, verdicts)
}

// cells tells verdicts, each in the column of its crawler.
func cells(s terminal.Style, verdicts []judge.Verdict) string {
	return Each(func(v judge.Verdict) string { return cell(s, v, column(v.Tokens)) + "  " }, "").text(verdicts)
}

// rows tells the verdicts on one URL below the URL, each in a row.
func rows(s terminal.Style, verdicts []judge.Verdict) string {
	var b strings.Builder
	b.WriteString(subject(s, verdicts[0]) + "\n")
	for _, v := range verdicts {
		fmt.Fprintf(&b, "  %s  %s%s\n", cell(s, v, verdictWidth), v.Tokens[0], s.Dim(printable.Text(usesInLine(v))))
	}
	return b.String()
}

// cell tells a verdict, and the line of the rule that decides.
func cell(s terminal.Style, v judge.Verdict, width int) string {
	o := OutcomeOf(v.Decision, v.Err)
	text := string(o)
	if v.Decision.Reason == polite.ReasonRule {
		text += fmt.Sprint(" ", v.Decision.Rule.Line)
	}
	return o.Paint(s, fmt.Sprintf("%-*s", width, text))
}

// subject tells the URL of a verdict, and what is the same for all crawlers.
func subject(s terminal.Style, v judge.Verdict) string {
	text := ShownURL(v) + s.Dim(old(v.Decision))
	if v.Err != nil {
		text += s.Dim("  " + verb.Message(v.Err))
	}
	return text
}

// knownUses are those that a table tells. Of others it has no idea how wide they are.
var knownUses = []usage.Use{usage.Search, usage.AIInput, usage.TrainAI}

// useRows tells what a site says about the uses of one page as rows of the table, below
// the verdicts.
func useRows(s terminal.Style, verdicts []judge.Verdict) string {
	var rows strings.Builder
	for _, use := range knownUses {
		var row strings.Builder
		for _, v := range verdicts {
			cell := ""
			if p := v.Usage.Allows(use); p != usage.NotStated {
				cell = "  " + string(use) + " " + p.String()
			}
			fmt.Fprintf(&row, "%-*s  ", column(v.Tokens), cell)
		}
		if text := strings.TrimRight(row.String(), " "); text != "" {
			rows.WriteString(s.Dim(text) + "\n")
		}
	}
	return rows.String() + policyRows(s, verdicts)
}

// policyRows tells what policy tokens say of a page, whoever fetches it.
func policyRows(s terminal.Style, verdicts []judge.Verdict) string {
	var rows strings.Builder
	for _, v := range verdicts {
		for _, u := range policies(v) {
			rows.WriteString(s.Dim(printable.Text("  "+u.Text())) + "\n")
		}
		if rows.Len() > 0 {
			break
		}
	}
	return rows.String()
}

// csvLine tells a verdict in CSV. The documentation of the command describes it.
func csvLine(v judge.Verdict) string {
	d := v.Decision
	var line, rule string
	if d.Reason == polite.ReasonRule {
		line, rule = fmt.Sprint(d.Rule.Line), verb.Cut(d.Rule.String())
	}
	o := OutcomeOf(d, v.Err)
	problem := verb.Message(v.Err)
	if v.Err == nil && o == Unreachable {
		problem = "robots.txt " + Answer(d)
	}
	return verb.CSVLine(string(o), v.Tokens[0], v.URL, line, rule, d.Group, d.RobotsURL, problem)
}

// Unexpected tells, as compilers do, a verdict that is not the one that a line of a file
// expects.
func Unexpected(s terminal.Style, place, crawler string, allowed bool, v judge.Verdict) string {
	o := OutcomeOf(v.Decision, v.Err)
	if place != "" {
		place = s.Bold(printable.Text(place)+":") + " "
	}
	return fmt.Sprintf("%s%s for %s is %s, not %s  %s\n", place, ShownURL(v), printable.Text(crawler),
		o.Paint(s, string(o)), ByRule(allowed), s.Dim(printable.Text(why(o, v.Decision, v.Err)+old(v.Decision))))
}

// UnexpectedJSON is Unexpected as a line of JSON.
func UnexpectedJSON(place string, allowed bool, v judge.Verdict) string {
	return verb.JSONLine(struct {
		Place    string  `json:"place"`
		Expected Outcome `json:"expected"`
		Outcome  Outcome `json:"outcome"`
		verdictData
	}{place, ByRule(allowed), OutcomeOf(v.Decision, v.Err), dataOfVerdict(v)})
}

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

// Loads tells each verdict on each load as [JSON] does, with the kind and the style, or in
// text, below the origins. That is for a terminal with so many columns; 0 is for any number. For
// several crawlers it is a table, as [Table] is.
func Loads(asJSON bool, s terminal.Style, crawlers [][]string, columns int) LoadForm {
	f := LoadForm{host: func(origin string) string { return s.Bold(printable.Text(origin)) + "\n" }}
	switch {
	case asJSON:
		return LoadForm{load: loadJSON}
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
