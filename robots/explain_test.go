package robots_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMatches(t *testing.T) {
	f := robots.Parse([]byte(`user-agent: a
disallow: /p
allow: /pa*e
disallow: /page
allow: /page
disallow: /other

user-agent: b
disallow: /page/b

user-agent: A
disallow: /*
`))
	want := []robots.Rule{
		{Allow: true, Pattern: "/pa*e", Line: 3},
		{Allow: true, Pattern: "/page", Line: 5},
		{Allow: false, Pattern: "/page", Line: 4},
		{Allow: false, Pattern: "/p", Line: 2},
		{Allow: false, Pattern: "/*", Line: 12},
	}
	assert.Equal(t, want, slices.Collect(f.Rules("a").Matches("https://example.com/page?q#f")))
	assert.Equal(t, want[:1], slices.Collect(take(1, f.Rules("a").Matches("/page"))))
	assert.Empty(t, slices.Collect(f.Rules("a").Matches("/robots.txt")))
	assert.Empty(t, slices.Collect(f.Rules("c").Matches("/page")))
	assert.Empty(t, slices.Collect(robots.Rules{}.Matches("/page")))
}

func take[T any](n int, seq func(func(T) bool)) func(func(T) bool) {
	return func(yield func(T) bool) {
		for x := range seq {
			if n--; !yield(x) || n == 0 {
				return
			}
		}
	}
}

func TestRuleLen(t *testing.T) {
	for pattern, want := range map[string]int{
		"/":        1,
		"/*.php$":  7,
		"/%62%61z": 4,
		"/ツ":       10,
		"/a b":     6,
		"/%zz":     4,
	} {
		assert.Equal(t, want, robots.Rule{Pattern: pattern}.Len(), pattern)
	}
}

func TestNamedBy(t *testing.T) {
	f := robots.Parse([]byte("user-agent: MJ12bot\ndisallow: /\nuser-agent: *\ndisallow: /x\n"))
	ours, others := f.Rules("MJ12bot"), f.Rules("b")
	for _, test := range []struct {
		line         string
		ours, others bool
	}{
		{"user-agent: MJ12bot", true, false},
		{"  User agent:mj12BOT/1.4 # them", true, false},
		{"useragent mj12bot", true, false},
		{"user-agent: MJ", false, false},
		{"user-agent: *", false, true},
		{"user-agent:", false, false},
		{"disallow: MJ12bot", false, false},
		{"", false, false},
	} {
		assert.Equal(t, test.ours, ours.NamedBy([]byte(test.line)), test.line)
		assert.Equal(t, test.others, others.NamedBy([]byte(test.line)), test.line)
	}
	assert.True(t, f.Rules("MJ").NamedBy([]byte("user-agent: MJ12bot")), "as a crawler with an RFC's token reads it")
	assert.False(t, robots.Rules{}.NamedBy([]byte("user-agent:")))
}

func TestAgents(t *testing.T) {
	f := robots.Parse([]byte(`host: example.com
user-agent: b2b/1
sitemap: https://example.com/s.xml
user-agent: A
user-agent: a
crawl-delay: 1
disallow: /
noindex: /x

user-agent: *
content-signal: ai=no
`))
	want := map[string][]string{
		"host": nil, "sitemap": nil, "crawl-delay": {"b2b", "A"}, "noindex": {"b2b", "A"}, "content-signal": {"*"},
	}
	for r := range f.Records() {
		assert.Equal(t, want[r.Key], f.Agents(r), r.Key)
	}
	assert.Nil(t, f.Agents(robots.Record{Line: 7}), "a rule")
}

// If a line names the short form of another line's token, Agents returns both tokens.
func TestAgentsReadTwice(t *testing.T) {
	for written, want := range map[string][]string{
		"MJ12bot MJ":     {"MJ12bot", "MJ"},
		"MJ MJ12bot":     {"MJ", "MJ12bot"},
		"x1 X x2 x":      {"x1", "X", "x2"},
		"1a a.b ab a":    {"1a", "a.b", "ab", "a"},
		"x1 x1 x2":       {"x1", "x2"},
		"* *":            {"*"},
		"bot-2 Bot- bot": {"bot-2", "Bot-", "bot"},
	} {
		f := robots.Parse([]byte("user-agent: " + strings.ReplaceAll(written, " ", "\nuser-agent: ") + "\ncrawl-delay: 1\n"))
		for r := range f.Records() {
			assert.Equal(t, want, f.Agents(r), written)
		}
	}
}

