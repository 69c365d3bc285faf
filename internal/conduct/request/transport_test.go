package request

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/provenance"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDisallowed(t *testing.T) {
	web := origintest.New(t)
	const body = "# hello\nuser-agent: examplebot\nuser-agent: *\nallow: /\ndisallow: /private # really\n"
	web.Robots("example.com", origintest.Text(body))
	client := &http.Client{Transport: conduct.NewTransport(t, web)}

	status, err := conduct.Get(client, "http://example.com/public")
	require.NoError(t, err)
	assert.Equal(t, 200, status)

	_, err = conduct.Get(client, "http://user:secret@example.com/private/a?b=c#d")
	assert.ErrorIs(t, err, polite.ErrRefused)
	refused, ok := errors.AsType[*polite.DisallowedError](err)
	require.True(t, ok)
	assert.WithinDuration(t, time.Now(), refused.Fetched, time.Minute)
	assert.WithinRange(t, refused.Next, time.Now().Add(19*time.Hour), time.Now().Add(23*time.Hour))
	refused.Fetched, refused.Next = time.Time{}, time.Time{}
	assert.Equal(t, polite.Decision{
		Reason: polite.ReasonRule, URL: "http://user:xxxxx@example.com/private/a?b=c#d", Origin: "http://example.com",
		Agent: "ExampleBot", Group: "examplebot", Rule: robots.Rule{Pattern: "/private", Line: 5},
		RobotsURL: "http://example.com/robots.txt", Status: 200, SHA256: digest(body),
	}, refused.Decision)
	assert.EqualError(t, refused, `polite: http://user:xxxxx@example.com/private/a?b=c#d is disallowed for ExampleBot by "disallow: /private", line 5 of http://example.com/robots.txt (group "examplebot")`)
	assert.NotErrorAs(t, err, new(*polite.NoRulesError))

	assert.Equal(t, "GET http://example.com/robots.txt\nGET http://example.com/public\n", web.Log().String())
}

func TestUnreachable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("down.example", origintest.Status(500))
		web.Robots("cut.example", origintest.Cut(conduct.Rules))
		client := &http.Client{Transport: conduct.NewTransport(t, web)}

		_, err := conduct.Get(client, "http://down.example/a")
		assert.ErrorIs(t, err, polite.ErrRefused)
		refused, ok := errors.AsType[*polite.NoRulesError](err)
		require.True(t, ok)
		assert.Equal(t, polite.Decision{
			Reason: polite.ReasonUnreachable, URL: "http://down.example/a", Origin: "http://down.example", Agent: "ExampleBot",
			Basis: "Unreachable: deny all", RobotsURL: "http://down.example/robots.txt", Status: 500, Failing: time.Unix(0, time.Now().UnixNano()), Next: refused.Next,
		}, refused.Decision)
		assert.WithinRange(t, refused.Next, time.Now().Add(45*time.Second), time.Now().Add(time.Minute))
		assert.EqualError(t, refused, "polite: http://down.example/a was not sent: http://down.example/robots.txt answered 500 Internal Server Error; try again after "+refused.Next.Format(time.RFC3339))

		_, err = conduct.Get(client, "http://cut.example/a")
		assert.ErrorIs(t, err, polite.ErrRefused)
		assert.ErrorIs(t, err, io.ErrUnexpectedEOF, "the cause")
		assert.ErrorContains(t, err, "http://cut.example/robots.txt could not be fetched: unexpected EOF")
		assert.NotErrorAs(t, err, new(*polite.DisallowedError))
	})
}

