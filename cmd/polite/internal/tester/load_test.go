package tester

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoad(t *testing.T) {
	huge := "user-agent: *\ndisallow: /x\n" + repeated("# more\n", 100_000)
	page := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	c := serve(t, Start{}, map[string]http.HandlerFunc{
		"http://rules.example/robots.txt":  page(200, "user-agent: *\ndisallow: /x\n"),
		"http://moved.example/robots.txt":  origintest.Redirect("http://rules.example/robots.txt"),
		"http://none.example/robots.txt":   page(404, "<h1>Not found</h1>"),
		"http://secret.example/robots.txt": page(403, "no"),
		"http://down.example/robots.txt":   page(503, "later"),
		"http://html.example/robots.txt":   page(200, "<!doctype html><script>alert(1)</script>"),
		"http://huge.example/robots.txt":   page(200, huge),
		"http://192.168.0.1/robots.txt":    page(200, "user-agent: *\n"),
	})
	for _, test := range []struct {
		site, meaning, body, told string
		truncated                 bool
	}{
		{"http://rules.example/any/page?q", rulesMean, "user-agent: *\ndisallow: /x\n", "200 OK, fetched now", false},
		{"http://moved.example", rulesMean, "user-agent: *\ndisallow: /x\n", "-> http://rules.example/robots.txt", false},
		{"http://none.example/", allowsAll, "", "a site without robots.txt allows everything", false},
		{"http://secret.example/", allowsAll, "", "everything is allowed", false},
		{"http://down.example/", allowsNone, "", "nothing may be fetched", false},
		{"http://html.example/", rulesMean, "<!doctype html><script>alert(1)</script>", "200 OK", false},
		{"http://huge.example/", rulesMean, huge[:robots.MaxSize], "only its first 512000 bytes count", true},
		{"http://192.168.0.1/", rulesMean, "user-agent: *\n", "200 OK", false},
	} {
		t.Run(test.site, func(t *testing.T) {
			var a loadAnswer
			c.ask("load", &a, asked(t, map[string]string{"url": test.site}))
			assert.Equal(t, test.meaning, a.Meaning)
			assert.Equal(t, test.truncated, a.Truncated)
			assert.True(t, strings.HasPrefix(string(a.Body), test.body), "%q", a.Body)
			assert.Equal(t, test.body == "", a.Body == nil)
			assert.Contains(t, strings.Join(a.Entries[0].Lines, "\n"), test.told)
			assert.Equal(t, test.meaning == allowsNone, a.Error != "", a.Error)
			assert.True(t, strings.HasSuffix(a.URL, "/robots.txt"), a.URL)
		})
	}
	for _, arrived := range c.web.Log() {
		assert.Equal(t, "GET", arrived.Method)
		assert.Equal(t, "/robots.txt", arrived.URI, "asked %s", arrived.Host)
	}
}

// A site may be named without its scheme. This machine rarely has a certificate.
func TestLoadWithoutScheme(t *testing.T) {
	text := origintest.Text("user-agent: *\n")
	c := serve(t, Start{}, map[string]http.HandlerFunc{
		"http://localhost:8080/robots.txt": text, "http://127.0.0.1:8080/robots.txt": text, "http://[::1]:8080/robots.txt": text, "https://a.example/robots.txt": text,
	})
	for site, want := range map[string]string{
		"localhost:8080/page": "http://localhost:8080/robots.txt",
		"127.0.0.1:8080":      "http://127.0.0.1:8080/robots.txt",
		"[::1]:8080":          "http://[::1]:8080/robots.txt",
		"a.example/page":      "https://a.example/robots.txt",
	} {
		var a loadAnswer
		c.ask("load", &a, asked(t, map[string]string{"url": site}))
		assert.Equal(t, want, a.URL)
	}
}

// What cannot be loaded is told, and nobody is asked.
func TestLoadNothing(t *testing.T) {
	c := serve(t, Start{}, nil)
	for site, want := range map[string]string{
		"":                     "is no URL",
		"ftp://a.example/":     "cannot be fetched",
		"file:///etc/passwd":   "cannot be fetched",
		"javascript:alert(1)":  "is no URL",
		"http://:80/":          "could not be loaded",
		"http://a.example:x/":  "is no URL",
		"http://\u202ea.test/": "",
	} {
		resp, body := c.send(c.request("load", asked(t, map[string]string{"url": site})))
		assert.Equal(t, 400, resp.StatusCode, site)
		assert.Contains(t, body, want, site)
		assert.NotContains(t, body, "\u202e")
	}
	assert.Empty(t, c.web.Log())
}

// Nothing but load asks a site: not the start with a state, not URLs, not an export.
func TestNobodyIsAsked(t *testing.T) {
	c := serve(t, Start{URLs: []string{"http://a.example/"}, State: "abc"}, nil)
	for _, name := range []string{"start", "crawlers", "checks", "judge", "compare", "export", "list"} {
		resp, body := c.send(c.request(name, asked(t, map[string]any{"explain": 0, "format": "json", "url": "http://a.example/"}), listed("http://a.example/", "/x"),
			part{"text", "user-agent: *\nsitemap: http://a.example/s.xml"}, part{"before", ""}))
		require.Equal(t, 200, resp.StatusCode, "%s: %s", name, body)
	}
	assert.Empty(t, c.web.Log())
}

// Sites that take their time keep nobody from verdicts.
func TestLoadsHavePlacesOfTheirOwn(t *testing.T) {
	arrived := make(chan bool, mostLoads)
	c := serve(t, Start{}, map[string]http.HandlerFunc{"http://slow.example/robots.txt": func(_ http.ResponseWriter, r *http.Request) {
		arrived <- true
		<-r.Context().Done()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	var loads sync.WaitGroup
	for range mostLoads {
		req := c.request("load", asked(t, map[string]string{"url": "http://slow.example/"})).WithContext(ctx)
		loads.Go(func() { new(http.Transport).RoundTrip(req) })
	}
	for range mostLoads {
		<-arrived
	}
	var a judgeAnswer
	c.ask("judge", &a, part{"text", shop}, asked(t, map[string]any{"explain": 0}), listed("/private"))
	assert.Equal(t, 1, a.Totals.Disallowed)
	cancel()
	loads.Wait()
}

// A page that goes away takes its question with it.
func TestLoadIsAbandoned(t *testing.T) {
	arrived, gone := make(chan bool, 1), make(chan bool, 1)
	c := serve(t, Start{}, map[string]http.HandlerFunc{"http://slow.example/robots.txt": func(_ http.ResponseWriter, r *http.Request) {
		arrived <- true
		<-r.Context().Done()
		gone <- true
	}})
	ctx, cancel := context.WithCancel(t.Context())
	req := c.request("load", asked(t, map[string]string{"url": "http://slow.example/"})).WithContext(ctx)
	go func() {
		<-arrived
		cancel()
	}()
	_, err := new(http.Transport).RoundTrip(req)
	require.ErrorIs(t, err, context.Canceled)
	require.Eventually(t, func() bool { return c.s.api.desks.abroad.TryAcquire(mostLoads) }, 10*time.Second, time.Millisecond)
	c.s.api.desks.abroad.Release(mostLoads) // the server takes it all when it ends
}
