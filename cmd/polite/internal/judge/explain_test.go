package judge

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
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
		assert.Len(t, newSubject(robotstxt.NewText([]byte(body)), []string{"a"}).explain(d, "/x").Lines, want, body)
	}
}

func TestExplainWithoutText(t *testing.T) {
	assert.Zero(t, newSubject(nil, []string{"a"}).explain(polite.Decision{Allowed: true, Reason: polite.ReasonNoRule}, "/x"))
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
		var e Explanation
		for m := range robots.Parse([]byte("user-agent: *\n" + body)).Rules("a").Matches("/xy") {
			e.Matches = append(e.Matches, m)
		}
		assert.Equal(t, want, e.RuleReason(), body)
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
