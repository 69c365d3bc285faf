package agent_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/agent"
	"github.com/go-polite/polite/cmd/polite/internal/pagecache"
	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots/usage"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A desk is a client of the tools, and the web behind them.
type desk struct {
	*testing.T
	web     *origintest.Server
	session *mcp.ClientSession
}

// in runs a test in a bubble, with a web of its own.
func in(t *testing.T, test func(d *desk), settings ...func(*agent.Options)) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		test(&desk{t, web, connect(t, options(t, web, settings...))})
	})
}

func options(t testing.TB, web *origintest.Server, settings ...func(*agent.Options)) agent.Options {
	o := agent.Options{
		Version: "1.0", Purposes: []usage.Use{usage.AIInput}, MaxWait: 20 * time.Second, MaxTime: time.Minute, MaxSize: 1 << 20,
		Log: slog.New(slog.DiscardHandler),
	}
	kept := robotstxt.NewMemory(1 << 20)
	base, cache := web.Transport(t), &polite.Cache{Store: kept}
	as := func(userAgent string) *pagecache.Transport {
		return &pagecache.Transport{Polite: &polite.Transport{UserAgent: userAgent, Base: base, Cache: cache, Policy: polite.Policy{Purposes: o.Purposes}}}
	}
	o.Model, o.Person = as("ExampleAgent/1.0"), as("ExampleAgent-User/1.0")
	for _, set := range settings {
		set(&o)
	}
	return o
}

func connect(t testing.TB, o agent.Options) *mcp.ClientSession {
	here, there := mcp.NewInMemoryTransports()
	server, err := agent.New(o).Connect(context.Background(), there, nil)
	require.NoError(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(context.Background(), here, nil)
	require.NoError(t, err)
	t.Cleanup(func() {
		session.Close()
		server.Wait()
	})
	return session
}

// arguments are those of a call.
type arguments map[string]any

// call calls a tool. It returns the text for the model, and what was refused.
func (d *desk) call(tool string, args arguments) (string, *agent.Refusal) {
	result, err := d.session.CallTool(context.Background(), &mcp.CallToolParams{Name: tool, Arguments: args})
	require.NoError(d, err)
	require.Len(d, result.Content, 1)
	var structured struct {
		Found   map[string]any
		Refused *agent.Refusal
	}
	form, err := json.Marshal(result.StructuredContent)
	require.NoError(d, err)
	require.NoError(d, json.Unmarshal(form, &structured))
	assert.Equal(d, result.IsError, structured.Refused != nil)
	assert.Equal(d, result.IsError, structured.Found == nil)
	return result.Content[0].(*mcp.TextContent).Text, structured.Refused
}

func (d *desk) fetch(url string) (string, *agent.Refusal) {
	return d.call("fetch", arguments{"url": url})
}

// html answers with a page of HTML.
func html(page string, header ...string) http.HandlerFunc {
	return typed("text/html; charset=utf-8", page, header...)
}

func typed(kind, page string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		for i := 0; i+1 < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		origintest.Text(page)(w, r)
	}
}

func TestTools(t *testing.T) {
	in(t, func(d *desk) {
		var names []string
		for tool, err := range d.session.Tools(context.Background(), nil) {
			require.NoError(d, err)
			names = append(names, tool.Name)
			assert.NotEmpty(d, tool.Description)
			assert.NotNil(d, tool.OutputSchema, tool.Name)
			assert.True(d, tool.Annotations.ReadOnlyHint)
			assert.True(d, *tool.Annotations.OpenWorldHint)
		}
		assert.ElementsMatch(d, []string{"fetch", "check", "sitemap"}, names)
	})
}

func TestFetch(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Page("a.example", "/x", html("<title>A</title><nav>MENU</nav><p>hello <a href=y>y</a>"))
		text, refused := d.fetch("https://a.example/x")
		require.Nil(d, refused)
		assert.Contains(d, text, "https://a.example/x (text/html)")
		assert.Contains(d, text, "# A\n\nhello [y](https://a.example/y)")
		assert.NotContains(d, text, "MENU")
		assert.Equal(d, "GET https://a.example/robots.txt\nGET https://a.example/x\n", d.web.Take().String())
	})
}

// What a reader of a page would see besides its text is told, and Markdown is asked for first.
func TestFetchAsReader(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Page("a.example", "/moved", html(`<meta http-equiv="refresh" content="0; url=/there">`))
		d.web.Page("a.example", "/frame", html(`<main><p>outer<iframe src=/inner></iframe></main>`))
		d.web.Page("a.example", "/alt", html(`<link rel="alternate" type="text/markdown" href="/alt.md"><p>text`))
		d.web.Page("a.example", "/app", html(`<div id=app></div><script></script><noscript>You need JavaScript.</noscript>`))
		for path, want := range map[string]string{
			"/moved": "The page sends its reader on to https://a.example/there.", "/frame": "in a frame: https://a.example/inner.",
			"/alt": "in Markdown: https://a.example/alt.md.", "/app": "may show more with JavaScript",
		} {
			text, refused := d.fetch("https://a.example" + path)
			require.Nil(d, refused, path)
			assert.Contains(d, text, want)
		}
		for _, page := range d.web.Log().Pages() {
			assert.True(d, strings.HasPrefix(page.Header.Get("Accept"), "text/markdown, text/html;q=0.9"))
		}
		text, _ := d.fetch("https://a.example/app")
		assert.Contains(d, text, "You need JavaScript.")
	})
}

func TestDisallowed(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Robots("a.example", origintest.Text("user-agent: *\ndisallow: /private/\nallow: /private/open/\nsitemap: /s.xml\n"))
		for range 3 {
			text, refused := d.fetch("https://a.example/private/x")
			require.NotNil(d, refused)
			assert.Equal(d, "disallowed", refused.Why)
			assert.Equal(d, []string{"https://a.example/"}, refused.Allowed)
			assert.Equal(d, []string{"https://a.example/s.xml"}, refused.Sitemaps)
			assert.Equal(d, 2, refused.Line)
			assert.Equal(d, "disallow: /private/", refused.Rule)
			assert.Equal(d, strings.TrimSpace(`
robots.txt disallows https://a.example/private/x for ExampleAgent, by "disallow: /private/", line 2 of https://a.example/robots.txt (group "*"). It was not fetched.
Asking again is of no use.
These are allowed: https://a.example/
These sitemaps list pages of the site: https://a.example/s.xml`), text)
		}
		assert.Equal(d, "GET https://a.example/robots.txt\n", d.web.Take().String())

		d.web.Robots("b.example", origintest.Text("user-agent: *\ndisallow: /\n"))
		text, _ := d.fetch("https://b.example/x")
		assert.Equal(d, `robots.txt disallows https://b.example/x for ExampleAgent, by "disallow: /", line 2 of https://b.example/robots.txt (group "*"). It was not fetched.
Asking again is of no use.`, text)
	})
}
