package judge

import (
	"fmt"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The picture is of the text that decided, or there is none.
func TestExplainOtherText(t *testing.T) {
	d := polite.Decision{Reason: polite.ReasonRule, Group: "*", Rule: robots.Rule{Pattern: "/x", Line: 2}}
	for body, want := range map[string]int{
		"user-agent: *\ndisallow: /x\n":  2,
		"user-agent: *\n\ndisallow: /x":  0,
		"user-agent: *\ndisallow: /x*\n": 0,
		"user-agent: a\ndisallow: /x\n":  0,
		"":                               0,
	} {
		assert.Len(t, explain(robotstxt.NewText([]byte(body)), []string{"a"}, d, "/x").Lines, want, body)
	}
}

// The line that decides is told, however many lines name the crawler before it.
func TestExplainDeciding(t *testing.T) {
	for _, named := range []int{1, Most, Most + 10} {
		body := strings.Repeat("user-agent: *\n", named) + "disallow: /x\n"
		d := polite.Decision{Reason: polite.ReasonRule, Group: "*", Rule: robots.Rule{Pattern: "/x", Line: named + 1}}
		e := explain(robotstxt.NewText([]byte(body)), []string{"a"}, d, "/x")
		last := e.Lines[len(e.Lines)-1]
		assert.Equal(t, Line{named + 1, "disallow: /x", 2}, last)
		assert.Equal(t, named+1, len(e.Lines)+e.MoreLines)
	}
}

// A question asks the site of its URL, unless there is a file to go by.
func TestAsks(t *testing.T) {
	q := Question{URL: &url.URL{Scheme: "https", Host: "a.example", Path: "/x"}}
	assert.Equal(t, "https://a.example", New(Options{}).asks(q))
	assert.Empty(t, New(Options{File: "robots.txt"}).asks(q))
	q.Err = polite.ErrBreak
	assert.Empty(t, New(Options{}).asks(q))
}

func TestExplainWithoutText(t *testing.T) {
	assert.Zero(t, explain(nil, []string{"a"}, polite.Decision{Allowed: true, Reason: polite.ReasonNoRule}, "/x"))
}

// A long robots.txt is read once, however many URLs are judged: for another URL, a small part of its size is allocated.
func TestManyURLs(t *testing.T) {
	const rule, size = "user-agent: *\ndisallow: /x\n", 400_000
	numbered := func(format string) string {
		var b strings.Builder
		for n := 0; b.Len() < size; n++ {
			fmt.Fprintf(&b, format, n)
		}
		return b.String()
	}
	for name, body := range map[string]string{
		"lines":         rule + strings.Repeat("a:b\n", size/4),
		"lines of one":  strings.Repeat("user-agent:*\n", size/13) + "disallow:/x\n",
		"names":         numbered("user-agent:a%x\n") + "disallow:/x\n",
		"no name":       strings.Repeat("user-agent:/\n", size/13) + "disallow:/x\n",
		"policy tokens": rule + numbered("user-agent:__usage_a%x\n") + "disallow:/\n",
	} {
		for _, o := range []Options{{Base: robotstxt.Everywhere(body)}, {File: "robots.txt", Body: []byte(body)}} {
			o.Crawlers, o.Explain = [][]string{{"b"}}, true
			j := New(o)
			ask := func(n int) {
				u := &url.URL{Scheme: "https", Host: "example.com", Path: fmt.Sprint("/a", n)}
				v := j.Judge(t.Context(), Question{Name: u.String(), URL: u})
				require.NoError(t, v[0].Err)
			}
			ask(0)
			const urls = 20
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for n := range urls {
				ask(n + 1)
			}
			runtime.ReadMemStats(&after)
			assert.Less(t, int(after.TotalAlloc-before.TotalAlloc)/urls, size/10, "%s, file %q", name, o.File)
		}
	}
}

// Of thousands of rules that match, the first are told, the line that decides, and how many more there are.
func TestExplainMany(t *testing.T) {
	body := "user-agent: *\n" + strings.Repeat("allow: /\n", 30) + "disallow: /xy\n" + strings.Repeat("disallow: /x\n", 30) + "allow: /xy\n"
	d := polite.Decision{Allowed: true, Reason: polite.ReasonRule, Group: "*", Rule: robots.Rule{Allow: true, Pattern: "/xy", Line: 63}}
	e := explain(robotstxt.NewText([]byte(body)), []string{"a"}, d, "/xy")
	assert.Equal(t, AllowOnTie, e.RuleReason())
	assert.Equal(t, []int{Most, 62 - Most}, []int{len(e.Matches), e.MoreMatches})
	assert.Equal(t, []int{Most + 1, 63 - Most - 1}, []int{len(e.Lines), e.MoreLines})
	assert.Equal(t, []Line{{1, "user-agent: *", 0}, {2, "allow: /", 1}}, e.Lines[:2])
	assert.Equal(t, []Line{{20, "allow: /", 1}, {63, "allow: /xy", 3}}, e.Lines[Most-1:])
}

func TestRuleReason(t *testing.T) {
	for body, want := range map[string]RuleReason{
		"disallow: /a":                            "",
		"disallow: /x":                            OnlyRule,
		"disallow: /x\nallow: /":                  Longest,
		"disallow: /x\nallow: /x":                 AllowOnTie,
		"allow: /x\nallow: /*\ndisallow: /x*":     Longest,
		"disallow: /x\ndisallow: /*":              FirstOfEqual,
		"allow: /x\nallow: /*\ndisallow: /":       FirstOfEqual,
		"allow: /x\nallow: /*\ndisallow: /x":      AllowOnTie,
		"allow: /%78\nallow: /x*\ndisallow: /xy*": Longest,
	} {
		j := New(Options{Crawlers: [][]string{{"a"}}, File: "robots.txt", Body: []byte("user-agent: *\n" + body), Explain: true})
		q := Question{Name: "/xy", URL: &url.URL{Scheme: "https", Host: "example.com", Path: "/xy"}}
		assert.Equal(t, want, j.Judge(t.Context(), q)[0].RuleReason(), body)
	}
}

// A policy token of a draft is told of a page that is allowed, and decides on nothing.
func TestPolicies(t *testing.T) {
	body := "user-agent: __usage_ai-training\nuser-agent: __USAGE_search\ndisallow: /x\nallow: /x/open\n"
	for file, agent := range map[string]string{body: "", body + "user-agent: *\nallow: /\ndisallow: /shut": "*"} {
		j := New(Options{Crawlers: [][]string{{"a"}}, File: "robots.txt", Body: []byte(file), Explain: true})
		for path, want := range map[string][]string{
			"/x/1":    {"__usage_ai-training 3 false", "__USAGE_search 3 false"},
			"/x/open": {"__usage_ai-training 4 true", "__USAGE_search 4 true"},
			"/y":      nil,
		} {
			v := j.Judge(t.Context(), Question{URL: &url.URL{Scheme: "https", Host: "a.example", Path: path}})[0]
			assert.True(t, v.Decision.Allowed, "nothing is enforced")
			assert.Equal(t, agent, v.Decision.Group)
			var got []string
			for _, p := range v.Policies {
				got = append(got, fmt.Sprint(p.Token, " ", p.Rule.Line, " ", p.Rule.Allow))
			}
			assert.ElementsMatch(t, want, got, path)
		}
		v := j.Judge(t.Context(), Question{URL: &url.URL{Scheme: "https", Host: "a.example", Path: "/shut"}})[0]
		assert.Empty(t, v.Policies)
	}
}
