package report

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
)

// A Story is all there is to say about a verdict. Its texts are printable, whatever a site
// or a file wrote.
type Story struct {
	URL     string  `json:"url"`
	Verdict Outcome `json:"verdict"`
	Entries []Entry `json:"entries"`
	Picture []Line  `json:"picture"` // the lines of the file that matter, in its order
	More    int     `json:"more"`    // lines that matter and are not in the picture
}

// An Entry is a name and what there is to say about it. The spaces in a line matter.
type Entry struct {
	Name  string   `json:"name"`
	Lines []string `json:"lines"`
}

// StoryOf returns the story of a verdict.
func StoryOf(v judge.Verdict) Story {
	s := Story{URL: ShownURL(v), Verdict: OutcomeOf(v.Decision, v.Err), Picture: picture(v), More: v.MoreLines}
	if v.Err != nil {
		s.add("because", verb.Message(v.Err))
		return s
	}
	s.add("crawler", strings.Join(v.Tokens, ", else "))
	s.add("robots.txt", provenanceOf(v)...)
	if group := group(v); group != "" {
		s.add("group", group)
		s.add("rules", rules(v)...)
	}
	var uses []string
	for _, u := range Uses(v) {
		uses = append(uses, terminal.Excerpt(fmt.Sprintf("%-12s  line %d: %s", u.Text(), u.Line, u.Value)))
	}
	s.add("use", uses...)
	if delay := Delay(v); delay != "" {
		s.add("delay", delay)
	}
	return s
}

// add adds an entry, unless there is nothing to say.
func (s *Story) add(name string, lines ...string) {
	var shown []string
	for _, line := range lines {
		shown = append(shown, printable.Text(line))
	}
	if len(shown) > 0 {
		s.Entries = append(s.Entries, Entry{name, shown})
	}
}

// provenanceOf tells where the robots.txt came from.
func provenanceOf(v judge.Verdict) []string {
	d := v.Decision
	if d.Reason == polite.ReasonAgreed {
		return []string{"not asked for, since the owner has agreed: " + d.Basis}
	}
	lines := []string{d.RobotsURL}
	for _, hop := range d.Hops {
		lines = append(lines, "-> "+hop)
	}
	switch d.Reason {
	case polite.ReasonRobotsTxt:
		return append(lines, "which is always allowed itself")
	case polite.ReasonUnavailable:
		lines = append(lines, answers(d)...)
		if d.Err == nil && (d.Status == http.StatusNotFound || d.Status == http.StatusGone) {
			return append(lines, "a site without robots.txt allows everything")
		}
		return append(lines, "this means the same as no robots.txt: everything is allowed")
	case polite.ReasonUnreachable:
		if errors.Is(d.Err, polite.ErrBreak) {
			return append(lines, Answer(d), "so nothing may be fetched until then")
		}
		return append(lines, Answer(d), "so nobody knows what the site wants, and nothing may be fetched")
	}
	lines = append(lines, answers(d)...)
	if d.Truncated {
		lines = append(lines, fmt.Sprintf("only its first %d bytes count", robots.MaxSize))
	}
	if lack := Lack(v.Lack); lack != "" {
		lines = append(lines, lack)
	}
	return lines
}

// answers tells what the site answered and when, and why it was not asked again.
func answers(d polite.Decision) (lines []string) {
	why := Unasked(d)
	switch {
	case d.Reason == polite.ReasonUnavailable && why == "":
		lines = append(lines, Answer(d))
	case d.Reason == polite.ReasonUnavailable:
		lines = append(lines, Answer(d)+", "+ago(d.Fetched))
	case !d.Failing.IsZero():
		lines = append(lines, fmt.Sprintf("fetched %s; since then it %s", ago(d.Fetched), Answer(d)))
	case d.Status != 0:
		lines = append(lines, fmt.Sprintf("%d %s, fetched %s", d.Status, http.StatusText(d.Status), ago(d.Fetched)))
	}
	if why != "" {
		lines = append(lines, why)
	}
	return lines
}

// Lack tells why a text has rules for nobody. It is "" if it has groups.
func Lack(l string) string {
	switch l {
	case "":
		return ""
	case robotstxt.NoGroups:
		return "it has no user-agent line that names a crawler, and so has no rules"
	default:
		return "it is " + l + ", and so has no rules (see polite lint)"
	}
}

// group tells which group speaks, and why. It is "" if no file was read.
func group(v judge.Verdict) string {
	group := fmt.Sprintf("%q%s", v.Decision.Group, lineNumbers(v.Named))
	absent := strings.Join(v.Tokens, " or ")
	switch v.GroupReason() {
	case judge.OwnToken:
		return group + ": the crawler's own"
	case judge.FallbackToken:
		before := v.Tokens[:slices.IndexFunc(v.Tokens, func(t string) bool { return strings.EqualFold(t, v.Decision.Group) })]
		return group + ": no group is for " + strings.Join(before, " or ")
	case judge.Everyone:
		return group + ": no group is for " + absent
	case judge.NoGroup:
		return "none" + groupless(v, absent) + ", so all is allowed"
	default:
		return ""
	}
}

