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
	Matches []robots.Rule // the rule that decides is the first
	Named   []int         // the lines that name the group
	Lines   []Line        // the lines that name the group or match, in the order of the file
	Lack    string        // why there is no group
}

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
}

// A subject is what a text says to a crawler, to explain decisions by.
type subject struct {
	text  *robotstxt.Text
	rules robots.Rules
	lines [][]byte
	named []int // the numbers of the lines that name the group
}

// newSubject returns the subject of a text, which may be nil.
func newSubject(text *robotstxt.Text, tokens []string) *subject {
	if text == nil {
		return nil
	}
	s := &subject{text: text, rules: text.Rules(tokens...)}
	for n, line := range robots.Lines(text.Body) {
		s.lines = append(s.lines, line)
		if s.rules.NamedBy(line) {
			s.named = append(s.named, n)
		}
	}
	return s
}

// explain returns what s, which may be nil, adds to d, a decision on target.
func (s *subject) explain(d polite.Decision, target string) Explanation {
	if s == nil || !readRules(d) {
		return Explanation{}
	}
	e := Explanation{Matches: slices.Collect(s.rules.Matches(target))}
	if e.decides() != d.Rule || s.rules.Agent() != d.Group {
		return Explanation{} // the text at this URL has changed since
	}
	if d.Group == "" {
		e.Lack = s.text.Lack()
		return e
	}
	e.Named = s.named
	numbers := slices.Clone(s.named)
	for _, m := range e.Matches {
		numbers = append(numbers, m.Line)
	}
	slices.Sort(numbers)
	for _, n := range slices.Compact(numbers) {
		e.Lines = append(e.Lines, Line{n, string(s.lines[n-1])})
	}
	return e
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

// readRules reports whether d rests on a file that was read.
func readRules(d polite.Decision) bool {
	return d.Reason == polite.ReasonRule || d.Reason == polite.ReasonNoRule
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
	case !readRules(d):
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
