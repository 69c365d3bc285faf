package command

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/cachefile"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inTurn answers by each of handlers once, and then always by the last.
func inTurn(handlers ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		answer := handlers[0]
		if len(handlers) > 1 {
			handlers = handlers[1:]
		}
		mu.Unlock()
		answer(w, r)
	}
}

// Each row is runs, one after another, and what arrives at the site. The rules of the
// site are RULES, then NEW, which disallows /a; or it is down after the first answer.
func TestRemember(t *testing.T) {
	const robots, newRules = "/robots.txt", "user-agent: *\ndisallow: /a\n"
	down := origintest.Status(http.StatusInternalServerError)
	changes := inTurnOf(origintest.Text(rules), origintest.Text(newRules))
	breaks := inTurnOf(origintest.Text(rules), down)
	for _, test := range []struct {
		name     string
		site     func() http.HandlerFunc
		runs     []string
		status   []int
		arrivals []string
	}{
		{"get goes by what is kept", changes, []string{"get SITE/a", "get SITE/b", "get SITE/private/x"}, []int{0, 0, 3},
			[]string{robots, "/a", "/b"}},
		{"none is kept, too", inTurnOf(http.NotFound, origintest.Text(newRules)), []string{"get SITE/a", "get SITE/a"}, []int{0, 0},
			[]string{robots, "/a", "/a"}},
		{"a failure is kept, too", inTurnOf(down, origintest.Text(rules)), []string{"get SITE/a", "get SITE/a"}, []int{4, 4},
			[]string{robots}},
		{"--refresh", changes, []string{"get SITE/a", "get --refresh SITE/a", "get SITE/a"}, []int{0, 3, 3},
			[]string{robots, "/a", robots}},
		{"--refresh after a failure", inTurnOf(down, origintest.Text(rules)), []string{"get SITE/a", "get --refresh SITE/a", "get SITE/a"}, []int{4, 0, 0},
			[]string{robots, robots, "/a", "/a"}},
		{"--no-cache reads nothing", changes, []string{"get SITE/a", "get --no-cache SITE/a", "get SITE/a"}, []int{0, 3, 0},
			[]string{robots, "/a", robots, "/a"}},
		{"--no-cache keeps nothing", changes, []string{"get --no-cache SITE/a", "get SITE/a"}, []int{0, 3},
			[]string{robots, "/a", robots}},
		{"another crawler", changes, []string{"get SITE/a", "get -A OtherBot SITE/a", "get SITE/a"}, []int{0, 3, 0},
			[]string{robots, "/a", robots, "/a"}},
		{"another version of the crawler", changes, []string{"get -A Bot/1.0 SITE/a", "get -A bot/2.0 SITE/a"}, []int{0, 0},
			[]string{robots, "/a", "/a"}},
		{"check asks anew, and keeps it", changes, []string{"get SITE/a", "check SITE/a", "get SITE/a"}, []int{0, 3, 3},
			[]string{robots, "/a", robots}},
		{"check for another crawler", changes, []string{"get SITE/a", "check -A GPTBot SITE/a", "get SITE/a"}, []int{0, 3, 3},
			[]string{robots, "/a", robots}},
		{"check asks a site once in a run", changes, []string{"get SITE/a", "check -A polite -A GPTBot SITE/a SITE/b SITE/c"}, []int{0, 3},
			[]string{robots, "/a", robots}},
		{"check --no-cache", changes, []string{"get SITE/a", "check --no-cache SITE/a", "get SITE/a"}, []int{0, 3, 0},
			[]string{robots, "/a", robots, "/a"}},
		{"lint asks anew, and keeps it", changes, []string{"get SITE/a", "lint SITE", "get SITE/a"}, []int{0, 0, 3},
			[]string{robots, "/a", robots, robots, robots}}, // with GET, with HEAD, and as a browser
		{"lint asks a site once in a run, in each way", changes, []string{"lint SITE SITE/a"}, []int{0},
			[]string{robots, robots, robots}},
		{"records asks anew, and keeps it", changes, []string{"get SITE/a", "records --sitemaps SITE", "get SITE/a"}, []int{0, 0, 3},
			[]string{robots, "/a", robots}},
		{"records asks anew, and keeps it", changes, []string{"get SITE/a", "records SITE", "get SITE/a"}, []int{0, 0, 3},
			[]string{robots, "/a", robots}},
		{"records --no-cache", changes, []string{"get SITE/a", "records --no-cache SITE", "get SITE/a"}, []int{0, 0, 0},
			[]string{robots, "/a", robots, "/a"}},
		{"lint --no-cache", changes, []string{"get SITE/a", "lint --no-cache SITE", "get SITE/a"}, []int{0, 0, 0},
			[]string{robots, "/a", robots, robots, robots, "/a"}},
		{"the site is down, and its answer stays", breaks, []string{"get SITE/a", "check SITE/a", "get SITE/a"}, []int{0, 4, 0},
			[]string{robots, "/a", robots, "/a"}},
		{"and is not told as if it were so now", breaks, []string{"get SITE/a", "lint SITE", "get --refresh SITE/a", "get SITE/a"}, []int{0, 4, 4, 0},
			[]string{robots, "/a", robots, robots, "/a"}},
		{"that there is none stays, too", inTurnOf(http.NotFound, down), []string{"get SITE/a", "records --sitemaps SITE", "get SITE/a"}, []int{0, 4, 0},
			[]string{robots, "/a", robots, "/a"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t, test.site(), pages{"/a": origintest.Text("a\n"), "/b": origintest.Text("b\n")})
			var statuses []int
			for _, line := range test.runs {
				got := runHurried(t, strings.Fields(strings.ReplaceAll(line, "SITE", s.URL))...)
				statuses = append(statuses, got.status)
			}
			assert.Equal(t, test.status, statuses)
			assert.Equal(t, test.arrivals, s.arrivals())
		})
	}
}

