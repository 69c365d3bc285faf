package robots_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/require"
)

// idle are the checks that say of a line that it does nothing, and what may stand
// in its place: an empty rule where the line still ends a list of agents.
var idle = map[string]string{
	"duplicate-rule": "", "redundant-rule": "", "rule-outside-group": "",
	"empty-rule": "disallow:", "never-wins": "disallow:", "allow-without-effect": "disallow:",
	"pattern-without-slash": "disallow:", "url-as-pattern": "disallow:",
	"missing-colon": "", "missing-key": "", "wide-colon": "", "longer-key": "", "mistyped-record": "",
	"unknown-record": "", "meta-record": "", "bad-sitemap": "",
	"bad-delay": "", "delay-outside-group": "", "repeated-delay": "",
}

// Whatever the bytes, findings are in order and within the file, and what is said
// to do nothing does nothing.
func FuzzLint(f *testing.F) {
	f.Add("allow: /\nuser-agent: a/1, b\n\nuser-agent: *\ndisallow: /a\nallow: /a\ndisalow: /a*b$\nallow: /%2a?é\nx: y\n")
	f.Add("\uFEFFuser-agent: mj12bot\rdisallow /x\r\ncrawl-delay: 1\ncrawl-delay: 2\nuser-agent: mj\nallow: x\nallow: /x*\n# é\n:\nfoo\n")
	for _, rules := range []string{
		"disallow: /blog\nallow: /blog\nallow: /",
		"disallow: *\nallow: **$\ndisallow: /",
	} {
		f.Add("user-agent: *\n" + rules)
	}
	f.Add("\xf1：x\xf1\xf1\xf1\xf1\xf1：:\nK：:\n")
	for _, line := range hostileLines {
		f.Add("user-agent: *\n" + line(1) + line(2) + line(3) + line(1))
	}
	for _, test := range lintTests {
		for body := range test.finds {
			if len(body) < 200 {
				f.Add(body)
			}
		}
	}
	f.Fuzz(func(t *testing.T, body string) {
		if len(body) > 5000 {
			t.Skip()
		}
		body = strings.ReplaceAll(strings.ReplaceAll(body, "\r\n", "\n"), "\r", "\n")
		findings := robots.Lint([]byte(body))
		lines := strings.Split(body, "\n")
		require.True(t, slices.IsSortedFunc(findings, func(a, b robots.Finding) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		}))
		for _, finding := range findings {
			require.True(t, 1 <= finding.Line && finding.Line <= len(lines), finding)
			require.True(t, 1 <= finding.Column && finding.Column <= len(lines[finding.Line-1])+1, finding)
			require.True(t, slices.ContainsFunc(robots.Checks(), func(c robots.Check) bool {
				return c.ID == finding.ID && c.Severity == finding.Severity
			}), finding)
		}
		requireIdle(t, body, findings)
	})
}

// The same for files of rules, which random bytes seldom are.
func TestLintRules(t *testing.T) {
	for seed := range uint64(500) {
		body := randomRules(rand.New(rand.NewPCG(seed, 9309)))
		requireIdle(t, body, robots.Lint([]byte(body)))
	}
}

func randomRules(random *rand.Rand) string {
	alphabet := []string{"/ab", "/a*b?", "a*/", "/ab*$%2F3A?:", "/ab*.$"}[random.IntN(5)]
	var body strings.Builder
	for range 1 + random.IntN(4) {
		body.WriteString("user-agent: " + []string{"*", "a", "b", "a1"}[random.IntN(4)] + "\n")
		for range random.IntN([]int{2, 8, 100}[random.IntN(3)]) {
			body.WriteString([]string{"allow: /", "disallow: /", "disallow: *"}[random.IntN(3)])
			for range random.IntN(6) {
				body.WriteByte(alphabet[random.IntN(len(alphabet))])
			}
			body.WriteByte('\n')
		}
	}
	return body.String()
}

// requireIdle requires that a file says the same without what findings say of it
// that it does nothing: one line of it, or all.
func requireIdle(t *testing.T, body string, findings []robots.Finding) {
	lines := strings.Split(body, "\n")
	shorter := slices.Clone(lines)
	for i, finding := range findings {
		instead, ok := idle[finding.ID]
		if !ok {
			continue
		}
		shorter[finding.Line-1] = instead
		if i < 20 {
			without := slices.Clone(lines)
			without[finding.Line-1] = instead
			requireSame(t, body, strings.Join(without, "\n"))
		}
	}
	requireSame(t, body, strings.Join(shorter, "\n"))
	requireNeverWins(t, body, findings)
}

// requireSame requires that two files say the same.
func requireSame(t *testing.T, body, changed string) {
	file, other := robots.Parse([]byte(body)), robots.Parse([]byte(changed))
	targets := targetsFor(body)
	for _, agent := range append(agentsIn(body), "other") {
		rules, others := file.Rules(agent), other.Rules(agent)
		for _, target := range targets {
			if rules.Allowed(target) != others.Allowed(target) {
				require.Failf(t, "a line does something", "%q for %q\n%s\n%s", target, agent, body, changed)
			}
		}
		delay, ok := rules.CrawlDelay()
		otherDelay, otherOK := others.CrawlDelay()
		require.Equal(t, delay, otherDelay)
		require.Equal(t, ok, otherOK)
	}
}

// requireNeverWins requires that rules of which that is said decide on nothing.
func requireNeverWins(t *testing.T, body string, findings []robots.Finding) {
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
