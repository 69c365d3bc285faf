package main

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

// A form is how verdicts are told: those on one URL at a time.
type form struct {
	heading string // before all
	between string // two URLs
	text    func([]verdict) string
}

func (f form) tell(verdicts []verdict, first bool) string {
	if first {
		return f.heading + f.text(verdicts)
	}
	return f.between + f.text(verdicts)
}

// form returns the one that the options ask for.
func (o *checkOptions) form(s style) form {
	switch {
	case o.json:
		return form{text: each(verdict.json, "")}
	case o.whole:
		return form{between: "\n", text: each(s.story, "\n")}
	case len(o.crawlers) > 1:
		return form{heading: s.tableHead(o.crawlers), text: s.row}
	default:
		return form{text: each(s.line, "")}
	}
}

// each returns the function that tells verdicts one by one.
func each(tell func(verdict) string, between string) func([]verdict) string {
	return func(verdicts []verdict) string {
		var texts []string
		for _, v := range verdicts {
			texts = append(texts, tell(v))
		}
		return strings.Join(texts, between)
	}
}

// line tells a verdict in one line.
func (s style) line(v verdict) string {
	o := v.status()
	word := s.outcome(o, fmt.Sprintf("%-11s", o.word()))
	return fmt.Sprintf("%s  %s  %s\n", word, v.shownURL(), s.dim(printable.Text(why(o, v.decision, v.err))))
}

// shownURL is the URL in one word, or what was given for one.
func (v verdict) shownURL() string {
	if v.err != nil {
		return printable.Text(v.url)
	}
	return printable.URL(v.url)
}

// A column of the table has room for the name of its crawler and for a verdict.
func column(tokens []string) int { return max(len(tokens[0]), len("disallowed 1234")) }

func (s style) tableHead(crawlers [][]string) string {
	var b strings.Builder
	for _, tokens := range crawlers {
		fmt.Fprintf(&b, "%-*s  ", column(tokens), tokens[0])
	}
	return s.bold(b.String()+"URL") + "\n"
}

// row tells the verdicts on one URL as a row of the table. The URL comes last,
// since it can be of any length.
func (s style) row(verdicts []verdict) string {
	var b strings.Builder
	for _, v := range verdicts {
		cell := v.status().word()
		if v.decision.Reason == polite.ByRule {
			cell += fmt.Sprint(" ", v.decision.Rule.Line)
		}
		b.WriteString(s.outcome(v.status(), fmt.Sprintf("%-*s", column(v.tokens), cell)) + "  ")
	}
	b.WriteString(verdicts[0].shownURL())
	if err := verdicts[0].err; err != nil {
		b.WriteString(s.dim("  " + message(err)))
	}
	return b.String() + "\n"
}

// story tells all there is to say about a verdict.
func (s style) story(v verdict) string {
	o := v.status()
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n\n", s.outcome(o, o.word()), v.shownURL())
	if v.err != nil {
		b.WriteString(s.entry("because", message(v.err)))
		return b.String()
	}
	b.WriteString(s.entry("crawler", strings.Join(v.tokens, ", else ")))
	b.WriteString(s.entry("robots.txt", v.provenance()...))
	if group := v.group(); group != "" {
		b.WriteString(s.entry("group", group))
		b.WriteString(s.rules(v))
	}
	if delay := v.delay(); delay != "" {
		b.WriteString(s.entry("delay", delay))
	}
	b.WriteString(s.picture(v))
	return b.String()
}

// entry is a name and what there is to say about it, which may take several
// lines.
func (s style) entry(name string, lines ...string) string {
	var b strings.Builder
	for _, line := range lines {
		fmt.Fprintf(&b, "  %s  %s\n", s.bold(fmt.Sprintf("%-10s", name)), printable.Text(line))
		name = ""
	}
	return b.String()
}

// provenance tells where the robots.txt came from.
func (v verdict) provenance() []string {
	d := v.decision
	lines := []string{d.RobotsURL}
	for _, hop := range d.Hops {
		lines = append(lines, "-> "+hop)
	}
	switch d.Reason {
	case polite.RobotsTxt:
		return append(lines, "which is always allowed itself")
	case polite.Unavailable:
		return append(lines, answer(d), unavailable(d))
	case polite.Unreachable:
		return append(lines, answer(d), "so nobody knows what the site wants, and nothing may be fetched")
	}
	if d.Status != 0 {
		lines = append(lines, fmt.Sprintf("%d %s, fetched %s", d.Status, http.StatusText(d.Status), ago(d.Fetched)))
	}
	if d.Truncated {
		lines = append(lines, fmt.Sprintf("only its first %d bytes count", robots.MaxSize))
	}
	if v.lack != noLack {
		lines = append(lines, string(v.lack))
	}
	return lines
}

