package main

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
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
		assert.True(t, len(line) <= 101 || strings.HasPrefix(line, "    polite: "), line)
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
		`The client made 10 requests; 6 were refused. 7 arrived, with those for robots.txt.`,
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

// The web answers as each site does, and logs what arrives.
func TestWeb(t *testing.T) {
	web := new(web)
	for _, test := range []struct {
		host, path, location, log string
	}{
		{"shop.example", "/", "", "GET   http://shop.example/               200"},
		{"shop.example", "/old-plan", "/private/plan", "GET   http://shop.example/old-plan       301"},
		{"shop.example:8080", "/", "", `GET   "http://shop.example:8080/"        404`},
		{"shop.example", "/?\u202e", "", `GET   "http://shop.example/?\u202e"      404`},
	} {
		answer := httptest.NewRecorder()
		web.ServeHTTP(answer, &http.Request{Method: http.MethodGet, Host: test.host, RequestURI: test.path})
		assert.Equal(t, test.location, answer.Header().Get("Location"))
		assert.Equal(t, test.log, web.log[len(web.log)-1])
	}
}
