package tester

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each of these is what the page sends but for one thing, and is refused.
func TestRefused(t *testing.T) {
	c := serve(t, Start{Text: []byte("secret"), Name: "secret.txt"}, nil)
	set := func(name string, values ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header[name] = values }
	}
	path := func(change func(token string) string) func(*http.Request) {
		return func(r *http.Request) {
			r.URL.Path = strings.Replace(r.URL.Path, c.s.guard.token, change(c.s.guard.token), 1)
		}
	}
	host := func(host string) func(*http.Request) { return func(r *http.Request) { r.Host = host } }
	at := c.s.listener.Addr().String()
	port := at[strings.LastIndex(at, ":"):]
	for name, change := range map[string]func(*http.Request){
		"another host":             host("evil.example"),
		"rebinding":                func(r *http.Request) { r.Host = "evil.example" + port; r.Header.Set("Origin", "http://"+r.Host) },
		"no port":                  func(r *http.Request) { r.Host = "127.0.0.1"; r.Header.Set("Origin", "http://"+r.Host) },
		"another port":             func(r *http.Request) { r.Host = "127.0.0.1:1"; r.Header.Set("Origin", "http://"+r.Host) },
		"another loopback address": func(r *http.Request) { r.Host = "127.0.0.2" + port; r.Header.Set("Origin", "http://"+r.Host) },
		"a host that begins alike": func(r *http.Request) { r.Host = at + ".evil.example"; r.Header.Set("Origin", "http://"+r.Host) },
		"no origin":                set("Origin"),
		"null origin":              set("Origin", "null"),
		"another origin":           set("Origin", "https://evil.example"),
		"another of our names":     set("Origin", "http://localhost"+port),
		"another port's origin":    set("Origin", "http://127.0.0.1:1"),
		"https":                    set("Origin", "https://"+at),
		"origin with a path":       set("Origin", "http://"+at+"/"),
		"two origins":              set("Origin", "http://"+at, "https://evil.example"),
		"cross-site":               set("Sec-Fetch-Site", "cross-site"),
		"same-site":                set("Sec-Fetch-Site", "same-site"),
		"none, as a link":          set("Sec-Fetch-Site", "none"),
		"two sites":                set("Sec-Fetch-Site", "same-origin", "cross-site"),
		"no token":                 path(func(string) string { return "" }),
		"no token and no slash":    func(r *http.Request) { r.URL.Path = "/api/start" },
		"a token of equal length":  path(func(s string) string { return repeated("A", len(s)) }),
		"a token in upper case":    path(strings.ToUpper),
		"a token in lower case":    path(strings.ToLower),
		"a part of the token":      path(func(s string) string { return s[:len(s)-1] }),
		"more than the token":      path(func(s string) string { return s + "A" }),
		"the token further behind": func(r *http.Request) { r.URL.Path = "/x" + r.URL.Path },
		"the token after two dots": func(r *http.Request) { r.URL.Path = "/x/.." + r.URL.Path },
		"the token in the query":   func(r *http.Request) { r.URL.Path, r.URL.RawQuery = "/api/start", "token="+c.s.guard.token },
		"a preflight from elsewhere": func(r *http.Request) {
			r.Method = http.MethodOptions
			r.Header.Set("Origin", "https://evil.example")
			r.Header.Set("Sec-Fetch-Site", "cross-site")
		},
		"a script of another page": func(r *http.Request) {
			r.Method, r.URL.Path = http.MethodGet, "/"+c.s.guard.token+"/"
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "no-cors")
		},
		"a frame of another page": func(r *http.Request) {
			r.Method, r.URL.Path = http.MethodGet, "/"+c.s.guard.token+"/"
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "iframe")
		},
	} {
		t.Run(name, func(t *testing.T) {
			req := c.request("start", part{"request", "{}"})
			change(req)
			resp, body := c.send(req)
			assert.Equal(t, http.StatusForbidden, resp.StatusCode)
			assert.Equal(t, "Open the link that polite tester has printed.\n", body)
			assertProtected(t, resp)
		})
	}
}

// assertProtected checks the headers that each answer has.
func assertProtected(t *testing.T, resp *http.Response) {
	t.Helper()
	for name, want := range map[string]string{
		"Content-Security-Policy": contentPolicy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY",
		"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": "no-store",
	} {
		assert.Equal(t, []string{want}, resp.Header[name], name)
	}
	assert.Empty(t, resp.Header["Access-Control-Allow-Origin"])
	assert.Empty(t, resp.Cookies())
}

// The page may come by each name of loopback, with and without what newer browsers add.
func TestAdmitted(t *testing.T) {
	c := serve(t, Start{Name: "robots.txt"}, nil)
	at := c.s.listener.Addr().String()
	port := at[strings.LastIndex(at, ":"):]
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]"} {
		for _, site := range [][]string{nil, {"same-origin"}} {
			req := c.request("start", part{"request", "{}"})
			req.Host = host + port
			req.Header["Origin"], req.Header["Sec-Fetch-Site"] = []string{"http://" + req.Host}, site
			resp, body := c.send(req)
			assert.Equal(t, http.StatusOK, resp.StatusCode, host)
			assert.Contains(t, body, `"name":"robots.txt"`)
			assertProtected(t, resp)
		}
	}
}

// The link is followed from a terminal, from a file, or typed.
func TestLinkIsFollowed(t *testing.T) {
	c := serve(t, Start{}, nil)
	for _, site := range []string{"", "none", "cross-site", "same-origin"} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.link, nil)
		require.NoError(t, err)
		if site != "" {
			req.Header.Set("Sec-Fetch-Site", site)
			req.Header.Set("Sec-Fetch-Mode", "navigate")
			req.Header.Set("Sec-Fetch-Dest", "document")
		}
		resp, body := c.send(req)
		assert.Equal(t, http.StatusOK, resp.StatusCode, site)
		assert.Equal(t, "text/html; charset=utf-8", resp.Header.Get("Content-Type"))
		assert.Contains(t, body, "<!doctype html>")
		assertProtected(t, resp)
	}
}

// Files lie below the token, and questions are asked with POST.
func TestMethodsAndFiles(t *testing.T) {
	c := serve(t, Start{}, nil)
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{"GET", "api/start", 405}, {"HEAD", "api/judge", 405}, {"PUT", "api/judge", 405}, {"POST", "api/nothing", 404}, {"POST", "api/", 404}, {"POST", "api/start/", 404},
		{"GET", "index.html", 200}, {"HEAD", "", 200}, {"POST", "", 405}, {"DELETE", "index.html", 405},
		{"GET", "nothing.js", 404}, {"GET", "../guard.go", 404}, {"GET", "..%2fguard.go", 404}, {"GET", "/etc/passwd", 404}, {"GET", ".", 404}, {"GET", "favicon.ico", 404},
	} {
		req := c.request("", part{"request", "{}"})
		req.Method, req.URL.Opaque = test.method, "/"+c.s.guard.token+"/"+test.path // as it is, not cleaned
		resp, _ := c.send(req)
		assert.Equal(t, test.status, resp.StatusCode, "%s %s", test.method, test.path)
		assertProtected(t, resp)
	}
}