// Nothing of what is refused arrives, and its body is closed once. For what robots.txt is taken is a matter of
// docs/behaviour.md.
func TestRefused(t *testing.T) {
	tests := []struct {
		name   string
		method string
		url    string
		robots http.HandlerFunc // of example.com; of all others it disallows everything
		pages  string           // what arrived besides robots.txt
	}{
		{"disallowed", "GET", "http://example.com/private", origintest.Text(conduct.Rules), ""},
		{"HEAD", "HEAD", "http://example.com/private", origintest.Text(conduct.Rules), ""},
		{"POST", "POST", "http://example.com/private", origintest.Text(conduct.Rules), ""},
		{"any method", "PROPFIND", "http://example.com/private", origintest.Text(conduct.Rules), ""},
		{"by TLS", "GET", "https://example.com/private", origintest.Text(conduct.Rules), ""},
		{"written otherwise", "GET", "http://EXAMPLE.com:80/%70rivate", origintest.Text(conduct.Rules), ""},
		{"with a query", "GET", "http://example.com/private?a=b", origintest.Text(conduct.Rules), ""},
		{"redirected", "GET", "http://example.com/to-private", origintest.Text(conduct.Rules), "GET http://example.com/to-private\n"},
		{"POST redirected", "POST", "http://example.com/to-private", origintest.Text(conduct.Rules), "POST http://example.com/to-private\n"},
		{"redirected elsewhere", "GET", "http://example.com/to-other", origintest.Text(conduct.Rules), "GET http://example.com/to-other\n"},
		{"500", "POST", "http://example.com/", origintest.Status(500), ""},
		{"503", "POST", "http://example.com/", origintest.Status(503, "Retry-After", "0"), ""},
		{"429", "POST", "http://example.com/", origintest.Status(429), ""},
		{"redirected to rules", "GET", "http://example.com/", origintest.Redirect("https://other.example/robots.txt"), ""},
		{"hangs", "POST", "http://example.com/", origintest.Hang, ""},
		{"cut short", "POST", "http://example.com/", origintest.Cut("user-agent: *\nallow: /\n"), ""},
		{"does not resolve", "POST", "http://lost.example/", nil, ""},
		{"bad certificate", "POST", "https://bad.example/", nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // some take a second on sockets
			conduct.OnBothNets(t, func(t *testing.T, web *origintest.Server) {
				web.Robots("example.com", test.robots)
				web.Robots("other.example", origintest.Text("user-agent: *\ndisallow: /\n"))
				web.Page("example.com", "/to-private", origintest.Redirect("/private"))
				web.Page("example.com", "/to-other", origintest.Redirect("https://other.example/"))
				web.Lose("lost.example")
				web.Distrust("bad.example")
				transport := conduct.NewTransport(t, web)
				if test.name == "hangs" {
					transport.Policy.Timeout = time.Second
				}
				client := &http.Client{Transport: transport}

				var sent *conduct.Body
				req, err := http.NewRequest(test.method, test.url, nil)
				require.NoError(t, err)
				if test.method == "POST" && test.pages == "" {
					sent = conduct.NewBody()
					req.Body = sent
				}
				_, err = client.Do(req)
				require.ErrorIs(t, err, polite.ErrRefused)
				assert.Equal(t, test.pages, web.Log().Pages().String())
				if sent != nil {
					assert.EqualValues(t, 1, sent.Closed.Load(), "body closed")
				}
			})
		})
	}
}

func TestAllowed(t *testing.T) {
	tests := []struct {
		name   string
		robots http.HandlerFunc
	}{
		{"rules", origintest.Text(conduct.Rules)},
		{"401", origintest.Status(401)},
		{"404", origintest.Status(404)},
		{"HTML", origintest.Text("<!DOCTYPE html>\n<p>disallow: /</p>\n")},
		{"redirected to rules", origintest.Redirect("http://other.example/rules")},
		{"redirected in a circle", origintest.Redirect("/robots.txt")},
		{"after the first 500 KiB", origintest.Text(strings.Repeat("#\n", robots.MaxSize/2) + "user-agent: *\ndisallow: /\n")},
		{"gzip", origintest.Gzip(conduct.Rules)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			conduct.OnBothNets(t, func(t *testing.T, web *origintest.Server) {
				web.Robots("example.com", test.robots)
				web.Page("other.example", "/rules", origintest.Text(conduct.Rules))
				client := &http.Client{Transport: conduct.NewTransport(t, web)}
				status, err := conduct.Get(client, "http://example.com/public")
				require.NoError(t, err)
				assert.Equal(t, 200, status)
				assert.Len(t, web.Log().At("example.com").Pages(), 1)
			})
		})
	}
}

func TestRobotsTxtItself(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text("user-agent: *\ndisallow: /\n"))
	status, err := conduct.Get(&http.Client{Transport: conduct.NewTransport(t, web)}, "http://example.com/robots.txt#x")
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	assert.Len(t, web.Log(), 1)
}

