package lint_test

import (
	"cmp"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
	"github.com/go-polite/polite/robots/usage"
)

// idle are the checks that find lines which do nothing, with what may replace such a
// line: an empty rule if the line still ends a list of agents. If the finding says to
// leave the line out, nothing replaces it.
var idle = map[string]string{
	"duplicate-rule": "disallow:", "redundant-rule": "disallow:", "never-wins": "disallow:",
	"allow-without-effect": "disallow:", "empty-rule": "disallow:",
	"pattern-without-slash": "disallow:", "url-as-pattern": "disallow:", "rule-outside-group": "",
	"missing-colon": "", "missing-key": "", "wide-colon": "", "longer-key": "", "mistyped-record": "",
	"unknown-record": "", "meta-record": "", "bad-sitemap": "",
	"bad-delay": "", "delay-outside-group": "", "repeated-delay": "",
}

// Whatever the bytes, findings are in order and within the file, and nothing in them acts
// on a terminal. A line that does nothing by a finding really does nothing.
func FuzzLint(f *testing.F) {
	f.Add("allow: /\nuser-agent: a/1, b\n\nuser-agent: *\ndisallow: /a\nallow: /a\ndisalow: /a*b$\nallow: /%2a?é\nx: y\n")
	f.Add("\uFEFFuser-agent: mj12bot\rdisallow /x\r\ncrawl-delay: 1\ncrawl-delay: 2\nuser-agent: mj\nallow: x\nallow: /x*\n# é\n:\nfoo\n")
	for _, rules := range []string{
		"disallow: /blog\nallow: /blog\nallow: /",
		"disallow: *\nallow: **$\ndisallow: /",
		"disallow: /tag/*$",
		"disallow: /a *\ndisallow: /b *$",
		"disallow: /ab*\nallow: /*b",
		"disallow: /ab*$\nallow: /a**b\nallow: /x$*",
		"allow: /y\nuser-agent: a\ndisallow: /\nuser-agent: *\ndisallow: /z",
		"disallow:\nallow: /y\nallow: /y/z\nuser-agent: a\ndisallow: /\nuser-agent: *\ndisallow: /z",
	} {
		f.Add("user-agent: *\n" + rules)
	}
	f.Add("user-agent: \u3164\ndisallow: /\x1b\u202e/%9b/\ufe0f \u2028\nsitemap: \u034f\n\u2800\n\U000e0041: \x9b\ncrawl-delay: 1,\x7f\n")
	f.Add("\xf1：x\xf1\xf1\xf1\xf1\xf1：:\nK：:\n")
	for _, line := range hostileLines {
		f.Add("user-agent: *\n" + line(1) + line(2) + line(3) + line(1))
	}
	for body := range lint.Bodies() {
		if len(body) < 200 {
			f.Add(body)
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		if len(body) > 5000 {
			t.Skip()
		}
		body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
		findings := lint.Lint([]byte(body))
		lines := strings.Split(body, "\n")
		require.True(t, slices.IsSortedFunc(findings, func(a, b lint.Finding) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		}))
		for _, finding := range findings {
			require.True(t, 1 <= finding.Line && finding.Line <= len(lines), finding)
			require.True(t, 1 <= finding.Column && finding.Column <= len(lines[finding.Line-1])+1, finding)
			require.True(t, slices.ContainsFunc(lint.Checks(), func(c lint.Check) bool {
				return c.ID == finding.ID && c.Severity == finding.Severity
			}), finding)
			require.Equal(t, printable.Text(finding.Message), finding.Message)
		}
		requireIdle(t, body, findings)
	})
}

// The same for files of rules: random bytes are seldom rules.
func TestRules(t *testing.T) {
	long.NotShort(t)
	for seed := range long.Or[uint64](100, 500) {
		body := randomRules(rand.New(rand.NewPCG(seed, 9309)))
		requireIdle(t, body, lint.Lint([]byte(body)))
	}
}

func randomRules(random *rand.Rand) string {
	alphabet := []string{"/ab", "/a*b?", "a*/", "/ab*$%2F3A?:", "/ab*.$", "/*%2A46", "/*{%7Ba"}[random.IntN(7)]
	var body strings.Builder
	for range 1 + random.IntN(4) {
		body.WriteString("user-agent: " + []string{"*", "a", "b", "a1"}[random.IntN(4)] + "\n")
		for range random.IntN([]int{2, 8, 100, 400}[random.IntN(4)]) {
			body.WriteString([]string{"allow: /", "disallow: /", "disallow: *"}[random.IntN(3)])
			for range random.IntN(6) {
				body.WriteByte(alphabet[random.IntN(len(alphabet))])
			}
			body.WriteByte('\n')
		}
	}
	return body.String()
}

