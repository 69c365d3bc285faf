// Package integration drives the HTTP clients that crawlers are made of through
// polite. All make the same journeys, on a clock of their own or on sockets, and
// what arrives at the server, and when, is compared: once with polite and, so
// that a test which cannot fail is noticed, once without.
package integration

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// A fetch gets url with a client, and returns the status.
type fetch func(ctx context.Context, url string) (status int, err error)

// A maker makes a client that sends its requests through base, and calls wrap
// where polite belongs.
type maker func(base http.RoundTripper, wrap wrapper) fetch

type wrapper func(http.RoundTripper) http.RoundTripper

const userAgent = "ExampleBot/1.0 (+https://example.com/bot)"

const (
	rules = "user-agent: *\ndisallow: /private\n"
	slow  = "user-agent: *\ncrawl-delay: 2\n"
	page  = `<rss version="2.0"><channel><title>a page</title></channel></rss>` // that all clients can read
)

// A journey is a number of URLs of example.com that are fetched one by one.
type journey struct {
	name   string
	robots http.HandlerFunc
	paths  string
	within time.Duration    // in which all has to be done; zero is for ever
	status int              // of the last
	refuse func(error) bool // or what its error is
	polite string           // what arrives
	plain  string           // what arrives without polite
}

// atOnce are journeys on which there is nothing to wait for.
var atOnce = []journey{
	{
		name: "allowed", robots: origintest.Text(rules), paths: "/a /b", status: 200,
		polite: "0s /robots.txt, 0s /a, 0s /b",
		plain:  "0s /a, 0s /b",
	},
	{
		name: "disallowed", robots: origintest.Text(rules), paths: "/a /private", refuse: is[*polite.DisallowedError],
		polite: "0s /robots.txt, 0s /a",
		plain:  "0s /a, 0s /private",
	},
	{
		name: "redirected to what is disallowed", robots: origintest.Text(rules), paths: "/to-private", refuse: is[*polite.DisallowedError],
		polite: "0s /robots.txt, 0s /to-private",
		plain:  "0s /to-private, 0s /private",
	},
	{
		name: "redirected to who disallows all", robots: origintest.Text(rules), paths: "/to-closed", refuse: is[*polite.DisallowedError],
		polite: "0s /robots.txt, 0s /to-closed, 0s closed.example/robots.txt",
		plain:  "0s /to-closed, 0s closed.example/",
	},
	{
		name: "rules that cannot be had", robots: origintest.Status(403), paths: "/a", refuse: is[*polite.NoRulesError],
		polite: "0s /robots.txt",
		plain:  "0s /a",
	},
}

// delayed are journeys to a site that asks for time.
var delayed = []journey{
	{
		name: "crawl-delay", robots: origintest.Text(slow), paths: "/a /b /c", status: 200,
		polite: "0s /robots.txt, 0s /a, 2s /b, 4s /c",
		plain:  "0s /a, 0s /b, 0s /c",
	},
	{
		name: "crawl-delay beyond the deadline", robots: origintest.Text(slow), paths: "/a /b", within: time.Second, refuse: is[*polite.DelayError],
		polite: "0s /robots.txt, 0s /a",
		plain:  "0s /a, 0s /b",
	},
}

// answeredOnce is the journey of a client that leaves it at a 503, on which
// polite makes the next request wait.
var answeredOnce = journey{
	name: "Retry-After", robots: origintest.Text(rules), paths: "/busy /a", status: 200,
	polite: "0s /robots.txt, 0s /busy, 3s /a",
	plain:  "0s /busy, 0s /a",
}

// retried is the journey of a client that sends a request again on a 503.
func retried(plain string) journey {
	return journey{
		name: "Retry-After, retried", robots: origintest.Text(rules), paths: "/busy", status: 200,
		polite: "0s /robots.txt, 0s /busy, 3s /busy",
		plain:  plain,
	}
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok && errors.Is(err, polite.ErrRefused)
}

