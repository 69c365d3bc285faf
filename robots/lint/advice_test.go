package lint_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

// Findings of one check give other advice in other circumstances.
func TestAdvice(t *testing.T) {
	tests := []struct {
		body string
		want []string
	}{
		{
			"User-agent: *\nDisallow: /\nAllow: /wp-admin/admin-ajax.php\n\nUser-agent: Googlebot\nUser-agent: bingbot\nDisallow: /\nAllow: /ads.txt\nAllow: /licensing$\nAllow: /c\nAllow: /b\n",
			[]string{
				`2:11: warning: a crawler without a group of its own may fetch nothing but "/wp-admin/admin-ajax.php"; write "Disallow:" if that is not meant [everything-disallowed]`,
				`7:11: warning: Googlebot and bingbot may fetch nothing but "/ads.txt", "/licensing$", "/c" and 1 more, so that searches find nothing else; write "Disallow:" if that is not meant [everything-disallowed]`,
			},
		},
		{
			"User-agent: *\nDisallow: ./z\nDisallow: None\nNoindex: /z\n",
			[]string{
				`2:11: error: the rule matches nothing, as paths begin with "/"; write "/z" [pattern-without-slash]`,
				`3:11: error: the rule matches nothing, as paths begin with "/": "None" is what a program writes for nothing; leave the line out, or write the path that is meant [pattern-without-slash]`,
				`4:1: error: crawlers ignore noindex in robots.txt; send "X-Robots-Tag: noindex" with the pages, which a crawler sees only if it may fetch them, or disallow them [meta-record]`,
			},
		},
		{
			"User-agent: *\nDisallow: /x\nDisallow: disallow\nDisallow\nDisallow: /a, /b,/c\nDisallow: /a,/b\nDisallow: /a, *b\nSitemap: {{ url }}/s.xml\nCrawl-delay: {{ s }}\n",
			[]string{
				`3:11: error: the rule matches nothing, as paths begin with "/", and "disallow" is a key; leave the line out, or write the path that is meant [pattern-without-slash]`,
				`4:1: error: the line has no colon and no path, so it is ignored; write "Disallow: /" if everything is meant, or "Disallow:" and the path [missing-colon]`,
				`5:15: error: a rule has one pattern, so this one matches only paths with ", " in them; write a rule for "/b,/c" [two-patterns]`,
				`6:14: error: a rule has one pattern, so this one matches only paths with "," in them; write a rule for "/b" [two-patterns]`,
				`7:15: error: a rule has one pattern, so this one matches only paths with ", " in them; write a rule for "*b" [two-patterns]`,
				`8:10: error: nobody has filled in "{{ url }}", so the line names no sitemap; write its URL, from "https://" on [bad-sitemap]`,
				`9:14: error: nobody has filled in "{{ s }}", so the line is ignored; write a number of seconds, such as 10 [bad-delay]`,
			},
		},
		{ // Google's crawlers for images, news and videos go by Googlebot, if they have no group
			"User-agent: *\nDisallow: /x\n\nUser-agent: Googlebot\nDisallow: /x\nDisallow: /g\n\nUser-agent: Googlebot-News\nDisallow: /n\n\nUser-agent: Googlebot-Video\nCrawl-delay: 3\n",
			[]string{
				`8:13: note: the rules for Googlebot do not count for "Googlebot-News", which has its own; repeat them here if they should [not-inherited]`,
				`11:13: warning: "Googlebot-Video" may fetch everything, as a group without rules keeps those for Googlebot away; repeat them here, or write "Disallow:" if that is meant [group-without-rules]`,
				`12:14: note: Googlebot ignores crawl-delay; it slows down when the site answers 429 or 503 [delay-for-google]`,
			},
		},
		{
			"User-agent: *\nDisallow: /x\n\nUser-agent: Googlebot\nDisallow:\n\nUser-agent: Googlebot-News\nDisallow: /n\n\nUser-agent: ChatGPT-User\nDisallow: /x\n",
			[]string{`10:13: note: "ChatGPT-User" does not always obey, as its owner says (https://developers.openai.com/api/docs/bots): robots.txt alone does not keep it out [disobeying-crawler]`},
		},
		{
			"User-agent: a\nAllow: /y\nUser-agent: a\nDisallow: /x",
			[]string{
				`2:8: note: the group disallows nothing that this matches, so that it is allowed anyhow; write "Disallow:" instead [allow-without-effect]`,
				`3:13: note: "a" has a group in line 1 already, and the rules of both count; put them into one, as some crawlers read only one [repeated-group]`,
			},
		},
		{
			"User-agent: *\nDisallow: /robots.txt",
			[]string{`2:11: note: robots.txt may always be fetched, so the rule counts only for longer paths that begin so; write "Disallow:" instead [robots-txt-rule]`},
		},
		{
			"User-agent: *\nDisallow: /robots.txt\nAllow: /robots.txt$\nDisallow: /é%24%%41",
			[]string{
				`2:11: note: robots.txt may always be fetched, so the rule counts only for longer paths that begin so; leave it out if none are meant [robots-txt-rule]`,
				`3:8: note: robots.txt may always be fetched, so the rule has no effect; leave it out [robots-txt-rule]`,
				`4:12: note: RFC 9309 asks for characters beyond ASCII to be percent-encoded; write "/%C3%A9%24%%41" [non-ascii-pattern]`,
				`4:14: note: "%24" matches "$" itself by RFC 9309, but Google's parser matches only URLs that have it encoded [encoded-wildcard]`,
				`4:17: warning: no two hexadecimal digits follow, so this % matches no %25, which most URLs have in its place; write %25 if that is meant [malformed-percent]`,
				`4:18: note: "%41" is the same as "A" by RFC 9309, but not for Google's parser; write a rule for each if URLs have both [encoded-plain]`,
			},
		},
		{
			"User-agent: *\nDisallow: /{folder}/\nDisallow: /*/{folder}/\nDisallow: /1999|2000/",
			[]string{
				`2:12: warning: nobody has filled in "{folder}", so this matches only URLs that have it; write the paths that are meant [unfilled-template]`,
				`3:14: note: most URLs have "{" percent-encoded, and Google's parser does not match these; write "/*/%7Bfolder%7D/", unless "{folder}" stands for something else [raw-octet]`,
				`4:16: warning: this matches itself: a pattern is no regular expression, and has no special characters but * and a final $ [regular-expression]`,
			},
		},
		{
			"User-agent: *\nDisallow: /é{%\nDisallow: /%2%46",
			[]string{
				`2:12: note: RFC 9309 asks for characters beyond ASCII to be percent-encoded; write "/%C3%A9%7B%" [non-ascii-pattern]`,
				`2:14: note: most URLs have "{" percent-encoded, and Google's parser does not match these; write "/%C3%A9%7B%" [raw-octet]`,
				`2:15: warning: no two hexadecimal digits follow, so this % matches no %25, which most URLs have in its place; write %25 if that is meant [malformed-percent]`,
				`3:12: warning: no two hexadecimal digits follow, so this % matches no %25, which most URLs have in its place; write %25 if that is meant [malformed-percent]`,
			},
		},
		{
			"User-agent: msnbot\nUser-agent: Claude-Web\nUser-agent: Google-NotebookLM\nDisallow: /a[0]",
			[]string{
				`1:13: note: no crawler has the name "msnbot" any more, though bingbot obeys its groups where a file has none for bingbot; for the same, Microsoft has bingbot (search) [retired-crawler]`,
				`2:13: note: no crawler has the name "Claude-Web" any more, though ClaudeBot obeys its groups; for the same, Anthropic has ClaudeBot (ai-training), Claude-User (ai-user) [retired-crawler]`,
				`3:13: note: no crawler has the name "Google-NotebookLM" any more; for the same, Google has Google-Agent (ai-user), Google-GeminiNotebook (ai-user) [retired-crawler]`,
				`4:13: note: "[" does not match "%5B", which is the same to most servers; write a rule for each if URLs have both [bracket-spelling]`,
			},
		},
		{ // those for AI come first, and no search engine without a word
			"User-agent: Gemini\nUser-agent: Copilot\nDisallow: /",
			[]string{
				`1:13: warning: no crawler of Google reads the name "Gemini"; its known crawlers: Google-Extended (ai-training), Google-Agent (ai-user), Google-GeminiNotebook (ai-user), Googlebot (search), Googlebot-Image (search), Googlebot-Video (search), Googlebot-News (search), AdsBot-Google (ads) and others [unread-crawler]`,
				`2:13: warning: no crawler of Microsoft reads the name "Copilot"; its known crawlers: bingbot (search), AdIdxBot (ads), BingPreview (preview) [unread-crawler]`,
			},
		},
		{
			"User-agent: __usage_ai-train\nUser-agent: __usage_search\nUser-agent: __usage_serch\nDisallow: /",
			[]string{
				`1:13: warning: "__usage_ai-train" is no policy token that a draft has, and no crawler of that name is known; write one of __usage_ai-training, __usage_search, __usage_ai-input if that is meant [misspelled-crawler]`,
				`2:13: note: "__usage_search" names no crawler: by draft-kelley-aipref-training-preference-signal-00, the group says for which paths pages may be used so; who fetches them is not told by it [policy-token]`,
				`3:13: warning: "__usage_serch" is no policy token that a draft has, and no crawler of that name is known; write __usage_search if that is meant [misspelled-crawler]`,
			},
		},
		{
			"User-agent: Googlebot\nAllow: /\n\nUser-agent: *\nDisallow: /admin/",
			[]string{`1:13: note: "Googlebot" may fetch what the rules for * disallow, as its own group allows everything; repeat them here, or write "Disallow:" alone if that is meant [not-inherited]`},
		},
		{ // an owner may have announced no crawler
			"User-agent: xAI\nUser-agent: DeepSeek\nUser-agent: Perplexity\nUser-agent: Meta\nDisallow: /",
			[]string{
				`1:13: warning: no crawler of xAI reads the name "xAI"; its known crawlers: none [unread-crawler]`,
				`2:13: warning: no crawler of DeepSeek reads the name "DeepSeek"; its known crawlers: DeepSeekBot (ai-training, unofficial) [unread-crawler]`,
				`3:13: warning: no crawler of Perplexity reads the name "Perplexity"; its known crawlers: PerplexityBot (ai-search), Perplexity-User (ai-user) [unread-crawler]`,
				`4:13: warning: no crawler of Meta reads the name "Meta"; its known crawlers: meta-externalagent (ai-training), meta-webindexer (ai-search), meta-externalfetcher (ai-user), meta-externalads (ads), facebookexternalhit (preview) [unread-crawler]`,
			},
		},
		{
			"User-agent: *\nDisallow: /x\nAllow: /x",
			[]string{`2:11: error: the rule never decides: line 3 matches all that it does, and of two patterns of the same length, an Allow wins; leave this one out, or change that [never-wins]`},
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
		{
			"User-agent: Mozilla/5.0 (compatible; ExampleBot/2.0; +https://example.com/)\nUser-agent: Ahrefs*\nUser-agent: Black Hole\nDisallow: /x\nCrawl-delay: 0,5\nRequest-rate: 0,5\nCrawl-delay:",
			[]string{
				`1:20: warning: only "Mozilla" is read: a product token ends there; write "ExampleBot" [cut-user-agent]`,
				`2:19: note: only "Ahrefs" is read: a * adds nothing to a product token, and crawlers with a longer one are not meant; write their whole token [version-in-user-agent]`,
				`3:18: warning: only "Black" is read: a product token ends there; write the crawler's token alone, or a user-agent line for each if these are several [cut-user-agent]`,
				`5:14: error: "0,5" is ignored; write 0.5 [bad-delay]`,
				`6:15: error: "0,5" is ignored; write requests and seconds, such as 1/10 [bad-delay]`,
				`7:13: error: the line has no value, so it is ignored; write a number of seconds, such as 10 [bad-delay]`,
			},
		},
		{
			"User-agent: *\nDisallow: /foo/.*\nDisallow: .*\nDisallow: ^/admin$\nDisallow: ?x=\nAllow: \u00a0/x\nDisallow: \u2019",
			[]string{
				`2:17: note: this matches names that begin with a dot, and the * nothing more; write "/foo/" if all are meant, and else leave the * out [trailing-star]`,
				`3:11: error: the rule matches nothing, as paths begin with "/", and a pattern is no regular expression; write "*" [pattern-without-slash]`,
				`4:11: error: the rule matches nothing, as paths begin with "/", and a pattern is no regular expression; write "/admin$" [pattern-without-slash]`,
				`5:11: error: the rule matches nothing, as paths begin with "/"; write "/?x=", or "*?x=" for any folder [pattern-without-slash]`,
				`6:8: error: the invisible character U+00A0 is read as a part of what follows it; remove it [invisible-character]`,
				`7:11: error: the rule matches nothing, as paths begin with "/"; leave the quotation marks out [pattern-without-slash]`,
			},
		},
		{
			"\u200bUser-agent: *\nUser-agent: * Disallow: /x\nAllow: /a Sitemap: b\nSitemap:\nSitemap: https://example.com/a, https://example.com/b",
			[]string{
				`1:1: error: the invisible character U+200B is read as a part of what follows it; remove it [invisible-character]`,
				`2:15: error: "Disallow: /x" is not read here; write it in a line of its own [joined-lines]`,
				`3:8: note: the group disallows nothing, so that everything is allowed; write "Disallow: /" as well if the rest is not meant to be [allow-without-effect]`,
				`3:11: error: "Sitemap: b" is not read here; write it in a line of its own [joined-lines]`,
				`4:9: error: the line names no sitemap; write its URL, from "https://" on [bad-sitemap]`,
				`5:31: error: ", https://example.com/b" is read as a part of the URL, so crawlers may not find it; write a line for each sitemap [bad-sitemap]`,
			},
		},
		{
			"User-agent: *\nCrawl-delay: 31536000\n",
			[]string{`2:14: error: "31536000" is more than 30 days, so it is ignored; write a number of seconds, such as 10 [bad-delay]`},
		},
		{
			"User-agent: *\nDisallow: https://example.com\nDisallow: www.example.com/*\nDisallow: https://example.com/x?y\nDisallow: ^/(a|b)\nSitemap: https://example.com/my map.xml\nCrawl-delay: 1,000\nDisallow: https://example.com/" + strings.Repeat("x", 100) + "\nSitemap: https:// example.com/\nSitemap: https://a.example/\thttps://b.example/ x\n",
			[]string{
				`2:11: error: the rule matches nothing, as a pattern is a path; a rule for another host has to stand in the robots.txt of that host [url-as-pattern]`,
				`3:11: error: the rule matches nothing, as a pattern is a path; a rule for another host has to stand in the robots.txt of that host [url-as-pattern]`,
				`4:11: error: the rule matches nothing, as a pattern is a path; write "/x?y" if the host is this one [url-as-pattern]`,
				`5:11: error: the rule matches nothing, as paths begin with "/", and a pattern is no regular expression; write the beginning of the paths, and * for any text [pattern-without-slash]`,
				`6:32: error: " map.xml" is read as a part of the URL, so crawlers may not find it; write %20 if the space is, and # before a comment [bad-sitemap]`,
				`7:14: error: "1,000" is ignored; write a number of seconds, such as 10 [bad-delay]`,
				`8:11: error: the rule matches nothing, as a pattern is a path; write what follows the host if the host is this one [url-as-pattern]`,
				`9:10: error: "https:// example.com/" is not an absolute URL, so crawlers may ignore it; write it from "https://" on [bad-sitemap]`,
				`10:28: error: "\thttps://b.example/ x" is read as a part of the URL, so crawlers may not find it; write a line for each sitemap [bad-sitemap]`,
			},
		},
	}
	for _, test := range tests {
		var got []string
		for _, f := range lint.Lint([]byte(test.body)) {
			got = append(got, f.String())
		}
		assert.Equal(t, test.want, got, test.body)
	}
}

// What the check of brackets says is what package robots does.
func TestBracketsDiffer(t *testing.T) {
	for pattern, other := range map[string]string{"/a[0": "/a%5B0", "/a%5B0": "/a[0", "/x?a]": "/x?a%5D", "/x?a%5D": "/x?a]"} {
		assert.Contains(t, lint.Lint([]byte("user-agent: *\ndisallow: " + pattern))[0].Message, " does not match ")
		f := robots.Parse([]byte("user-agent: *\ndisallow: " + pattern))
		assert.False(t, f.Allowed("a", pattern))
		assert.True(t, f.Allowed("a", other), other)
	}
}
