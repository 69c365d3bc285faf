package agent_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-polite/polite/cmd/polite/internal/agent"
	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// prompt returns the text that a person gives the model by the prompt.
func (d *desk) prompt(url string) string {
	got, err := d.session.GetPrompt(context.Background(), &mcp.GetPromptParams{Name: "fetch", Arguments: map[string]string{"url": url}})
	require.NoError(d, err)
	require.Len(d, got.Messages, 1)
	return got.Messages[0].Content.(*mcp.TextContent).Text
}

// What a person asks for goes out under a name of its own, and obeys, too.
func TestPerson(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Robots("a.example", origintest.Text("user-agent: ExampleAgent-User\ndisallow: /x\n\nuser-agent: ExampleAgent\ndisallow: /y\n"))
		text := d.prompt("https://a.example/y")
		assert.Contains(d, text, "a page")
		text = d.prompt("https://a.example/x")
		assert.Contains(d, text, "disallows https://a.example/x for ExampleAgent-User")
		_, refused := d.fetch("https://a.example/x")
		assert.Nil(d, refused)
		_, refused = d.fetch("https://a.example/y")
		assert.NotNil(d, refused)
		var pages []string
		for _, a := range d.web.Log().Pages() {
			pages = append(pages, a.URI+" "+a.Header.Get("User-Agent"))
		}
		assert.Equal(d, []string{"/y ExampleAgent-User/1.0", "/x ExampleAgent/1.0"}, pages)
		assert.Len(d, d.web.Log().Robots(), 1)
	})
}

// A host gets so many requests in any hour, and hops of redirects count. What robots.txt refuses
// does not.
func TestPerHour(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Robots("a.example", origintest.Text("user-agent: *\ndisallow: /private\n"))
		d.web.Page("a.example", "/moved", origintest.Redirect("/x"))
		for range 5 {
			_, refused := d.fetch("https://a.example/private")
			require.Equal(d, "disallowed", refused.Why)
		}
		_, refused := d.fetch("https://a.example/moved")
		require.Nil(d, refused)
		time.Sleep(time.Minute)
		_, refused = d.fetch("https://a.example/x")
		require.Nil(d, refused)
		text, refused := d.fetch("https://a.example/y")
		require.NotNil(d, refused)
		assert.Equal(d, "host", refused.Why)
		assert.Contains(d, text, "(in 59m0s)")
		_, refused = d.fetch("https://b.example/x")
		assert.Nil(d, refused, "another host")
		time.Sleep(59 * time.Minute)
		_, refused = d.fetch("https://a.example/y")
		assert.Nil(d, refused)
		assert.Len(d, d.web.Log().At("a.example").Pages(), 4)
	}, func(o *agent.Options) { o.PerHour = 3 })
}

// What a kept page answers does not count, unless its host was asked whether it has changed.
func TestPerHourOfKeptPages(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Page("a.example", "/fresh", typed("text/plain", "a page", "Cache-Control", "max-age=600"))
		d.web.Page("a.example", "/known", typed("text/plain", "a page", "ETag", `"1"`), origintest.Status(http.StatusNotModified, "ETag", `"1"`))
		for _, path := range []string{"/fresh", "/fresh", "/known", "/fresh", "/known"} {
			text, refused := d.fetch("https://a.example" + path)
			require.Nil(d, refused, text)
		}
		_, refused := d.fetch("https://a.example/known")
		require.NotNil(d, refused)
		assert.Equal(d, "host", refused.Why)
		assert.Len(d, d.web.Log().Pages(), 3)
	}, func(o *agent.Options) {
		o.PerHour, o.Model.Folder = 3, &pagecache.Folder{Name: t.TempDir()}
	})
}

// A page has a bound, and so has a piece of it.
func TestBoundsOfPages(t *testing.T) {
	const cut = "The page is longer than this server reads, which is about 200000 octets"
	text := func(of string, n int) string { return strings.Repeat(of, n) }
	in(t, func(d *desk) {
		for _, test := range []struct {
			kind, body   string
			length, want int // in characters
			cut          bool
		}{
			{"text/plain", text("x", 200_000), 0, 20_000, false},
			{"text/plain", text("x", 200_000), 100_000, 100_000, false},
			{"text/plain", text("x", 200_000), 100_001, 100_000, false},
			{"text/plain", text("x", 200_001), 1, 1, true},
			{"text/plain; charset=windows-1252", text("\x80", 133_333), 1, 1, false},
			{"text/plain; charset=windows-1252", text("\x80", 133_334), 1, 1, true},
			{"text/plain", text("\x01", 100_000), 1, 1, false},
			{"text/plain", text("\x01", 100_000) + "x", 1, 1, true},
		} {
			d.web.Page("a.example", "/x", typed(test.kind, test.body))
			got, refused := d.call("fetch", arguments{"url": "https://a.example/x", "length": test.length})
			require.Nil(d, refused)
			assert.Equal(d, test.cut, strings.Contains(got, cut), len(test.body))
			_, got, _ = strings.Cut(got, "]\n")
			got, _, _ = strings.Cut(got, "\n[end")
			assert.Equal(d, test.want, utf8.RuneCountInString(strings.ReplaceAll(got, `\x01`, "x")))
		}
	}, func(o *agent.Options) { o.MaxSize = 200_000 })
}