// travel makes all journeys with client, one of which depends on the client, and
// those that take no time on real sockets too.
func travel(t *testing.T, client maker, special journey) {
	for _, j := range slices.Concat(atOnce, delayed, []journey{special}) {
		t.Run(j.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { j.politely(t, origintest.NewInMemory(t), client, time.Second) })
		})
		t.Run(j.name+", without polite", func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { j.plainly(t, origintest.NewInMemory(t), client, time.Second) })
		})
	}
	for _, j := range atOnce {
		t.Run(j.name+", on sockets", func(t *testing.T) { j.politely(t, origintest.New(t), client, time.Minute) })
		t.Run(j.name+", on sockets, without polite", func(t *testing.T) { j.plainly(t, origintest.New(t), client, time.Minute) })
	}
}

// politely makes the journey with polite. Times are rounded down to unit.
func (j journey) politely(t *testing.T, web *origintest.Server, client maker, unit time.Duration) {
	start := time.Now()
	status, err := j.make(t, web, client, wrap)
	assert.Equal(t, j.polite, timetable(web.Log(), unit))
	for _, a := range web.Log() {
		assert.Equal(t, []string{userAgent}, a.Header["User-Agent"], "whatever the client calls itself, %s is asked for by who is judged", a.URI)
	}
	if j.refuse == nil {
		assert.NoError(t, err)
		assert.Equal(t, j.status, status)
		return
	}
	assert.True(t, j.refuse(err), "%v", err)
	assert.Zero(t, time.Since(start).Truncate(unit), "a refusal is not waited on, nor tried again")
}

// plainly makes the journey without polite: what polite prevents does happen.
func (j journey) plainly(t *testing.T, web *origintest.Server, client maker, unit time.Duration) {
	_, err := j.make(t, web, client, func(base http.RoundTripper) http.RoundTripper { return base })
	assert.NoError(t, err)
	assert.Equal(t, j.plain, timetable(web.Log(), unit))
	for _, a := range web.Log() {
		assert.NotContains(t, a.Header.Get("User-Agent"), "ExampleBot")
	}
}

// wrap is strict, so that 403 is a doubt: no client takes that for a reason to
// ask again.
func wrap(base http.RoundTripper) http.RoundTripper {
	return &polite.Transport{UserAgent: userAgent, Base: base, Policy: polite.Strict()}
}

// make fetches one URL after the other, until there is an error.
func (j journey) make(t *testing.T, web *origintest.Server, client maker, wrap wrapper) (status int, err error) {
	j.script(web)
	get := client(web.Transport(t), wrap)
	ctx := t.Context()
	if j.within > 0 {
		limited, cancel := context.WithTimeout(ctx, j.within)
		defer cancel()
		ctx = limited
	}
	for path := range strings.FieldsSeq(j.paths) {
		if status, err = get(ctx, "http://example.com"+path); err != nil {
			return status, err
		}
	}
	return status, nil
}

// script tells the servers on the way how to answer.
func (j journey) script(web *origintest.Server) {
	web.Robots("example.com", j.robots)
	web.Robots("closed.example", origintest.Text("user-agent: *\ndisallow: /\n"))
	for _, path := range []string{"/a", "/b", "/c", "/private"} {
		web.Page("example.com", path, origintest.Text(page))
	}
	web.Page("closed.example", "/", origintest.Text(page))
	web.Page("example.com", "/to-private", origintest.Redirect("/private"))
	web.Page("example.com", "/to-closed", origintest.Redirect("http://closed.example/"))
	web.Page("example.com", "/busy", origintest.Status(503, "Retry-After", "3"), origintest.Text(page))
}

// timetable lists what has arrived, and how long after the first.
func timetable(log origintest.Log, unit time.Duration) string {
	var lines []string
	for _, a := range log {
		after := a.Time.Sub(log[0].Time).Truncate(unit)
		lines = append(lines, fmt.Sprintf("%v %s%s", after, strings.TrimPrefix(a.Host, "example.com"), a.URI))
	}
	return strings.Join(lines, ", ")
}

// through fetches with an http.Client, as most do in the end.
func through(client *http.Client) fetch {
	return func(ctx context.Context, url string) (int, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return 0, err
		}
		resp, err := client.Do(req)
		if err != nil {
			return 0, err
		}
		defer resp.Body.Close()
		_, err = io.Copy(io.Discard, resp.Body)
		return resp.StatusCode, err
	}
}