func TestLinesOfSource(t *testing.T) {
	for body, want := range map[string][]string{
		"":                  nil,
		"a":                 {"a"},
		"a\n":               {"a"},
		"\uFEFFa\r\nb\rc\n": {"a", "b", "c"},
		"\xEF\xBBa\nb":      {"a", "b"},
		"\xEF\nb":           {"", "b"},
		"\n\r\r\n\n":        {"", "", "", ""},
		strings.Repeat("x", robots.MaxSize-1) + "\nyz": {strings.Repeat("x", robots.MaxSize-1)},
	} {
		var got []string
		for n, line := range robots.Lines([]byte(body)) {
			got = append(got, string(line))
			assert.Len(t, got, n)
		}
		assert.Equal(t, want, got)
	}
}

// refMatching returns the rules that match path, for agent.
func refMatching(body, agent, path string) (matching []refRule) {
	target := refNormal(path, false)
	for _, g := range refSpeaking(refParse(body), agent) {
		for _, r := range g.rules {
			if target != "/robots.txt" && refMatches(r.pattern, target) {
				matching = append(matching, r)
			}
		}
	}
	return matching
}

// Whatever the bytes, the matches are the rules that match by the reference, the first
// match decides, and lines have the same numbers as for Parse.
func FuzzMatches(f *testing.F) {
	f.Add("user-agent: a\ndisallow: /\nallow: /x\nuser-agent: a\ndisallow: /x", "a", "/x")
	f.Add("\uFEFFuser-agent: *\r\rallow: *%3a$\r\ndisallow /ツ\nhost: x", "b", "/?:")
	f.Fuzz(func(t *testing.T, body, agent, path string) {
		if len(body) > 2000 || len(path) > 200 || agent == "*" || strings.Contains(path, "#") {
			t.Skip()
		}
		path = "/" + path
		rules := robots.Parse([]byte(body)).Rules(agent)
		lines := make(map[int]string)
		for n, line := range robots.Lines([]byte(body)) {
			lines[n] = string(line)
		}
		matches := slices.Collect(rules.Matches(path))
		if first, ok := rules.Match(path); ok {
			require.NotEmpty(t, matches)
			require.Equal(t, first, matches[0])
		} else {
			require.Empty(t, matches)
		}
		require.True(t, slices.IsSortedFunc(matches, func(a, b robots.Rule) int { return b.Len() - a.Len() }))
		want := refMatching(body, agent, path)
		require.Len(t, matches, len(want))
		for _, m := range matches {
			require.Contains(t, want, refRule{m.Allow, m.Pattern, m.Line})
			require.Contains(t, lines[m.Line], m.Pattern)
		}
		for r := range robots.Parse([]byte(body)).Records() {
			require.Contains(t, lines[r.Line], r.Key)
			require.Contains(t, lines[r.Line], r.Value)
		}
	})
}

func TestNamed(t *testing.T) {
	f := robots.Parse([]byte("user-agent: MJ12bot\nuser-agent: *\ndisallow: /\nuser-agent: mj12BOT\nuser-agent: Googlebot/2.1\nuser-agent: a b\nuser-agent: (x)\nallow: /\n"))
	assert.Equal(t, []string{"MJ12bot", "*", "Googlebot", "a"}, slices.Collect(f.Named()))
	assert.Equal(t, []string{"MJ12bot"}, slices.Collect(take(1, f.Named())))
	assert.Empty(t, slices.Collect(robots.Parse(nil).Named()))
}

// The matches of a group with an index are in order, too.
func TestAll(t *testing.T) {
	var b strings.Builder
	b.WriteString("user-agent: a\n")
	for i := range 300 {
		b.WriteString("disallow: /" + strings.Repeat("x", 300-i) + "\n")
	}
	b.WriteString("disallow:\nuser-agent: b\nallow: /b\nuser-agent: A\nallow: /%61\n")
	f := robots.Parse([]byte(b.String()))
	all := slices.Collect(f.Rules("a").All())
	assert.Len(t, all, 301)
	assert.True(t, slices.IsSortedFunc(all, func(a, b robots.Rule) int { return a.Line - b.Line }))
	assert.Equal(t, robots.Rule{Allow: true, Pattern: "/%61", Line: 306}, all[300])
	assert.Equal(t, all[:1], slices.Collect(take(1, f.Rules("a").All())))
	assert.Empty(t, slices.Collect(robots.Rules{}.All()))
}
