package tester

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const shop = "\ufeffUser-agent: *\nDisallow: /private\n\nUser-agent: GPTBot\nUser-agent: b\nCrawl-delay: 2\nAllow: /private/press\nDisallow: /private\n" +
	"Content-Signal: search=yes, ai-train=no\nsitemap: https://shop.example/s.xml\ndisalow: /x\n"

func TestJudge(t *testing.T) {
	c := serve(t, Start{}, nil)
	var a judgeAnswer
	c.ask("judge", &a, part{"text", shop}, asked(t, map[string]any{
		"agent": "gptbot", "explain": 1}), listed("/private", "https://shop.example/private/press?a", "/", "shop", "https://u:pw@x y/"))
	assert.Equal(t, []string{"gptbot"}, a.Agent.Tokens)
	assert.Equal(t, "OpenAI", a.Agent.Known.Owner)
	assert.Equal(t, []verdict{{report.Disallowed, 8, ""}, {report.Allowed, 7, ""}, {report.Allowed, 0, ""}}, a.Verdicts[:3])
	assert.Equal(t, invalid, a.Verdicts[3].Verdict)
	assert.Contains(t, a.Verdicts[3].Error, "is neither a URL nor a path")
	assert.NotContains(t, a.Verdicts[4].Error, "pw")
	assert.Equal(t, totals{2, 1, 2}, a.Totals)
	assert.Equal(t, group{"GPTBot", "own-token", []int{4}, []int{7, 8, 11}}, a.Group)
	assert.Equal(t, "2s between requests (crawl-delay)", a.Delay)
	assert.Equal(t, "train-ai no", a.Uses[1].Text())
	assert.Equal(t, []string{"https://shop.example/s.xml"}, a.Sitemaps)
	assert.Equal(t, "https://shop.example/private/press?a", a.Story.URL)
	assert.Equal(t, []string{"crawler", "robots.txt", "group", "rules", "use", "delay"}, names(a))
	assert.True(t, a.Story.Picture[1].Decides)
	assert.NotEmpty(t, a.Findings)
	assert.False(t, a.Truncated)
	assert.Empty(t, a.Lack)
	c.ask("judge", &a, part{"text", strings.Repeat("#", robots.MaxSize+1)}, asked(t, map[string]any{"agent": "gptbot"}))
	c.ask("judge", new(judgeAnswer), part{"text", shop}, asked(t, map[string]any{"explain": 0})) // the first of no URLs
	assert.True(t, a.Truncated)
	assert.Equal(t, "it has no user-agent line that names a crawler, and so has no rules", a.Lack)
}

func names(a judgeAnswer) (names []string) {
	for _, e := range a.Story.Entries {
		names = append(names, e.Name)
	}
	return names
}

// Every list is one in JSON, and none is null: the page need not ask.
func TestEmptyLists(t *testing.T) {
	c := serve(t, Start{}, nil)
	for _, name := range []string{"judge", "compare"} {
		var a map[string]json.RawMessage
		c.ask(name, &a, part{"request", "{}"})
		for _, list := range []string{"verdicts", "uses", "sitemaps", "findings", "others", "headlines"} {
			if got, ok := a[list]; ok {
				assert.True(t, got[0] == '[', "%s of %s is %s", list, name, got)
			}
		}
	}
}

var hostile = map[string]string{
	"HTML":      "<!doctype html><script>alert(1)</script>\nuser-agent: *\ndisallow: /<img src=x onerror=alert(1)>\n",
	"ANSI":      "user-agent: *\ndisallow: /\x1b[2J\x1b]0;x\a\n\x1b[31mred\n",
	"direction": "user-agent: *\ndisallow: /\u202egnp.exe\n\u2066x: y\nsitemap: https://a.example/\u202e\n",
	"NUL":       "user-agent: *\x00\ndisallow: /\x00\n\x00\n",
	"not UTF-8": "user-agent: *\ndisallow: /\xff\xfe\n\xed\xa0\x80: x\n",
	"no width":  "user-agent: *\u200b\ndisallow: /\u200b\u2028\u2029\n",
	"UTF-16":    "\xff\xfeu\x00s\x00",
	"CR alone":  "user-agent: *\rdisallow: /\r",
	"JSON":      `user-agent: *` + "\ndisallow: /\"}]}</script>\n",
}

