package main

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/redirects"
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
		`The client made 10 requests; 6 were refused, and 0 of the 6 arrived.`,
		`The 7 requests that arrived are 4 for pages and 3 for the robots.txt of 3 sites.`,
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
	log := []arrival{
		{"GET", "http://a.example/robots.txt", 200},
		{"GET", "http://a.example/x", 200},
	}
	assert.Equal(t, 1, arrived(log, []redirects.Hop{
		{Method: "GET", URL: "http://a.example/x"},
		{Method: "POST", URL: "http://a.example/x"},
		{Method: "GET", URL: "http://a.example/y"},
	}))
}

// The web of the demo answers as each site does, and logs what arrives.
func TestDemoWeb(t *testing.T) {
	web, err := openDemoWeb(map[string]demoPage{
		"http://a.example/":     {status: 200, body: "a"},
		"http://a.example/?b=c": {status: 301, location: "/"},
	})
	require.NoError(t, err)
	defer web.close()
	var want []arrival
	for _, test := range []struct {
		url            string
		status         int
		location, body string
	}{
		{"http://a.example/", 200, "", "a"},
		{"http://a.example/?b=c", 301, "/", ""},
		{"http://a.example:8080/", 404, "", ""},
		{"http://b.example/", 404, "", ""},
		{"http://" + web.address + "/", 404, "", ""},
	} {
		req, err := http.NewRequest(http.MethodGet, test.url, nil)
		require.NoError(t, err)
		resp, err := web.transport().RoundTrip(req)
		require.NoError(t, err)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Equal(t, test.status, resp.StatusCode, test.url)
		assert.Equal(t, test.location, resp.Header.Get("Location"), test.url)
		assert.Equal(t, test.body, string(body), test.url)
		want = append(want, arrival{"GET", test.url, test.status})
	}
	assert.Equal(t, want, web.arrived())
}