// The pieces of a page fit each other, send no request, and are not shown once the site
// disallows the page.
func TestPieces(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Robots("a.example", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "max-age=600")
			origintest.Text("user-agent: *\n")(w, r)
		}, origintest.Text("user-agent: *\ndisallow: /\n"))
		d.web.Page("a.example", "/x", typed("text/plain", "äöüß€"), typed("text/plain", "another"))
		piece := func(start int) string {
			text, refused := d.call("fetch", arguments{"url": "https://a.example/x#part", "start": start, "length": 2})
			if refused != nil {
				return refused.Why
			}
			_, text, _ = strings.Cut(text, "]\n")
			text, _, _ = strings.Cut(text, "\n[end")
			return text
		}
		assert.Equal(d, []string{"äö", "üß", "€", ""}, []string{piece(0), piece(2), piece(4), piece(6)})
		assert.Len(d, d.web.Log().Pages(), 1)
		time.Sleep(20 * time.Minute)
		piece(2) // lets polite ask for robots.txt again
		time.Sleep(time.Second)
		assert.Equal(d, "disallowed", piece(2))
		assert.Len(d, d.web.Log().Pages(), 1)
	})
}

// A page that says itself, in its header or its HTML, that it is no input is not shown.
func TestPageSaysNo(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Page("a.example", "/header", html("secret", "Content-Usage", "ai-use=n"))
		d.web.Page("a.example", "/signal", html("secret", "Content-Signal", "ai-input=no"))
		d.web.Page("a.example", "/train", html("open", "Content-Signal", "ai-train=no"))
		for _, path := range []string{"/header", "/signal"} {
			text, refused := d.fetch("https://a.example" + path)
			if assert.NotNil(d, refused, path) {
				assert.Equal(d, "use", refused.Why)
			}
			assert.NotContains(d, text, "secret")
		}
		text, refused := d.fetch("https://a.example/train")
		assert.Nil(d, refused)
		assert.Contains(d, text, `train-ai: no, by "content-signal: ai-train=no" (its content-signal)`)
	})
}

// Kinds of pages, and what is made of them.
func TestKinds(t *testing.T) {
	in(t, func(d *desk) {
		for _, test := range []struct{ kind, body, want, why string }{
			{"text/html", "<b>x", "**x**", ""},
			{"text/html; charset=iso-8859-1", "<p>\xe4", "ä", ""},
			{"text/html", "<meta charset=windows-1252><p>\x80", "€", ""},
			{"text/plain; charset=utf-16le", "h\x00i\x00", "hi", ""},
			{"text/plain", "\xff\xfeh\x00i\x00", "hi", ""},
			{"text/plain", "a\r\nb\x00\x1b[31m\xff", "a\nb\\x00\\x1b[31mÿ", ""},
			{"text/html", strings.Repeat("<br>", 500) + "ä", "ä", ""},
			{"text/html; charset=x", strings.Repeat("<br>", 500) + "\xe4", "ä", ""},
			{"application/xhtml+xml", "<?xml version='1.0' encoding='iso-8859-5'?><script src='x'/><p>\xb0", "А", ""},
			{"application/xml", `<?xml version="1.0" encoding="iso-8859-5"?>` + "\xb0", `<?xml version="1.0" encoding="iso-8859-5"?>` + "А", ""},
			{"application/json", `{"a":1}`, `{"a":1}`, ""},
			{"application/ld+json", `[]`, `[]`, ""},
			{"application/atom+xml", `<feed>`, `<feed>`, ""},
			{"", "<!DOCTYPE html><p>x", "x", ""},
			{"", "\x89PNG\r\n\x1a\n", "", "kind"},
			{"image/svg+xml", "<svg>", "", "kind"},
			{"application/pdf", "%PDF", "", "kind"},
			{"nonsense; charset", "x", "", "kind"},
			{strings.Repeat("x", 5000) + "/y", "x", "", "kind"},
		} {
			d.web.Page("a.example", "/x", func(w http.ResponseWriter, r *http.Request) {
				w.Header()["Content-Type"] = nil
				if test.kind != "" {
					w.Header().Set("Content-Type", test.kind)
				}
				origintest.Text(test.body)(w, r)
			})
			text, refused := d.fetch("https://a.example/x")
			if test.why != "" {
				if assert.NotNil(d, refused, test.kind) {
					assert.Equal(d, test.why, refused.Why)
					assert.Less(d, len(text), 1000)
				}
				continue
			}
			require.Nil(d, refused, "%s: %s", test.kind, text)
			assert.Contains(d, text, "]\n"+test.want+"\n[end ", test.kind)
		}
	})
}