// inTurnOf returns a function that makes a handler as inTurn does.
func inTurnOf(handlers ...http.HandlerFunc) func() http.HandlerFunc {
	return func() http.HandlerFunc { return inTurn(handlers...) }
}

// Two processes, one after the other: the site is asked for robots.txt once, and has the
// crawl-delay between the pages.
func TestRememberInAnotherProcess(t *testing.T) {
	var before, after time.Time // the first page is asked for, the second one has arrived
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		before = time.Now()
		origintest.Text("user-agent: *\ncrawl-delay: 1.2\n")(w, r)
	}, pages{"/a": origintest.Text("page a\n"), "/b": func(http.ResponseWriter, *http.Request) { after = time.Now() }})
	first := runProcess(t, nil, "get", s.URL+"/a")
	assert.Equal(t, 0, first.status, first.stderr)
	second := runProcess(t, nil, "get", s.URL+"/b")
	assert.Equal(t, 0, second.status, second.stderr)
	assert.Equal(t, []string{"/robots.txt", "/a", "/b"}, s.arrivals())
	assert.GreaterOrEqual(t, after.Sub(before), 1200*time.Millisecond-5*time.Millisecond)
}

// untilItWaits runs a command that ends when it tells that it waits. It returns what it told.
func untilItWaits(t *testing.T, args ...string) string {
	ctx, leave := context.WithCancelCause(t.Context())
	stderr := &impatient{leave: leave}
	assert.Equal(t, 1, runTo(ctx, args, streams(nil, io.Discard, stderr)))
	return stderr.String()
}

// A break is kept, and told.
func TestRememberBreak(t *testing.T) {
	s := newSite(t, origintest.Text(""), pages{
		"/a": origintest.Status(http.StatusServiceUnavailable, "Retry-After", "100"),
	})
	assert.Equal(t, 0, runCommand(t, "get", s.URL+"/a").status)
	assert.Equal(t, "waiting 1m40s: a break (Retry-After) asked by "+s.URL+"\nfailed           "+s.URL+"/b  enough\n", untilItWaits(t, "get", s.URL+"/b"))
	assert.Equal(t, []string{"/robots.txt", "/a"}, s.arrivals())
}

