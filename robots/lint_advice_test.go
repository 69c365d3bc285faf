package robots_test

import (
	"testing"

	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// What findings say of the same thing in other circumstances.
func TestLintAdvice(t *testing.T) {
	tests := []struct {
		body string
		want []string
	}{
		{
			"User-agent: a\nAllow: /y\nUser-agent: a\nDisallow: /x",
			[]string{
				`2:8: note: the group disallows nothing that this matches, so that it is allowed anyhow; write "Disallow:" instead [allow-without-effect]`,
				`3:13: note: "a" has a group in line 1 already, and the rules of both count; put them into one, as some crawlers read only one [repeated-group]`,
			},
		},
		{
			"User-agent: *\nDisallow: /robots.txt",
			[]string{`2:11: note: robots.txt may always be fetched, so the rule has no effect; write "Disallow:" instead [robots-txt-rule]`},
		},
		{
			"User-agent: *\nDisallow: /robots.txt\nAllow: /robots.txt",
			[]string{
				`2:11: note: robots.txt may always be fetched, so the rule has no effect; leave it out [robots-txt-rule]`,
				`3:8: note: robots.txt may always be fetched, so the rule has no effect; write "Disallow:" instead [robots-txt-rule]`,
			},
		},
		{
			"User-agent: *\nDisallow: /x\nAllow: /x",
			[]string{`2:11: error: the rule never decides: line 3 matches all that it does, and of patterns of the same length that of an Allow wins; leave this one out, or change that [never-wins]`},
		},
		{
			"User-agent: MJbot\n\nUser-agent: b\nCrawl-delay: 1\nUser-agent: *",
			[]string{
				`3:13: note: this adds to the list of user agents of line 1; leave the blank line out if that is meant, and else write "Disallow:" in its place if "MJbot" may fetch everything, "Disallow: /" if nothing [blank-in-agents]`,
				`5:13: warning: this adds to the list of user agents of line 3, as only "Allow" and "Disallow" end it; write "Disallow:" above if "b" may fetch everything, "Disallow: /" if nothing [joined-groups]`,
			},
		},
		{
			"User-agent: MJbot\nDisallow: /y\nUser-agent: *\nUser-agent: MJBot\nDisallow: /x",
			[]string{`4:13: note: "MJBot" has a group in line 1 already, and the rules of both count; put them into one, as some crawlers read only one [repeated-group]`},
		},
		{
			"User-agent: *\nDisallow: /tag/*$\nDisallow: $\nDisallow: \"/x\"",
			[]string{
				`2:16: note: *$ at the end matches nothing more, as a pattern need not match a URL to its end; leave both out [trailing-star]`,
				`3:11: error: the rule matches nothing, as paths begin with "/"; write "/$" for the home page alone [pattern-without-slash]`,
				`4:11: error: the rule matches nothing, as paths begin with "/"; leave the quotation marks out [pattern-without-slash]`,
			},
		},
		{
			"User-agent: 3d\nUser-agent: 008\nDisallow: /x",
			[]string{
				`1:13: note: RFC 9309 allows no "3" in a product token: some crawlers ignore the line [digits-in-user-agent]`,
				`2:13: note: RFC 9309 allows no "0" in a product token: some crawlers ignore the line [digits-in-user-agent]`,
			},
		},
	}
	for _, test := range tests {
		var got []string
		for _, f := range robots.Lint([]byte(test.body)) {
			got = append(got, f.String())
		}
		assert.Equal(t, test.want, got, test.body)
	}
}