// Each origin has a robots.txt of its own.
func TestOrigins(t *testing.T) {
	web := origintest.New(t)
	web.Robots("www.example.com", origintest.Text("user-agent: *\ndisallow: /\n"))
	web.Robots("example.com:8080", origintest.Text("user-agent: *\ndisallow: /\n"))
	client := &http.Client{Transport: conduct.NewTransport(t, web)}
	for _, allowed := range []string{"http://example.com/", "http://EXAMPLE.COM:80/", "https://example.com/", "https://example.com:8443/"} {
		_, err := conduct.Get(client, allowed)
		assert.NoError(t, err, allowed)
	}
	for _, disallowed := range []string{"http://www.example.com/", "https://www.example.com/", "http://example.com:8080/"} {
		_, err := conduct.Get(client, disallowed)
		assert.ErrorIs(t, err, polite.ErrRefused, disallowed)
	}
	assert.Len(t, web.Log().Robots(), 6)
}

func TestOtherSchemes(t *testing.T) {
	web := origintest.New(t)
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a"), []byte("a file\n"), 0o600))
	transport := conduct.NewTransport(t, web)
	transport.Base.(*http.Transport).RegisterProtocol("file", http.NewFileTransport(http.Dir(dir)))
	status, err := conduct.Get(&http.Client{Transport: transport}, "file:///a")
	require.NoError(t, err)
	assert.Equal(t, 200, status)
	assert.Empty(t, web.Log())

	_, err = transport.RoundTrip(&http.Request{})
	assert.ErrorContains(t, err, "nil Request.URL")
}

// What goes with the page does not go with robots.txt.
func TestNothingElseIsSent(t *testing.T) {
	web := origintest.New(t)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	jar.SetCookies(&url.URL{Scheme: "http", Host: "example.com"}, []*http.Cookie{{Name: "session", Value: "secret"}})
	client := &http.Client{Transport: conduct.NewTransport(t, web), Jar: jar}

	req, err := http.NewRequest("GET", "http://user:secret@example.com/a", nil)
	require.NoError(t, err)
	req.Header.Set("Referer", "http://example.com/secret")
	req.Header.Set("X-Token", "secret")
	resp, err := client.Do(req)
	require.NoError(t, err)
	resp.Body.Close()

	log := web.Log()
	require.Len(t, log, 2)
	assert.Equal(t, http.Header{"User-Agent": {conduct.UserAgent}, "Accept-Encoding": {"gzip"}}, log[0].Header)
	assert.Equal(t, "session=secret", log[1].Header.Get("Cookie"))
	assert.NotEmpty(t, log[1].Header.Get("Authorization"))
	assert.Equal(t, conduct.UserAgent, log[1].Header.Get("User-Agent"))
}

func TestAgents(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text("user-agent: examplebot\ndisallow: /a\n\nuser-agent: examplebot-news\ndisallow: /b\n\nuser-agent: *\ndisallow: /c\n"))
	tests := []struct {
		agents  []string
		refused string
		agent   string
	}{
		{nil, "/a", "ExampleBot"},
		{[]string{"ExampleBot-News", "ExampleBot"}, "/b", "ExampleBot-News"},
		{[]string{"ExampleBot-Images", "ExampleBot"}, "/a", "ExampleBot"},
		{[]string{"OtherBot", "other.bot2"}, "/c", "OtherBot"},
	}
	for _, test := range tests {
		transport := conduct.NewTransport(t, web)
		transport.Agents = test.agents
		for _, path := range []string{"/a", "/b", "/c"} {
			decision, err := transport.Check(t.Context(), &url.URL{Scheme: "http", Host: "example.com", Path: path})
			require.NoError(t, err)
			assert.Equal(t, path != test.refused, decision.Allowed, "%s for %v", path, test.agents)
			assert.Equal(t, test.agent, decision.Agent)
		}
	}
}

func TestWrap(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(conduct.Rules))
	base := web.Transport(t)
	plain := &http.Client{Transport: base, Timeout: time.Minute}
	client := polite.Wrap(plain, conduct.UserAgent)
	assert.Equal(t, &http.Client{Transport: base, Timeout: time.Minute}, plain, "unchanged")
	assert.Equal(t, plain.Timeout, client.Timeout)

	_, err := conduct.Get(client, "http://example.com/private")
	assert.ErrorIs(t, err, polite.ErrRefused)
	status, err := conduct.Get(client, "http://example.com/public")
	require.NoError(t, err)
	assert.Equal(t, 200, status)

	_, err = conduct.Get(polite.Wrap(nil, ""), "http://example.com/")
	assert.ErrorContains(t, err, "UserAgent is empty")

	_, err = conduct.Get(polite.Wrap(client, "OtherBot"), "http://example.com/private")
	assert.ErrorIs(t, err, polite.ErrRefused, "wrapped twice")
}