// A failure that is kept tells when polite asks again.
func TestRememberFailure(t *testing.T) {
	s := downSite(t)
	const failed = "unreachable      SITE/a  because SITE/robots.txt answered 500 Internal Server Error"
	fill := strings.NewReplacer("SITE", s.URL)
	assert.Equal(t, fill.Replace(failed)+"\n", runCommand(t, "get", "--no-cache", s.URL+"/a").stderr)
	for range 2 {
		assert.Regexp(t, "^"+fill.Replace(failed)+`; polite asks again in \w+, or with --refresh\n$`, runCommand(t, "get", s.URL+"/a").stderr)
	}
	assert.Equal(t, []string{"/robots.txt", "/robots.txt"}, s.arrivals())

	s = newSite(t, origintest.Status(http.StatusServiceUnavailable, "Retry-After", "100"), nil)
	assert.Regexp(t, `; polite asks again in 1m40s\n$`, runCommand(t, "get", s.URL+"/a").stderr)
}

// When a page is there before the answer for robots.txt that was asked for again in the
// background, the run waits for this answer.
func TestRememberWhatComesLast(t *testing.T) {
	asked, paged := make(chan struct{}), make(chan struct{})
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		close(asked)
		<-paged
		origintest.Delay(100*time.Millisecond, origintest.Text("user-agent: *\ndisallow: /b\n"))(w, r)
	}, pages{
		"/a": func(http.ResponseWriter, *http.Request) {
			<-asked
			close(paged)
		},
	})
	keepAnswer(t, "polite "+s.URL, entry.Answer{Since: 23*time.Hour + 50*time.Minute, Status: 200, MaxAge: -1, Body: []byte("user-agent: *\n")})
	assert.Equal(t, 0, runCommand(t, "get", s.URL+"/a").status)
	assert.Equal(t, 3, runCommand(t, "get", s.URL+"/b").status)
	assert.ElementsMatch(t, []string{"/robots.txt", "/a"}, s.arrivals())
}

// keepAnswer puts an answer into the cache.
func keepAnswer(t *testing.T, key string, a entry.Answer) {
	r := entry.Entry{Answer: &a}
	keep(t, key, r.Encode(key))
}

func keep(t *testing.T, key string, form []byte) {
	name, err := cachefile.Name()
	require.NoError(t, err)
	store, err := boltstore.Open(name, boltstore.Options{})
	require.NoError(t, err)
	defer store.Close()
	claim, err := store.Claim(t.Context(), key, "", time.Minute)
	require.NoError(t, err)
	require.NoError(t, store.Put(t.Context(), key, claim.Token, form, time.Hour))
}

// Two runs at once share the file: the site is asked once for robots.txt, and the second waits
// for its turn.
func TestTwoAtOnce(t *testing.T) {
	release := make(chan struct{})
	s := newSite(t, origintest.Text(""), pages{
		"/a": origintest.Text("page a\n"),
		"/slow": func(http.ResponseWriter, *http.Request) {
			<-release
		},
	})
	slow, quick := process(t, "get", s.URL+"/slow"), process(t, "get", s.URL+"/a")
	var slowErr, quickErr, page bytes.Buffer
	slow.Stderr, quick.Stderr, quick.Stdout = &slowErr, &quickErr, &page
	require.NoError(t, slow.Start())
	require.Eventually(t, func() bool { return len(s.arrivals()) == 2 }, time.Minute, time.Millisecond)
	require.NoError(t, quick.Start())
	time.AfterFunc(3*time.Second, func() { close(release) })
	require.NoError(t, slow.Wait(), slowErr.String())
	require.NoError(t, quick.Wait(), quickErr.String())
	assert.Equal(t, "page a\n", page.String())
	assert.NotContains(t, slowErr.String()+quickErr.String(), "cache")
	assert.Equal(t, []string{"/robots.txt", "/slow", "/a"}, s.arrivals())
}