// What a reader of a piece may miss is told: parts that are left out, and an encoding that is a guess.
func TestTold(t *testing.T) {
	const all, left, guess = "These are all ", " other characters of the page are left out", "does not say which encoding it is in: it was read as "
	in(t, func(d *desk) {
		for _, test := range []struct {
			kind, body string
			whole      bool
			told, not  []string
		}{
			{"text/html", "<p>a", false, []string{all + "1 characters of the text."}, []string{left, guess}},
			{"text/html", "<p>a<p hidden>bcd", false, []string{all + "1 characters of the text.", "3" + left}, nil},
			{"text/html", "<p>a<p hidden>bcd", true, []string{all + "6 characters of the text."}, []string{left}},
			{"text/html", "<p>\xe4", false, []string{guess + "windows-1252."}, nil},
			{"text/html", "<p>ä", false, []string{guess + "utf-8."}, nil},
			{"text/html; charset=utf-8", "<p>ä", false, nil, []string{guess}},
			{"text/html", "<meta charset=iso-8859-1><p>\xe4", false, nil, []string{guess}},
			{"text/html", "<meta charset=utf-8><p>ä", false, nil, []string{guess}},
			{"text/html; charset=none", "<p>\xe4", false, []string{guess + "windows-1252."}, nil},
			{"application/xhtml+xml", "<?xml version='1.0' encoding='utf-8'?><p>ä</p>", false, nil, []string{guess}},
			{"application/json", `"ä"`, false, nil, []string{guess}},
			{"application/json", "\"\xe4\"", false, []string{guess + "windows-1252."}, nil},
			{"text/plain", "\xef\xbb\xbfä", false, nil, []string{guess}},
		} {
			d.web.Page("a.example", "/x", typed(test.kind, test.body))
			text, refused := d.call("fetch", arguments{"url": "https://a.example/x", "whole": test.whole})
			require.Nil(d, refused)
			for _, told := range test.told {
				assert.Contains(d, text, told, test.body)
			}
			for _, not := range test.not {
				assert.NotContains(d, text, not, test.body)
			}
		}
	})
}

// No text of a site acts: neither what nobody sees, nor what moves what is seen, nor a mark that
// the site writes.
func TestHarmless(t *testing.T) {
	const hidden = "a\u200b\u200db\u00ad\u2060\u2064c\ufeffd\U000E0049\U000E0067\ufe0f\u2066e\u202ef\u2028g\x1b]0;x\x07"
	in(t, func(d *desk) {
		d.web.Robots("a.example", origintest.Text("user-agent: *\ndisallow: /y"+hidden+"*\nsitemap: /s"+hidden+".xml\n"))
		d.web.Page("a.example", "/x", html("<title>"+hidden+"</title><p>"+hidden, "Content-Signal", "ai-train=no"))
		d.web.Page("a.example", "/s.xml", typed("text/xml", "<urlset><url><loc>/"+strings.Trim(hidden, "\x1b\x07]0;x")+"</loc></url></urlset>"))
		for _, call := range []struct{ tool, url string }{{"fetch", "https://a.example/x"}, {"fetch", "https://a.example/robots.txt"}, {"check", "https://a.example/x"}, {"sitemap", "https://a.example/s.xml"}} {
			text, refused := d.call(call.tool, arguments{"url": call.url})
			require.Nil(d, refused, text)
			if call.tool == "fetch" {
				assert.Contains(d, text, "abcd", "what is not seen is left out, and not escaped")
			}
			assert.False(d, strings.ContainsAny(text, "\u200b\u200d\u2060\u2064\u00ad\ufeff\U000E0049\U000E0067\ufe0f\u2066\u202e\u2028\x1b\x07"), "%s: %q", call.tool, text)
		}
	})
}

// Many calls at once are served, each in its turn, or told when.
func TestMany(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Robots("a.example", origintest.Text("user-agent: *\ncrawl-delay: 2\n"))
		var calling sync.WaitGroup
		var mu sync.Mutex
		outcomes := make(map[string]int)
		for range 30 {
			calling.Go(func() {
				_, refused := d.fetch("https://a.example/x")
				mu.Lock()
				defer mu.Unlock()
				if refused == nil {
					outcomes["ok"]++
				} else {
					outcomes[refused.Why]++
				}
			})
		}
		calling.Wait()
		assert.Equal(d, map[string]int{"ok": 11, "delayed": 19}, outcomes)
		assert.Len(d, d.web.Log().Robots(), 1)
	})
}