// requireIdle requires that a file means the same after its author follows one of the
// findings, or all of them.
func requireIdle(t *testing.T, body string, findings []lint.Finding) {
	said := newSaid(body)
	lines := strings.Split(body, "\n")
	all := slices.Clone(lines)
	for i, finding := range findings {
		changed, ok := follow(lines[finding.Line-1], finding)
		if !ok || all[finding.Line-1] != lines[finding.Line-1] {
			continue
		}
		all[finding.Line-1] = changed
		if i < 5 {
			one := slices.Clone(lines)
			one[finding.Line-1] = changed
			said.require(t, strings.Join(one, "\n"))
		}
	}
	said.require(t, strings.Join(all, "\n"))
	requireNeverWins(t, body, findings)
}

// follow returns the line that remains if the author follows a finding, and whether this
// should change nothing.
func follow(line string, finding lint.Finding) (string, bool) {
	before, part := line[:finding.Column-1], line[finding.Column-1:]
	switch finding.ID {
	case "repeated-star":
		return before + stars.ReplaceAllString(part, "*"), true
	case "trailing-star":
		return before + strings.TrimPrefix(strings.TrimPrefix(part, "*"), "$"), true
	}
	instead, ok := idle[finding.ID]
	if leaveOut.MatchString(finding.Message) {
		instead = ""
	}
	return instead, ok
}

var stars = regexp.MustCompile(`\*+`)

var leaveOut = regexp.MustCompile("; leave (it|this one) out")

// said is what a file says to the crawlers that it names.
type said struct {
	body            string
	agents, targets []string
	allowed         []bool
	others          []any // delays and preferences
}

func newSaid(body string) *said {
	s := &said{body: body, agents: append(agentsIn(body), "other"), targets: targetsFor(body)}
	s.allowed, s.others = s.of(body)
	return s
}

// of returns what body says to the same crawlers.
func (s *said) of(body string) (allowed []bool, others []any) {
	file := robots.Parse([]byte(body))
	for _, agent := range s.agents {
		rules := file.Rules(agent)
		delay, ok := rules.CrawlDelay()
		if !ok {
			delay = -1
		}
		others = append(others, delay)
		for _, target := range s.targets[:2] {
			stated := usage.OfRules(rules, target)
			others = append(others, stated.Allows(usage.Search), stated.Allows(usage.AIInput), stated.Allows(usage.TrainAI))
		}
		for _, target := range s.targets {
			allowed = append(allowed, rules.Allowed(target))
		}
	}
	return allowed, others
}

// require requires that another file says the same.
func (s *said) require(t *testing.T, changed string) {
	allowed, others := s.of(changed)
	require.Equal(t, s.others, others, "%s\n%s", s.body, changed)
	for i := range allowed {
		if allowed[i] != s.allowed[i] {
			require.Failf(t, "a line does something", "%q for %q\n%s\n%s", s.targets[i%len(s.targets)], s.agents[i/len(s.targets)], s.body, changed)
		}
	}
}

// requireNeverWins requires that a rule decides on nothing if a finding says so.
func requireNeverWins(t *testing.T, body string, findings []lint.Finding) {
	never := make(map[int]bool)
	for _, finding := range findings {
		never[finding.Line] = never[finding.Line] || finding.ID == "never-wins"
	}
	file, targets := robots.Parse([]byte(body)), targetsFor(body)
	for _, agent := range append(agentsIn(body), "other") {
		rules := file.Rules(agent)
		for _, target := range targets {
			rule, _ := rules.Match(target)
			require.False(t, never[rule.Line], "%q for %q, by line %d\n%s", target, agent, rule.Line, body)
		}
	}
}

// agentsIn returns product tokens that a file may name.
func agentsIn(body string) []string {
	var agents []string
	for _, word := range strings.FieldsFunc(body, func(c rune) bool { return !robots.IsProductToken(string(c)) }) {
		agents = append(agents, word, strings.TrimRight(word, "0123456789."))
	}
	slices.Sort(agents)
	agents = slices.Compact(agents)
	return agents[:min(len(agents), 20)]
}

// targetsFor returns paths that the patterns in a file match, or nearly do.
func targetsFor(body string) []string {
	targets := []string{"/", "/?"}
	for line := range strings.SplitSeq(body, "\n") {
		at := strings.IndexAny(line, "/*")
		if at < 0 || len(targets) > 300 {
			continue
		}
		pattern := strings.TrimSpace(line[at:])
		for _, run := range []string{"", "/", "a?b", "*"} {
			target := strings.TrimSuffix(strings.ReplaceAll(pattern, "*", run), "$")
			targets = append(targets, "/"+strings.TrimPrefix(target, "/"), "/"+target, "/"+strings.TrimPrefix(target, "/")+"b/", "/a"+target)
		}
	}
	return targets
}