// digest returns the SHA-256 of text, as a Decision tells it.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestCheck(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Redirect("/r.txt"))
	body := conduct.Rules + "allow: /private/not\n" + strings.Repeat("#\n", robots.MaxSize)
	web.Page("example.com", "/r.txt", origintest.Text(body))
	web.Robots("none.example", origintest.Status(404))
	web.Robots("down.example", origintest.Status(500))
	transport := conduct.NewTransport(t, web)

	tests := []struct {
		url  string
		want polite.Decision
	}{
		{"http://example.com/private", polite.Decision{Reason: polite.ReasonRule, Group: "*", Status: 200, Rule: robots.Rule{Pattern: "/private", Line: 2}}},
		{"http://example.com/private/not", polite.Decision{Allowed: true, Reason: polite.ReasonRule, Group: "*", Status: 200, Rule: robots.Rule{Allow: true, Pattern: "/private/not", Line: 3}}},
		{"http://example.com", polite.Decision{Allowed: true, Reason: polite.ReasonNoRule, Group: "*", Status: 200}},
		{"http://example.com/robots.txt", polite.Decision{Allowed: true, Reason: polite.ReasonRobotsTxt}},
		{"http://none.example/private", polite.Decision{Allowed: true, Reason: polite.ReasonUnavailable, Basis: "Unavailable: allow all", Status: 404}},
		{"http://down.example/private", polite.Decision{Reason: polite.ReasonUnreachable, Basis: "Unreachable: deny all", Status: 500}},
	}
	for _, test := range tests {
		u, err := url.Parse(test.url)
		require.NoError(t, err)
		got, err := transport.Check(t.Context(), u)
		require.NoError(t, err)
		want := test.want
		want.URL, want.Origin, want.Agent = test.url, u.Scheme+"://"+u.Host, "ExampleBot"
		if want.Reason != polite.ReasonRobotsTxt {
			want.RobotsURL = want.Origin + "/robots.txt"
		}
		if got.Status == 200 {
			want.Hops, want.SHA256, want.Truncated = []string{"http://example.com/r.txt"}, digest(body[:robots.MaxSize+1]), true
		}
		got.Fetched, got.Failing, got.Next = time.Time{}, time.Time{}, time.Time{}
		assert.Equal(t, want, got)
	}
	assert.Len(t, web.Log().Robots(), 3)
	assert.Len(t, web.Log().Pages(), 1, "r.txt alone")

	for _, text := range []string{"example.com/private", "/private", "//example.com/private", ""} {
		u, err := url.Parse(text)
		require.NoError(t, err)
		_, err = transport.Check(t.Context(), u)
		assert.ErrorContains(t, err, "write it as in https://example.com/", text)
		_, err = provenance.Of(t.Context(), transport, u, nil)
		assert.ErrorContains(t, err, "write it as in https://example.com/", text)
	}

	got, err := transport.Check(t.Context(), &url.URL{Scheme: "ftp", Host: "example.com"})
	require.NoError(t, err)
	assert.Equal(t, polite.Decision{Allowed: true, Reason: polite.ReasonNotHTTP, URL: "ftp://example.com"}, got)

	_, err = transport.Check(t.Context(), &url.URL{Scheme: "http"})
	assert.ErrorContains(t, err, "the URL has no host")
	_, err = transport.Robots(t.Context(), &url.URL{Scheme: "http"})
	assert.ErrorContains(t, err, "the URL has no host")

	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	_, err = transport.Check(ctx, &url.URL{Scheme: "http", Host: "new.example"})
	assert.EqualError(t, err, "enough")
}

func TestCloseIdleConnections(t *testing.T) {
	base := &idleCloser{}
	(&http.Client{Transport: &polite.Transport{Base: base}}).CloseIdleConnections()
	assert.Equal(t, 1, base.closed)
	(&polite.Transport{Base: origintest.RoundTripper(nil)}).CloseIdleConnections() // which has none
}

type idleCloser struct {
	http.RoundTripper
	closed int
}

func (c *idleCloser) CloseIdleConnections() { c.closed++ }