// groupless tells why no group speaks to a crawler. It is "" if that was told.
func groupless(v judge.Verdict, absent string) string {
	switch {
	case v.Lack != "":
		return ""
	case crawlers.IgnoresEveryone(v.Tokens[0]):
		return ": no group is for " + absent + `, which ignores the group for "*", as Google says`
	default:
		return ": no group is for " + absent + `, and none for "*"`
	}
}

// lineNumbers tells the numbers of lines.
func lineNumbers(lines []int) string {
	const most = 5
	var b strings.Builder
	for i, n := range lines {
		switch {
		case i == most:
			return b.String() + ", ..."
		case i > 0:
			b.WriteString(", ")
		case len(lines) == 1:
			b.WriteString(", line ")
		default:
			b.WriteString(", lines ")
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}

// mostMatches is how many matches are told. A file may have thousands.
const mostMatches = 10

// rules lists the rules that match.
func rules(v judge.Verdict) []string {
	if v.Decision.Group == "" {
		return nil
	}
	if v.Decision.Reason == polite.ReasonNoRule {
		return []string{"none matches, so it is allowed"}
	}
	if len(v.Matches) == 0 { // the text is no longer at hand
		return []string{Reason(v.Decision)}
	}
	lines := []string{"length  line  rule"}
	for i, m := range v.Matches {
		line := fmt.Sprintf("%6d  %4d  %s", m.Len(), m.Line, terminal.Excerpt(m.String()))
		if i == mostMatches {
			lines = append(lines, fmt.Sprintf("and %d more", len(v.Matches)+v.MoreMatches-i))
			break
		}
		if i == 0 {
			line += "  <- decides: " + ruleReasons[v.RuleReason()]
		}
		lines = append(lines, line)
	}
	return lines
}

var ruleReasons = map[judge.RuleReason]string{
	judge.OnlyRule: "no other matches", judge.Longest: "the longest",
	judge.AllowOnTie: "a tie of the longest, which allow wins", judge.FirstOfEqual: "the first of the longest",
}

// Delay tells how long polite waits between requests. It is "" if it does not wait.
func Delay(v judge.Verdict) string {
	switch d := v.Decision; {
	case crawlers.IgnoresDelay(v.Tokens[0]) && d.CrawlDelay > 0:
		return fmt.Sprintf("a crawl-delay of %v, which %s ignores", d.CrawlDelay, v.Tokens[0])
	case d.Gap == 0:
		return ""
	case d.Gap > d.CrawlDelay:
		return fmt.Sprintf("%v between requests (set for the site)", d.Gap)
	case d.Gap < d.CrawlDelay:
		return fmt.Sprintf("%v between requests, of the %v that crawl-delay asks for", d.Gap, d.CrawlDelay)
	default:
		return fmt.Sprintf("%v between requests (crawl-delay)", d.Gap)
	}
}

// A Line is a line of the file.
type Line struct {
	Line    int    `json:"line"`
	Text    string `json:"text"`
	Decides bool   `json:"decides"`
	Length  int    `json:"length,omitempty"` // of the pattern as precedence counts it, if a rule of the line matches
	Why     string `json:"why,omitempty"`    // the line decides
}

// picture returns the lines of the file that matter, and marks the one that decides.
func picture(v judge.Verdict) []Line {
	lines := []Line{}
	for _, line := range v.Lines {
		l := Line{Line: line.Number, Text: terminal.Excerpt(line.Text), Length: line.Length}
		if l.Decides = v.Decision.Reason == polite.ReasonRule && line.Number == v.Decision.Rule.Line; l.Decides {
			l.Why = ruleReasons[v.RuleReason()]
		}
		lines = append(lines, l)
	}
	return lines
}

// Whole tells each verdict as a story.
func Whole(style terminal.Style) Form {
	return each(func(_ Load, v judge.Verdict) string { return StoryOf(v).paint(style) }, "\n")
}

// paint returns the story as it is shown on a terminal.
func (s Story) paint(style terminal.Style) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n\n", s.Verdict.Paint(style, string(s.Verdict)), s.URL)
	for _, e := range s.Entries {
		name := e.Name
		for _, line := range e.Lines {
			fmt.Fprintf(&b, "  %s  %s\n", style.Bold(fmt.Sprintf("%-10s", name)), line)
			name = ""
		}
	}
	if len(s.Picture) > 0 {
		b.WriteString("\n")
	}
	for i, line := range s.Picture {
		if i > 0 && line.Line > s.Picture[i-1].Line+1 {
			b.WriteString(style.Dim("         ...") + "\n")
		}
		mark, text := " ", line.Text
		if line.Decides {
			mark, text = s.Verdict.Paint(style, ">"), s.Verdict.Paint(style, line.Text)
		}
		fmt.Fprintf(&b, "%s %6d | %s\n", mark, line.Line, text)
	}
	return b.String()
}
