package judge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// An Explanation is what the text of a robots.txt adds to a decision. It is zero if
// the text is not at hand.
type Explanation struct {
	Matches     []robots.Rule // the first Most of the rules that match; the rule that decides is the first
	MoreMatches int
	Tied        bool   // a rule that disallows matches, too, and is as long as the one that decides
	Named       []int  // the lines that name the group
	Lines       []Line // the first Most lines that name the group or match, in the order of the file, and the one that decides
	MoreLines   int
	Lack        string // why there is no group
}

// Most is how many matches and lines an [Explanation] has. A file may have thousands of each.
const Most = 20

// A Policy is what the group of a policy token says about the use of a page: see [usage.IsPolicyToken].
type Policy struct {
	Token string
	Rule  robots.Rule // that decides on the page
}

const mostPolicies = 20 // that are told

// PolicyTokens returns the first policy tokens that files name, each once.
func PolicyTokens(files ...*robots.File) (tokens []string) {
	for _, f := range files {
		for token := range f.Named() {
			known := func(other string) bool { return strings.EqualFold(other, token) }
			if len(tokens) < mostPolicies && usage.IsPolicyToken(token) && !slices.ContainsFunc(tokens, known) {
				tokens = append(tokens, token)
			}
		}
	}
	return tokens
}

// A Line is a line of a robots.txt.
type Line struct {
	Number int    `json:"line"`
	Text   string `json:"text"`
	Length int    `json:"-"` // of the rule in the line; 0 if there is none
}

// explain returns what text, which may be nil, adds to d, a decision on target for a crawler.
func explain(text *robotstxt.Text, tokens []string, d polite.Decision, target string) (e Explanation) {
	if text == nil || !robotstxt.IsRead(d) {
		return e
	}
	rules := text.Rules(tokens...)
	e.Named = text.NamedBy(rules)
	for _, n := range e.Named {
		e.addLine(Line{Number: n})
	}
	matches := 0
	var decides robots.Rule // zero if none matches
	for m := range rules.Matches(target) {
		if matches++; matches == 1 {
			decides = m
		}
		if len(e.Matches) < Most {
			e.Matches = append(e.Matches, m)
		}
		e.Tied = e.Tied || !m.Allow && m.Len() == e.Matches[0].Len()
		e.addLine(Line{Number: m.Line, Length: m.Len()})
	}
	if decides != d.Rule || rules.Agent() != d.Group {
		return Explanation{} // the text at this URL has changed since
	}
	if d.Group == "" {
		return Explanation{Lack: text.Lack()}
	}
	if last := len(e.Lines) - 1; matches > 0 && e.Lines[last].Number < d.Rule.Line {
		e.Lines = append(e.Lines, Line{Number: d.Rule.Line, Length: d.Rule.Len()})
	}
	for i := range e.Lines {
		e.Lines[i].Text = text.Line(e.Lines[i].Number)
	}
	e.MoreMatches, e.MoreLines = matches-len(e.Matches), len(e.Named)+matches-len(e.Lines)
	return e
}

// addLine adds a line, if it is among the first.
func (e *Explanation) addLine(l Line) {
	i, _ := slices.BinarySearchFunc(e.Lines, l, func(a, b Line) int { return cmp.Compare(a.Number, b.Number) })
	if i < Most {
		e.Lines = slices.Insert(e.Lines[:min(len(e.Lines), Most-1)], i, l)
	}
}

// policiesOn returns what policy tokens of a file say of target, in the order of the lines that decide.
func policiesOn(f *robots.File, tokens []string, target string) (all []Policy) {
	for _, token := range tokens {
		if rule, ok := f.Rules(token).Match(target); ok {
			all = append(all, Policy{token, rule})
		}
	}
	slices.SortFunc(all, func(a, b Policy) int { return cmp.Or(a.Rule.Line-b.Rule.Line, strings.Compare(a.Token, b.Token)) })
	return all
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
	switch {
	case len(others) == 0:
		return OnlyRule
	case others[0].Len() != best.Len():
		return Longest
	case best.Allow && e.Tied:
		return AllowOnTie
	default:
		return FirstOfEqual
	}
}

// A Verdict is what robots.txt means for a URL and a crawler.
type Verdict struct {
	URL      string   // as it is shown
	Tokens   []string // the crawler's product tokens
	Decision polite.Decision
	Err      error           // why there is no decision
	Usage    usage.Statement // what the site says of the page, if it may be fetched
	Policies []Policy        // what its policy tokens say of such a page, which nothing enforces
	Explanation
}

// A GroupReason says why a group speaks to a crawler.
type GroupReason string

const (
	OwnToken      GroupReason = "own-token"
	FallbackToken GroupReason = "fallback-token"
	Everyone      GroupReason = "everyone"
	NoGroup       GroupReason = "none"
)

// GroupReason returns why the group speaks. It is "" if no file was read.
func (v Verdict) GroupReason() GroupReason {
	d := v.Decision
	switch {
	case !robotstxt.IsRead(d):
		return ""
	case d.Group == "":
		return NoGroup
	case d.Group == "*":
		return Everyone
	case strings.EqualFold(d.Group, v.Tokens[0]):
		return OwnToken
	default:
		return FallbackToken
	}
}
