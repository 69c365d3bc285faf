package judge

import (
	"slices"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/robots"
)

// An Explanation is what the text of a robots.txt adds to a decision. It is zero if
// the text is not at hand.
type Explanation struct {
	Matches []robots.Rule  // the rule that decides is the first
	Named   []int          // the lines that name the group
	Lines   []Line         // the lines that name the group or match, in the order of the file
	Lack    robotstxt.Lack // why there is no group
}

// A Line is a line of a robots.txt.
type Line struct {
	Number int    `json:"line"`
	Text   string `json:"text"`
}

// explain returns what text, which may be nil, adds to d, a decision on target.
func explain(d polite.Decision, text *robotstxt.Text, tokens []string, target string) Explanation {
	if text == nil || !readRules(d) {
		return Explanation{}
	}
	rules := text.Rules(tokens...)
	e := Explanation{Matches: slices.Collect(rules.Matches(target))}
	if e.decides() != d.Rule || rules.Agent() != d.Group {
		return Explanation{} // the text at this URL has changed since
	}
	if d.Group == "" {
		return Explanation{Lack: text.Lack()}
	}
	matching := make(map[int]bool)
	for _, m := range e.Matches {
		matching[m.Line] = true
	}
	for n, line := range robots.Lines(text.Body) {
		names := rules.NamedBy(line)
		if names {
			e.Named = append(e.Named, n)
		}
		if names || matching[n] {
			e.Lines = append(e.Lines, Line{n, string(line)})
		}
	}
	return e
}

// readRules reports whether d rests on a file that was read.
func readRules(d polite.Decision) bool {
	return d.Reason == polite.ByRule || d.Reason == polite.NoRule
}

// decides returns the rule that decides, which is zero if none matches.
func (e Explanation) decides() robots.Rule {
	if len(e.Matches) == 0 {
		return robots.Rule{}
	}
	return e.Matches[0]
}

// A RuleReason says why a rule decides.
type RuleReason string

const (
	OnlyRule     RuleReason = "only"
	Longest      RuleReason = "longest"
	AllowOnTie   RuleReason = "allow-on-tie"
	FirstOfEqual RuleReason = "first-of-equals"
)

// RuleReason returns why the first of the matches decides. It is "" if there is none.
func (e Explanation) RuleReason() RuleReason {
	if len(e.Matches) == 0 {
		return ""
	}
	best, others := e.Matches[0], e.Matches[1:]
	equal := func(m robots.Rule) bool { return m.Len() == best.Len() }
	switch {
	case len(others) == 0:
		return OnlyRule
	case !equal(others[0]):
		return Longest
	case best.Allow && slices.ContainsFunc(others, func(m robots.Rule) bool { return !m.Allow && equal(m) }):
		return AllowOnTie
	default:
		return FirstOfEqual
	}
}
