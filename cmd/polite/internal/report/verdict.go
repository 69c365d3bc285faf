package report

import (
	"fmt"
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

// A Load is what was judged, with the verdicts on it, one for each crawler: one URL, or with --resources
// a page or what a page loads.
type Load struct {
	Kind     string // "page", "script", "image" and others; "" for one URL
	From     string // the URL of the style that names it; "" for none
	Verdicts []judge.Verdict
}

// name tells the URL of a load in one word: below its origin, it is the kind and the path.
func (l Load) name() string {
	if l.Kind != "" {
		return fmt.Sprintf("%-6s  %s", l.Kind, path(l.Verdicts[0]))
	}
	return ShownURL(l.Verdicts[0])
}

// subject tells the URL, and what is the same for all crawlers.
func (l Load) subject(s terminal.Style) string {
	v := l.Verdicts[0]
	text := l.name() + s.Dim(old(v.Decision))
	if v.Err != nil {
		text += s.Dim("  " + verb.Message(v.Err))
	}
	return text
}

// indent returns what precedes a load: it stands below its origin, if that is told.
func (l Load) indent() string {
	if l.Kind != "" {
		return "  "
	}
	return ""
}

// uses tells what the site says about the uses of a page, but not of all that it loads.
func (l Load) uses(v judge.Verdict) string {
	if l.Kind != "" {
		return ""
	}
	return usesInLine(v)
}

// A Form is how verdicts are told: all verdicts on one URL at a time.
type Form struct {
	heading string                     // before all
	between string                     // two URLs
	host    func(origin string) string // before all that a page loads from an origin; nil for nothing
	text    func(Load) string
}

// Tell returns the verdicts on one URL, which is the first or one that follows.
func (f Form) Tell(verdicts []judge.Verdict, first bool) string {
	text := f.text(Load{Verdicts: verdicts})
	if first {
		return f.heading + text
	}
	return f.between + text
}

// TellLoads returns the verdicts on the loads from an origin. The first are those from the page's own.
func (f Form) TellLoads(origin string, loads []Load, first bool) string {
	var b strings.Builder
	if first {
		b.WriteString(f.heading)
	}
	if f.host != nil {
		b.WriteString(f.host(origin))
	}
	for _, l := range loads {
		b.WriteString(f.text(l))
	}
	return b.String()
}

// JSON tells each verdict as a JSON object on a line.
func JSON() Form {
	return each(func(l Load, v judge.Verdict) string {
		return verb.JSONLine(struct {
			Kind string `json:"kind,omitempty"`
			From string `json:"from,omitempty"`
			verdictData
		}{l.Kind, l.From, dataOfVerdict(v)})
	}, "")
}

// each tells the verdicts one by one, with between after each but the last.
func each(tell func(Load, judge.Verdict) string, between string) Form {
	return Form{between: between, text: func(l Load) string {
		var texts []string
		for _, v := range l.Verdicts {
			texts = append(texts, tell(l, v))
		}
		return strings.Join(texts, between)
	}}
}

// Lines tells each verdict in a line.
func Lines(s terminal.Style) Form {
	return each(func(l Load, v judge.Verdict) string {
		o := OutcomeOf(v.Decision, v.Err)
		word := o.Paint(s, fmt.Sprintf("%-11s", o))
		why := why(o, v.Decision, v.Err) + l.uses(v) + old(v.Decision)
		return fmt.Sprintf("%s%s  %s  %s\n", l.indent(), word, l.name(), s.Dim(printable.Text(why)))
	}, "")
}

// Table has a column for each crawler, and a row for each URL. If it is too wide for a
// terminal, each URL has a row for each crawler instead. The width is that of the terminal,
// 0 for any; the URLs have up to so many octets. last is the heading above them.
func Table(s terminal.Style, crawlers [][]string, width, urls int, last string) Form {
	if width > 0 && tableWidth(crawlers)+urls > width {
		return Form{between: "\n", text: func(l Load) string { return rows(s, l) }}
	}
	return Form{heading: tableHead(s, crawlers, last), text: func(l Load) string {
		return cells(s, l.Verdicts) + l.subject(s) + "\n" + useRows(s, l)
	}}
}

// Loads tells each verdict on each load as [JSON] does, or in text, below the origins. That is
// for a terminal with so many columns; 0 is for any number. For several crawlers it is a table,
// as [Table] is.
func Loads(asJSON bool, s terminal.Style, crawlers [][]string, columns int) Form {
	if asJSON {
		return JSON()
	}
	f := Lines(s)
	if len(crawlers) > 1 {
		const usualPath = 30 // octets, with its kind
		f = Table(s, crawlers, columns, usualPath, "KIND    URL")
	}
	f.host = func(origin string) string { return s.Bold(printable.Text(origin)) + "\n" }
	return f
}

// CSV tells each verdict as a line of CSV, after one that names the columns.
func CSV() Form {
	form := each(csvLine, "")
	form.heading = verb.CSVLine("verdict", "crawler", "url", "line", "rule", "group", "robots_url", "error")
	return form
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

// cells tells verdicts, each in the column of its crawler.
func cells(s terminal.Style, verdicts []judge.Verdict) string {
	var b strings.Builder
	for _, v := range verdicts {
		b.WriteString(cell(s, v, column(v.Tokens)) + "  ")
	}
	return b.String()
}

// rows tells verdicts below what they are on, each in a row.
func rows(s terminal.Style, l Load) string {
	var b strings.Builder
	b.WriteString(l.indent() + l.subject(s) + "\n")
	for _, v := range l.Verdicts {
		fmt.Fprintf(&b, "%s  %s  %s%s\n", l.indent(), cell(s, v, verdictWidth), v.Tokens[0], s.Dim(printable.Text(l.uses(v))))
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

// knownUses are those that a table tells. Of others it has no idea how wide they are.
var knownUses = []usage.Use{usage.Search, usage.AIInput, usage.TrainAI}

// useRows tells what a site says about the uses of one page as rows of the table, below
// the verdicts.
func useRows(s terminal.Style, l Load) string {
	if l.Kind != "" {
		return ""
	}
	var rows strings.Builder
	for _, use := range knownUses {
		var row strings.Builder
		for _, v := range l.Verdicts {
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
	return rows.String() + policyRows(s, l.Verdicts)
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
func csvLine(_ Load, v judge.Verdict) string {
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

// path returns the URL of a verdict without its origin, in one word.
func path(v judge.Verdict) string {
	_, rest, _ := strings.Cut(v.URL, "://")
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		return printable.URL(rest[slash:])
	}
	return ShownURL(v)
}
