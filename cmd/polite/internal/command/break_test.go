package command

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// keepBreak puts a break of a site into the cache.
func keepBreak(t *testing.T, s site, wait time.Duration) {
	name, err := cachefile.Name()
	require.NoError(t, err)
	store, err := boltstore.Open(name, boltstore.Options{})
	require.NoError(t, err)
	require.NoError(t, store.Break(t.Context(), "origin "+s.URL, wait))
	require.NoError(t, store.Close())
}

// asks are the command lines that ask a site for robots.txt.
var asks = []string{"check SITE/a", "check SITE/a SITE/b", "lint SITE", "records SITE", "get --refresh SITE/a", "get SITE/a"}

// During a long break nobody asks. If the site has not answered yet, nobody knows more.
func TestLongBreak(t *testing.T) {
	for _, line := range asks {
		t.Run(line, func(t *testing.T) {
			s := newSite(t, origintest.Text(""), nil)
			failed := entry.Entry{Failure: &entry.Failure{Tries: 1, Err: "down"}}
			if line != "get SITE/a" { // which tells of this failure
				keep(t, "polite "+s.URL, failed.Encode("polite "+s.URL))
			}
			keepBreak(t, s, time.Hour)
			got := runCommand(t, strings.Fields(strings.ReplaceAll(line, "SITE", s.URL))...)
			assert.Equal(t, 4, got.status)
			more := ""
			if strings.HasPrefix(line, "get") {
				more = "; with --no-cache, polite asks all the same"
			}
			assert.Regexp(t, `robots\.txt\s+was not asked for: the site wants no requests until 20\d\d-[^;]*`+more+`\n`, got.stdout+got.stderr)
			assert.NotContains(t, got.stdout+got.stderr, "nobody knows")
			assert.NotContains(t, got.stdout+got.stderr, "waiting")
			assert.Empty(t, s.arrivals())
		})
	}
}

// During a long break, check goes by what the site answered before, and says how old it
// is. What is kept stays as it is.
func TestCheckDuringLongBreak(t *testing.T) {
	const until = `not asked again: the site wants no requests until 20\d\d-.*`
	file := entry.Answer{Since: 3 * time.Hour, Status: 200, MaxAge: -1, Body: []byte("user-agent: *\ndisallow: /a\n")}
	none := entry.Answer{Since: 3 * time.Hour, Status: 404, MaxAge: -1}
	old := entry.Answer{Since: 50 * time.Hour, Status: 404, MaxAge: -1}
	for _, test := range []struct {
		name   string
		kept   entry.Entry
		args   string
		status int
		tells  string
	}{
		{"rules", entry.Entry{Answer: &file}, "SITE/a", 3, `200 OK, fetched 3h0m\d+s ago\n +` + until + `\n`},
		{"a list", entry.Entry{Answer: &file}, "SITE/b SITE/a", 3, `allowed      SITE/b  \(.*\)  fetched 3h0m\d+s ago; ` + until + `\ndisallowed `},
		{"a table", entry.Entry{Answer: &file}, "-A x -A y SITE/a", 3, `disallowed 2 +disallowed 2 +SITE/a  fetched 3h0m\d+s ago; ` + until + `\n`},
		{"JSON", entry.Entry{Answer: &file}, "--json SITE/a", 3, `"reason":"rule".*"robots_fetched":"20`},
		{"none", entry.Entry{Answer: &none}, "SITE/a", 0, `answered 404 Not Found, 3h0m\d+s ago\n +` + until + `\n`},
		{"none, too long ago", entry.Entry{Answer: &old}, "SITE/a", 4, `was not asked for: the site wants no requests until 20.*\n +so nothing may be fetched until then\n`},
		{"failures since", entry.Entry{Answer: &file, Failure: &entry.Failure{Tries: 1, Since: time.Minute, Status: 503, RetryAfter: time.Hour}}, "SITE/a", 3,
			`fetched 3h0m\d+s ago; since then it answered 503 Service Unavailable\n +` + until + `\n`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t, origintest.Text(""), nil)
			key := "polite " + s.URL
			keep(t, key, test.kept.Encode(key))
			keepBreak(t, s, time.Hour)
			before := runCommand(t, "cache", "list", "--json")
			got := runCommand(t, strings.Fields("check "+strings.ReplaceAll(test.args, "SITE", s.URL))...)
			assert.Equal(t, test.status, got.status)
			assert.Regexp(t, strings.ReplaceAll(test.tells, "SITE", s.URL), got.stdout)
			assert.Empty(t, got.stderr)
			assert.Equal(t, before, runCommand(t, "cache", "list", "--json"))
			assert.Empty(t, s.arrivals())
		})
	}
}

// All tell in a line that they wait for the end of a short break.
func TestShortBreak(t *testing.T) {
	for _, line := range asks {
		t.Run(line, func(t *testing.T) {
			s := newSite(t, origintest.Text(""), nil)
			if line != "get SITE/a" { // which would go by it
				keepAnswer(t, "polite "+s.URL, entry.Answer{Status: 200, MaxAge: -1})
			}
			keepBreak(t, s, 20*time.Second)
			ctx, leave := context.WithCancelCause(t.Context())
			stderr := &impatient{leave: leave}
			assert.Equal(t, 1, runTo(ctx, strings.Fields(strings.ReplaceAll(line, "SITE", s.URL)), streams(nil, io.Discard, stderr)))
			assert.Regexp(t, `^waiting (1\d|20)s: a break \(Retry-After\) asked by `+s.URL+"\n", stderr.String(), "some of the 20 s have passed")
			assert.Equal(t, 1, strings.Count(stderr.String(), "waiting"))
			assert.Empty(t, s.arrivals())
		})
	}
}

// After a short break, check asks anew.
func TestCheckAfterShortBreak(t *testing.T) {
	s := newSite(t, origintest.Text("user-agent: *\ndisallow: /a\n"), nil)
	keepAnswer(t, "polite "+s.URL, entry.Answer{Status: 200, MaxAge: -1})
	keepBreak(t, s, 1500*time.Millisecond)
	got := runCommand(t, "check", s.URL+"/a")
	assert.Equal(t, 3, got.status)
	assert.Contains(t, got.stdout, "200 OK, fetched now\n")
	assert.Regexp(t, `^(waiting [12]s: a break \(Retry-After\) asked by .*\n)?$`, got.stderr, "less than a second is not told")
	assert.Equal(t, []string{"/robots.txt"}, s.arrivals())
}