// unavailable tells why an answer without rules allows everything.
func unavailable(d polite.Decision) string {
	if d.Err == nil && (d.Status == http.StatusNotFound || d.Status == http.StatusGone) {
		return "a site without robots.txt allows everything"
	}
	return "that counts as no robots.txt, which allows everything"
}

func ago(t time.Time) string {
	if age := time.Since(t).Round(time.Second); age > 0 {
		return age.String() + " ago"
	}
	return "now"
}

// group tells which group speaks, and why. It is empty if no file was read.
func (v verdict) group() string {
	group := fmt.Sprintf("%q%s", v.decision.Group, places(v.named))
	absent := strings.Join(v.tokens, " or ")
	switch v.groupReason() {
	case ownToken:
		return group + ": the crawler's own"
	case fallbackToken:
		before := v.tokens[:slices.IndexFunc(v.tokens, func(t string) bool { return strings.EqualFold(t, v.decision.Group) })]
		return group + ": no group is for " + strings.Join(before, " or ")
	case everyone:
		return group + ": no group is for " + absent
	case noGroup:
		if v.lack != noLack {
			return "none, so all is allowed"
		}
		if ignoresEveryone(v.tokens[0]) {
			return "none: no group is for " + absent + `, which ignores that for "*", as Google says, so all is allowed`
		}
		return "none: no group is for " + absent + `, and none for "*", so all is allowed`
	default:
		return ""
	}
}

// places tells the numbers of lines.
func places(lines []int) string {
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

// mostMatches is how many matches are told: a file may have thousands.
const mostMatches = 10

// rules lists those that match.
func (s style) rules(v verdict) string {
	if v.decision.Group == "" {
		return ""
	}
	if v.decision.Reason == polite.NoRule {
		return s.entry("rules", "none matches, so it is allowed")
	}
	if len(v.matches) == 0 { // the text is no longer at hand
		return s.entry("rules", reason(v.decision))
	}
	lines := []string{"length  line  rule"}
	for i, m := range v.matches {
		line := fmt.Sprintf("%6d  %4d  %s", m.Len(), m.Line, excerpt(m.String()))
		if i == mostMatches {
			lines = append(lines, fmt.Sprintf("and %d more", len(v.matches)-i))
			break
		}
		if i == 0 {
			line += "  <- decides: " + v.ruleReason().text()
		}
		lines = append(lines, line)
	}
	return s.entry("rules", lines...)
}

// delay tells what is kept between requests, or "" if nothing is.
func (v verdict) delay() string {
	switch d := v.decision; {
	case ignoresDelay(v.tokens[0]) && d.SiteDelay > 0:
		return fmt.Sprintf("a crawl-delay of %v, which %s ignores", d.SiteDelay, v.tokens[0])
	case d.Delay == 0:
		return ""
	case d.Delay < d.SiteDelay:
		return fmt.Sprintf("%v between requests, of the %v that crawl-delay asks for", d.Delay, d.SiteDelay)
	default:
		return fmt.Sprintf("%v between requests (crawl-delay)", d.Delay)
	}
}

// picture shows the lines of the file that matter, with a mark at the one that
// decides.
func (s style) picture(v verdict) string {
	if len(v.lines) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n")
	last, shown := 0, 0
	for _, line := range v.lines {
		decides := v.decision.Reason == polite.ByRule && line.Line == v.decision.Rule.Line
		if shown >= 2*mostMatches && !decides {
			continue
		}
		if line.Line > last+1 && shown > 0 {
			b.WriteString(s.dim("         ...") + "\n")
		}
		b.WriteString(s.sourceLine(line, decides, v.status()) + "\n")
		last, shown = line.Line, shown+1
	}
	return b.String()
}

func (s style) sourceLine(line sourceLine, decides bool, o exitStatus) string {
	text := excerpt(line.Text)
	if !decides {
		return fmt.Sprintf("  %6d | %s", line.Line, text)
	}
	return fmt.Sprintf("%s %6d | %s", s.outcome(o, ">"), line.Line, s.outcome(o, text))
}