// What a file has is text in the answers, and does nothing where it is shown.
func TestHostile(t *testing.T) {
	c := serve(t, Start{}, nil)
	for name, text := range hostile {
		t.Run(name, func(t *testing.T) {
			request := asked(t, map[string]any{"explain": 0, "agent": "GPTBot", "several": several{Kind: namedCrawlers}})
			for _, question := range []string{"judge", "compare"} {
				resp, body := c.send(c.request(question, request, listed("/x", text, "/\u202e"), part{"text", text}, part{"before", ""}))
				require.Equal(t, http.StatusOK, resp.StatusCode, body)
				assert.Equal(t, "application/json", resp.Header.Get("Content-Type"))
				assert.True(t, json.Valid([]byte(body)))
				assert.NotRegexp(t, "[\\x00-\\x1f\u200b\u202e\u2066\u2028\u2029<>]", body)
				if question == "judge" {
					assertShown(t, body)
				}
			}
		})
	}
}

// A page without a server gets the same answers, but for what a site would answer.
func TestAlone(t *testing.T) {
	c := serve(t, Start{}, nil)
	var alone Alone
	for name, text := range hostile {
		request := asked(t, map[string]any{"explain": 0, "agent": "GPTBot", "format": "json", "check": "misspelled-record", "several": several{Kind: namedCrawlers}})
		parts := []part{request, listed("/x", text), {"text", text}, {"before", shop}}
		given := make(map[string][]byte)
		for _, p := range parts {
			given[p.name] = []byte(p.body)
		}
		for _, question := range []string{"judge", "compare", "parted", "fix", "export", "review", "list", "checks", "none"} {
			resp, want := c.send(c.request(question, parts...))
			status, kind, body := alone.Ask(t.Context(), question, given)
			assert.Equal(t, resp.StatusCode, status, "%s of %s", question, name)
			assert.Equal(t, resp.Header.Get("Content-Type"), kind)
			assert.Equal(t, want, string(body))
		}
	}
	for _, question := range []string{"load", "sitemap"} {
		status, _, body := alone.Ask(t.Context(), question, map[string][]byte{"request": []byte(`{"url":"http://a.example/"}`)})
		assert.Equal(t, http.StatusNotFound, status)
		assert.Contains(t, string(body), "loads nothing from sites")
	}
	_, _, body := alone.Ask(t.Context(), "start", map[string][]byte{"request": []byte("{}")})
	assert.Contains(t, string(body), `"loads":false`)
}

// assertShown checks that no text of an answer acts, except what an edit puts into the file.
func assertShown(t *testing.T, body string) {
	var a judgeAnswer
	require.NoError(t, json.Unmarshal([]byte(body), &a))
	for i := range a.Findings {
		a.Findings[i].Edit = nil
	}
	assert.NotRegexp(t, "[\\x00-\\x1f\u200b\u202e\u2066\u2028\u2029]", fmt.Sprintf("%+v %+v", a, a.Story))
}

func TestCompare(t *testing.T) {
	c := serve(t, Start{}, nil)
	before, text := part{"before", "user-agent: *\ndisallow: /a\n\nuser-agent: b\ncrawl-delay: 5\n"}, part{"text", "user-agent: *\ndisallow: /b\nsitemap: https://a.example/s\n"}
	var a compareAnswer
	c.ask("compare", &a, asked(t, map[string]any{"agent": everyCrawler}), before, text)
	assert.Equal(t, "3 verdicts change, for 2 of 2 crawlers", a.Totals)
	assert.Equal(t, []string{"b: now by *, not by a group of its own"}, a.Headlines)
	assert.True(t, a.Complete)
	assert.Len(t, a.Verdicts, 3)
	assert.Equal(t, change{"/ax", []string{"*"}, verdict{report.Disallowed, 2, ""}, verdict{Verdict: report.Allowed}, 0}, a.Verdicts[0])
	kinds := map[string]string{}
	for _, o := range a.Others {
		kinds[o.Kind+" "+o.Change] = o.Text
	}
	assert.Equal(t, map[string]string{"rule gone": "disallow: /a", "rule new": "disallow: /b", "delay now": "none", "record new": "sitemap: https://a.example/s"}, kinds)

	c.ask("compare", &a, asked(t, map[string]any{"agent": "GPTBot"}), listed("/c", "https://a.example/b", "no URL"), before, text)
	assert.Equal(t, "1 verdict changes, for 1 of 1 crawler", a.Totals)
	assert.Equal(t, "https://a.example/b", a.Verdicts[0].URL)
}

