package main

import (
	"errors"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// played returns what the demo prints.
func played(t *testing.T) string {
	var out strings.Builder
	require.NoError(t, demo(&out))
	return out.String()
}

func TestDemo(t *testing.T) {
	out := played(t)
	assert.Less(t, strings.Count(out, "\n"), 60)
	for line := range strings.Lines(out) {
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
		assert.Contains(t, out, fact)
	}
}

// A disk that is full makes the demo fail.
func TestDemoFails(t *testing.T) {
	full := errors.New("no space left on device")
	out, in := io.Pipe()
	out.CloseWithError(full)
	assert.ErrorIs(t, demo(in), full)
}

// No line of the log is of a request that was not sent.
func TestLog(t *testing.T) {
	story, log, ok := strings.Cut(played(t), "The server's log")
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

// The demo reports what it sees, not what it hopes.
func TestCounts(t *testing.T) {
	log := []arrival{
		{"GET", "http://a.example/robots.txt", 200},
		{"GET", "http://a.example/x", 200},
	}
	assert.Equal(t, 1, arrived(log, []hop{
		{method: "GET", url: "http://a.example/x"},
		{method: "POST", url: "http://a.example/x"},
		{method: "GET", url: "http://a.example/y"},
	}))
}

// The web answers as each site does, and logs what arrives.
func TestWeb(t *testing.T) {
	web := openWeb(map[string]page{
		"http://a.example/":     {status: 200, body: "a"},
		"http://a.example/?b=c": {status: 301, location: "/"},
	})
	defer web.server.Close()
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
		{web.server.URL + "/?\u202e", 404, "", ""},
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
		if test.status == 404 {
			test.url = strconv.QuoteToASCII(test.url)
		}
		want = append(want, arrival{"GET", test.url, test.status})
	}
	assert.Equal(t, want, web.arrived())
}