// What a client writes does not fill the log.
func TestLogIsBounded(t *testing.T) {
	var log bytes.Buffer
	in(t, func(d *desk) {
		_, refused := d.fetch("https://a.example/\n" + strings.Repeat("x", 1<<20))
		assert.Equal(d, "misuse", refused.Why)
	}, func(o *agent.Options) { o.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	assert.Less(t, log.Len(), 500)
	assert.Equal(t, 1, strings.Count(log.String(), "\n"))
}

// A model learns of the gap of a site from its rules.
func TestCheckTellsTheGap(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Robots("slow.example", origintest.Text("user-agent: *\ncrawl-delay: 10\n"))
		for host, isSlow := range map[string]bool{"slow.example": true, "a.example": false} {
			text, refused := d.call("check", arguments{"url": "https://" + host + "/"})
			require.Nil(d, refused)
			assert.Equal(d, isSlow, strings.Contains(text, "Requests to the site are at least 10s apart."), text)
			assert.Equal(d, isSlow, strings.Contains(text, "apart"), text)
		}
	})
}

// Arguments that make no sense are told to the model.
func TestMisuse(t *testing.T) {
	in(t, func(d *desk) {
		for _, url := range []string{"", "x", "//a.example/", "ftp://a.example/", "mailto:a@b", "https://", "https://u:p@a.example/", "http://[::1]/", "http://127.1/",
			"http://0x7f.1/", "http://2130706433/", "http://[::ffff:10.0.0.1]/", "http://[64:ff9b::a00:1]/", "http://localhost/", "http://intranet/", "https://a.example:x/", "https://a.example:99999/"} {
			text, refused := d.fetch(url)
			if assert.NotNil(d, refused, url) {
				assert.Contains(d, []string{"misuse", "private"}, refused.Why, url)
			}
			assert.Contains(d, text, "Asking again is of no use", url)
		}
		for tool, all := range map[string][]arguments{"fetch": {{"start": -1}, {"length": -1}}, "sitemap": {{"start": -1}, {"limit": -1}}} {
			for _, args := range all {
				args["url"] = "https://a.example/"
				_, refused := d.call(tool, args)
				if assert.NotNil(d, refused, tool) {
					assert.Equal(d, "misuse", refused.Why, tool)
				}
			}
		}
		assert.Empty(d, d.web.Log())
		long := "https://a.example/" + strings.Repeat("x", 8000-len("https://a.example/"))
		d.web.Page("a.example", "/to", origintest.Redirect(long+"x"), origintest.Redirect(long))
		for _, test := range []struct{ url, why string }{{long + "x", "misuse"}, {"https://a.example/to", "redirect"}, {long, ""}, {"https://a.example/to", ""}} {
			_, refused := d.fetch(test.url)
			assert.Equal(d, test.why != "", refused != nil)
			assert.True(d, refused == nil || refused.Why == test.why)
		}
	})
}

// Over HTTP, a page in a browser is refused, and so is who has no token.
func TestHandler(t *testing.T) {
	web := origintest.New(t)
	o := options(t, web)
	for _, test := range []struct {
		token, host, origin, site, authorization string
		status                                   int
	}{
		{"", "", "", "", "", 200},
		{"", "localhost", "", "", "", 200},
		{"", "evil.example", "", "", "", 403},
		{"", "evil.example", "http://evil.example", "same-origin", "", 403},
		{"", "", "https://evil.example", "cross-site", "", 403},
		{"", "", "null", "", "", 403},
		{"", "", "http://localhost:1", "", "", 403},
		{"0123456789abcdef", "", "", "", "", 401},
		{"0123456789abcdef", "", "", "", "Bearer 0123456789abcdeg", 401},
		{"0123456789abcdef", "", "", "", "Basic 0123456789abcdef", 401},
		{"0123456789abcdef", "", "", "", "bearer 0123456789abcdef", 200},
	} {
		server := httptest.NewServer(agent.Handler(agent.New(o), test.token))
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`))
		require.NoError(t, err)
		req.Host = test.host
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		for name, value := range map[string]string{"Origin": test.origin, "Sec-Fetch-Site": test.site, "Authorization": test.authorization} {
			if value != "" {
				req.Header.Set(name, value)
			}
		}
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, test.status, resp.StatusCode, "%+v", test)
		server.Close()
	}
}