// The most that is told is counted, and so is the rest.
func TestCompareMuch(t *testing.T) {
	text := "user-agent: *\n"
	for i := range 3000 {
		text += fmt.Sprintf("disallow: /%d/\n", i)
	}
	c := serve(t, Start{}, nil)
	var a compareAnswer
	c.ask("compare", &a, asked(t, map[string]any{"agent": "*"}), part{"before", ""}, part{"text", text})
	assert.Equal(t, "3000 verdicts change, for 1 of 1 crawler", a.Totals)
	assert.Len(t, a.Verdicts, mostChanges)
	assert.Equal(t, 2000, a.More)
	assert.Len(t, a.Others, mostOthers)
	assert.Equal(t, 2000, a.Beyond)
}

func TestExport(t *testing.T) {
	c := serve(t, Start{}, nil)
	for _, test := range []struct {
		format, kind, want string
		urls               []string
	}{
		{"text", "text/plain; charset=utf-8", "disallowed   /private  by \"disallow: /private\", line 2 of robots.txt (group \"*\")\n", []string{"/private", "/"}},
		{"text", "text/plain; charset=utf-8", "disallowed  /private\n\n  crawler", []string{"/private"}},
		{"csv", "text/csv; charset=utf-8", "verdict,crawler,url,line,rule,group,robots_url,error\ndisallowed,a,/private,2", []string{"/private"}},
		{"json", "application/x-ndjson", `{"url":"/private","allowed":false,"reason":"rule"`, []string{"/private"}},
	} {
		resp, body := c.send(c.request("export", asked(t, map[string]any{"agent": "a", "format": test.format}), listed(test.urls...), part{"text", shop}))
		assert.Equal(t, 200, resp.StatusCode)
		assert.Equal(t, test.kind, resp.Header.Get("Content-Type"))
		assert.Contains(t, body, test.want)
		assertProtected(t, resp)
	}
	resp, body := c.send(c.request("export", asked(t, map[string]any{"format": "xlsx"}), part{"text", shop}))
	assert.Equal(t, 400, resp.StatusCode)
	assert.Contains(t, body, "there is text, csv, json")
	resp, body = c.send(c.request("export", asked(t, map[string]any{"agent": "(x)", "format": "csv"}), part{"text", shop}))
	assert.Equal(t, 400, resp.StatusCode, body)
}

// An ended context stops the work.
func TestJudgeEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	f := form{request: request{Explain: -1, Format: "text"}, urls: targetsOf("/a"), text: []byte(shop)}
	_, err := f.judge(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = f.export(ctx)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = f.compare(ctx)
	assert.ErrorIs(t, err, context.Canceled)
}

// One rule as long as the file, that decides on all URLs, does not make an answer that is as
// long for each of them.
func TestAnswersAreBounded(t *testing.T) {
	text := "user-agent: *\ncontent-usage: train-ai=n" + repeated(" ", 1000) + "\ndisallow: /" + repeated("*", 400_000) + "\nsitemap: https://a.example/" + repeated("s", 90_000) + "\n"
	names := ""
	for i := range 500 {
		names += fmt.Sprintf("user-agent: a%d\n", i)
	}
	c := serve(t, Start{}, nil)
	resp, body := c.send(c.request("compare", asked(t, map[string]any{"agent": everyCrawler}), listed("/a", "/b"), part{"before", names + text}, part{"text", names}))
	require.Equal(t, http.StatusOK, resp.StatusCode, body)
	assert.Less(t, len(body), 20*longest)
	assert.Regexp(t, `and 1\d\d more`, body) // how many crawlers are compared depends on the size of the files

	resp, body = c.send(c.request("judge", asked(t, map[string]any{"agent": "a", "explain": 0}), listed("/a", "/b", "/c"), part{"text", text}))
	require.Equal(t, http.StatusOK, resp.StatusCode, body)
	assert.Less(t, len(body), 20*longest)
	assert.Contains(t, body, "***...")
}
