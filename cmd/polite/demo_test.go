package main

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDemo(t *testing.T) {
	got := runCommand(t, "demo")
	assert.Equal(t, 0, got.status)
	assert.Empty(t, got.stderr)

	assert.Less(t, strings.Count(got.stdout, "\n"), 60)
	for line := range strings.Lines(got.stdout) {
		assert.LessOrEqual(t, len(line), 101, line)
		if at := strings.Index(line, "NOT SENT  line "); at >= 0 {
			assert.Equal(t, 45, at, "a column of its own: %s", line)
		}
		assert.Equal(t, strings.TrimRight(line, " \n")+"\n", line)
	}
	for _, fact := range []string{
		`client = polite.Wrap(client, "DemoBot/1.0`,
		`2  disallow: /private/`,
		`HEAD  http://shop.example/private/plan   NOT SENT  line 2: disallow: /private/`,
		`POST  http://shop.example/private/plan   NOT SENT  line 2: disallow: /private/`,
		`GET   http://shop.example/private/press  200       line 3: allow: /private/press`,
		`GET   http://shop.example/old-plan       301`,
		`  ->  http://shop.example/private/plan   NOT SENT  line 2: disallow: /private/`,
		`GET   http://down.example/               NOT SENT  robots.txt answered 500 Internal Server Error`,
		`"disallow: /private/", line 2 of http://shop.example/robots.txt (group "*")`,
		`The client made 10 requests; 6 were refused, and 0 of those 6 arrived.`,
		`The 7 that did arrive are 4 for pages and 3 for the robots.txt of 3 sites.`,
	} {
		assert.Contains(t, got.stdout, fact)
	}
}

// TestDemoLog checks that no line of the log is of a request that was not sent.
func TestDemoLog(t *testing.T) {
	story, log, ok := strings.Cut(runCommand(t, "demo").stdout, "The server's log")
	require.True(t, ok)
	arrived := regexp.MustCompile(`(?m)^ +\d+  (\w+ +http\S+)`).FindAllStringSubmatch(log, -1)
	require.Len(t, arrived, 7)
	refused := regexp.MustCompile(`(?m)^ +(\w+ +http\S+) +NOT SENT`).FindAllStringSubmatch(story, -1)
	require.Len(t, refused, 5, "and one after a redirect")
	for _, a := range arrived {
		for _, r := range refused {
			assert.NotEqual(t, r[1], a[1])
		}
	}
}

// TestDemoCounts checks that the demo reports what it sees, not what it hopes.
func TestDemoCounts(t *testing.T) {
	arrivals := arrivals{
		{"GET", "http://a.example/robots.txt", 200},
		{"GET", "http://a.example/robots.txt", 200},
		{"GET", "http://a.example/x", 200},
	}
	assert.Equal(t, 2, arrivals.distinct())
	assert.Equal(t, 1, arrivals.count([]hop{
		{method: "GET", url: "http://a.example/x"},
		{method: "POST", url: "http://a.example/x"},
		{method: "GET", url: "http://a.example/y"},
	}))
}

func TestSites(t *testing.T) {
	sites, err := startSites(demoPages())
	require.NoError(t, err)
	defer sites.stop()
	transport := sites.transport()
	for url, page := range demoPages() {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		require.NoError(t, err)
		resp, err := transport.RoundTrip(req)
		require.NoError(t, err)
		var body bytes.Buffer
		_, err = body.ReadFrom(resp.Body)
		resp.Body.Close()
		require.NoError(t, err)
		assert.Equal(t, page.status, resp.StatusCode, url)
		assert.Equal(t, page.location, resp.Header.Get("Location"), url)
		assert.Equal(t, page.body, body.String(), url)
	}
	assert.Len(t, sites.arrivals(), len(demoPages()))
}

func TestFold(t *testing.T) {
	assert.Equal(t, "", fold("", 5, "|"))
	assert.Equal(t, "a b c", fold("a b c", 5, "|"))
	assert.Equal(t, "a b|c d", fold("a b c d", 4, "|"))
	assert.Equal(t, "abcdefgh|i", fold("abcdefgh i", 5, "|"))
}
