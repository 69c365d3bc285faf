package robots_test

import (
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Whatever the bytes, Match and the reference give the same verdict, by the same line.
func FuzzDecide(f *testing.F) {
	f.Add("user-agent: a\ndisallow: /\n", "a", "/x")
	f.Add("\uFEFFuser-agent: a/1\rdisallow /a*b$\r\nallow: /a?b=%3a\n\nuser agent: MJ12bot*\nuser-agent: *\nDisalow: *%2F:$\n", "MJ12bot", "/a?b=:")
	f.Add("\xEF\xBBuser-agent\f a\ndisallow\v /\n", "a", "/x")
	f.Add("allow: /\nuser-agent: * x\ndisallow: /%62%zz*%2A$$#\n", "b", "/bé%zz*$")
	f.Add("user-agent: a\ndisallow: /p\n", "a", "example.com/p")
	f.Add("user-agent: a\ndisallow: /{%2%46}\n", "a", "https://u;v@example.com/%7B%2%46%7d#/q")
	f.Add("user-agent: *\n"+strings.Repeat("disallow: *q\n", 5)+"disallow: *%*%3Ax\n", "a", "/?%zz:x") // the first "%" hides no other
	f.Fuzz(func(t *testing.T, body, agent, target string) {
		if len(body) > 2000 || len(target) > 200 || agent == "*" {
			t.Skip()
		}
		want := refDecide(body, agent, target)
		got, _ := robots.Parse([]byte(body)).Rules(agent).Match(target)
		assert.Equal(t, robots.Rule{Allow: want.allow, Pattern: want.pattern, Line: want.line}, got)
	})
}

// A pattern matches the same paths as in the reference.
func FuzzMatch(f *testing.F) {
	for _, seed := range [][2]string{
		{"/*a*b$", "/xaxbxab"}, {"/**", "/"}, {"/a$b*", "/a$bc"}, {"*%2F?%3a", "/?/%3F:"}, {"/%e3%83%84", "/ツ"}, {"/*%3A*:", "/%3A?:%3A"}, {"/%2a%24$", "/*$"}, {"*%3A*A", "?:%%33A"},
		{"/*{\\}%3a", "/%7B%5c}:?|%7B\\%7D:"}, {"/%%41B*%2%46$", "/%A%42%%32%46"}, {"*%2%46", "/?%2%46"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if len(pattern) > 200 || len(path) > 200 || strings.ContainsAny(pattern, "\r\n#") || strings.Contains(path, "#") || strings.Trim(pattern, refSpace) != pattern || pattern == "" {
			t.Skip()
		}
		path = "/" + path
		_, got := file("user-agent: *", "disallow: "+pattern).Rules("a").Match(path)
		target := refNormal(path, false)
		assert.Equal(t, target != "/robots.txt" && refMatches(pattern, target), got)
	})
}

// In groups of any length, and in several groups, the same rule decides as in the
// reference. Other spellings of the rules are found in other ways.
func FuzzGroups(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 9309))
		word := func(alphabet string, longest int) string {
			var b strings.Builder
			for range random.IntN(longest + 1) {
				b.WriteByte(alphabet[random.IntN(len(alphabet))])
			}
			return b.String()
		}
		var body strings.Builder
		for range 1 + random.IntN(3) {
			body.WriteString("user-agent: " + []string{"*", "a", "b"}[random.IntN(3)] + "\n")
			alphabet := []string{"/ab", "/a*b?", "/ab*$%2F3A?:", "/abcdefghijk*", "/*{%7B46"}[random.IntN(5)]
			for range random.IntN([]int{20, 600}[random.IntN(2)]) { // with and without an index
				body.WriteString([]string{"allow: /", "disallow: /", "disallow: *"}[random.IntN(3)] + word(alphabet, 9) + "\n")
			}
		}
		for range 10 {
			path := "/" + word([]string{"/ab", "/ab?:%3A", "/abcdefghijk", "/{%7B46"}[random.IntN(4)], 14)
			want := refDecide(body.String(), "a", path)
			got, _ := robots.Parse([]byte(body.String())).Rules("a").Match(path)
			require.Equal(t, robots.Rule{Allow: want.allow, Pattern: want.pattern, Line: want.line}, got, path)
		}
	})
}

// A file means the same with another comment or blank line, with other line ends, and for
// a URL and its path. Reading it takes memory in proportion to its size.
func FuzzParse(f *testing.F) {
	f.Add([]byte("user-agent: a\n\ndisallow: /\nallow: /x\nuser-agent: *\n"), uint16(1), "/y")
	f.Add([]byte("\uFEFFuser-agent: a\r\n\rdisallow /*%"), uint16(0), "/%?")
	f.Fuzz(func(t *testing.T, body []byte, at uint16, path string) {
		if len(body) > robots.MaxSize/2 || strings.Contains(path, "#") {
			t.Skip()
		}
		before, plain := allocated(), robots.Parse(body)
		require.LessOrEqual(t, allocated()-before, uint64(1<<16+80*len(body)), "bytes allocated")
		lines := strings.SplitAfter(string(body), "\n")
		head := strings.Join(lines[:int(at)%len(lines)], "")
		tail := string(body)[len(head):]
		if head == "" {
			head, tail = "\uFEFF", refWithoutMark(tail)
		}
		for name, variant := range map[string]string{
			"comment":    head + "# user-agent: a\n" + tail,
			"blank line": head + "\n" + tail,
			"CRLF":       strings.ReplaceAll(strings.ReplaceAll(string(body), "\r\n", "\n"), "\n", "\r\n"),
		} {
			other := robots.Parse([]byte(variant))
			for _, agent := range []string{"a", "b"} {
				require.Equal(t, plain.Allowed(agent, "/"+path), other.Allowed(agent, "/"+path), "%s, for %s", name, agent)
				require.Equal(t, plain.Allowed(agent, "/"+path), plain.Allowed(agent, "https://example.com/"+path), "URL, for %s", agent)
			}
		}
	})
}

// allocated returns the number of bytes that the process has ever allocated.
func allocated() uint64 {
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.TotalAlloc
}
