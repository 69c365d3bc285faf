package fetch_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The values of the field are a matter of internal/quota.
func TestRetryAfter(t *testing.T) {
	tests := []struct {
		value string
		want  time.Duration
	}{
		{"", 0},
		{"soon", 0},
		{"120", 2 * time.Minute},
		{"86401", 24 * time.Hour},
		{"Sat, 01 Jan 2000 00:10:00 GMT", 10 * time.Minute}, // a bubble begins at midnight before
	}
	for _, test := range tests {
		for _, status := range []int{429, 503} {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", origintest.Status(status, "Retry-After", test.value))
				answer, err := ask(t, web.Transport(t))
				require.NoError(t, err)
				assert.Equal(t, test.want, answer.RetryAfter, test.value)
			})
		}
	}
}

// How long an answer holds, and what is left of one that a cache has kept for a while (RFC 9111 §4.2).
func TestFreshness(t *testing.T) {
	const none = -1
	const sent = "Sat, 01 Jan 2000 00:00:00 GMT" // when a bubble begins
	tests := []struct {
		name   string
		header []string
		want   time.Duration
	}{
		{"said", []string{"Cache-Control", ""}, none},
		{"said", []string{"Cache-Control", "public"}, none},
		{"said", []string{"Cache-Control", "max-age"}, none},
		{"said", []string{"Cache-Control", "max-age="}, none},
		{"said", []string{"Cache-Control", "max-age=-1"}, none},
		{"said", []string{"Cache-Control", "max-age=x"}, none},
		{"said", []string{"Cache-Control", "s-maxage=5"}, none},
		{"said", []string{"Cache-Control", "max-age=0"}, 0},
		{"said", []string{"Cache-Control", "max-age=600"}, 10 * time.Minute},
		{"said", []string{"Cache-Control", `public, Max-Age = "600"`}, 10 * time.Minute},
		{"said", []string{"Cache-Control", "max-age=99999999999999999999"}, (1 << 31) * time.Second},
		{"said", []string{"Cache-Control", "no-store"}, 0},
		{"said", []string{"Cache-Control", "max-age=600, no-cache"}, 0},
		{"an old copy", []string{"Cache-Control", "max-age=86400", "Age", "86000"}, 400 * time.Second},
		{"older than it may be", []string{"Cache-Control", "max-age=600", "Age", "86000"}, 0},
		{"of an age for ever", []string{"Cache-Control", "max-age=600", "Age", "99999999999999999999"}, 0},
		{"of several ages", []string{"Cache-Control", "max-age=600", "Age", "60, 120"}, 9 * time.Minute},
		{"of no age", []string{"Cache-Control", "max-age=600", "Age", "-1"}, 10 * time.Minute},
		{"an age alone", []string{"Age", "86000"}, none},
		{"Expires", []string{"Expires", "Sat, 01 Jan 2000 02:00:00 GMT", "Date", sent}, 2 * time.Hour},
		{"Expires, an old copy", []string{"Expires", "Sat, 01 Jan 2000 02:00:00 GMT", "Date", sent, "Age", "600"}, 110 * time.Minute},
		{"Expires, by the site's clock", []string{"Expires", "Fri, 01 Jan 1999 02:00:00 GMT", "Date", "Fri, 01 Jan 1999 00:00:00 GMT"}, 2 * time.Hour},
		{"Expires, without a Date", []string{"Expires", "Sat, 01 Jan 2000 02:00:00 GMT", "Date", "now"}, 2 * time.Hour},
		{"expired", []string{"Expires", "Fri, 31 Dec 1999 00:00:00 GMT", "Date", sent}, 0},
		{"expired when it was sent", []string{"Expires", sent, "Date", sent}, 0},
		{"Expires, no date", []string{"Expires", "0"}, 0},
		{"max-age before Expires", []string{"Expires", "0", "Cache-Control", "max-age=600"}, 10 * time.Minute},
		{"Expires beside a max-age that is none", []string{"Expires", "0", "Cache-Control", "max-age=x"}, 0},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("example.com", origintest.Status(200, test.header...))
			answer, err := ask(t, web.Transport(t))
			require.NoError(t, err)
			assert.Equal(t, test.want, answer.MaxAge, "%s: %q", test.name, test.header)
		})
	}
}

func TestConditional(t *testing.T) {
	const at = "http://example.com/robots.txt"
	etag := fetch.Validators{URL: at, ETag: `"a"`}
	date := fetch.Validators{URL: at, LastModified: "Fri, 31 Dec 1999 23:59:59 GMT"}
	tests := []struct {
		name      string
		known     fetch.Validators
		answers   []http.HandlerFunc
		unchanged bool
		status    int
		asked     int
	}{
		{"unchanged", etag, list(origintest.Status(304)), true, 304, 1},
		{"unchanged, with a date", date, list(origintest.Status(304)), true, 304, 1},
		{"the same, but weak", etag, list(origintest.Status(304, "ETag", `W/"a"`)), true, 304, 1},
		{"changed", etag, list(origintest.Text("b")), false, 200, 1},
		{"304 for another", etag, list(origintest.Status(304, "ETag", `"b"`), origintest.Text("b")), false, 200, 2},
		{"304 for nothing", fetch.Validators{}, list(origintest.Status(304)), false, 304, 1},
		{"of another URL", fetch.Validators{URL: at + "?", ETag: `"a"`}, list(origintest.Text("b")), false, 200, 1},
		{"304 for another, again and again", etag, list(origintest.Status(304, "ETag", `"b"`)), false, 304, 2},
		{"gone", etag, list(origintest.Status(404)), false, 404, 1},
		{"412", etag, list(origintest.Status(412), origintest.Text("b")), false, 200, 2},
		{"412 for a date", date, list(origintest.Status(412), origintest.Status(404)), false, 404, 2},
		{"412, again and again", etag, list(origintest.Status(412)), false, 412, 2},
		{"412 for nothing", fetch.Validators{}, list(origintest.Status(412)), false, 412, 1},
		{"400 for a condition", etag, list(origintest.Status(400), origintest.Text("b")), false, 200, 2},
		{"431 for a condition", etag, list(origintest.Status(431), origintest.Text("b")), false, 200, 2},
		{"501 for a condition", etag, list(origintest.Status(501), origintest.Text("b")), false, 200, 2},
		{"407", etag, list(origintest.Status(407)), false, 407, 1},
		{"500", etag, list(origintest.Status(500)), false, 500, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			web := origintest.New(t)
			web.Robots("example.com", test.answers...)
			answer, err := patient(web.Transport(t)).Fetch(t.Context(), example, test.known, fetch.Visit{})
			require.NoError(t, err)
			assert.Equal(t, test.unchanged, answer.Unchanged)
			assert.Equal(t, test.status, answer.Status)
			require.Len(t, web.Log(), test.asked)
			header := web.Log()[0].Header
			if test.known.URL == at {
				assert.Equal(t, test.known.ETag, header.Get("If-None-Match"))
				assert.Equal(t, test.known.LastModified, header.Get("If-Modified-Since"))
			} else {
				assert.Empty(t, header.Get("If-None-Match"))
			}
			if test.asked > 1 {
				assert.Empty(t, web.Log()[1].Header.Get("If-None-Match"), "not conditional")
			}
		})
	}
}

// Of a chain of redirects, it is the last hop whose validators count.
func TestConditionalRedirect(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Redirect("https://other.example/r.txt"))
	web.Page("other.example", "/r.txt", origintest.Status(200, "ETag", `"a"`), origintest.Status(304))
	client := patient(web.Transport(t))
	answer, err := get(t, client, example)
	require.NoError(t, err)
	assert.Equal(t, fetch.Validators{URL: "https://other.example/r.txt", ETag: `"a"`}, answer.Validators)
	answer, err = client.Fetch(t.Context(), example, answer.Validators, fetch.Visit{})
	require.NoError(t, err)
	assert.True(t, answer.Unchanged)
	log := web.Log()
	require.Len(t, log, 4)
	assert.Empty(t, log[2].Header.Get("If-None-Match"))
	assert.Equal(t, `"a"`, log[3].Header.Get("If-None-Match"))
}

// What is about a connection goes, also what Connection names, however it is spelled.
func TestDropHop(t *testing.T) {
	h := http.Header{"Connection": {"close, x-own ", "Te"}, "X-Own": {"a"}, "Te": {"trailers"}, "Keep-Alive": {"timeout=5"}, "X-Other": {"b"}}
	for _, name := range fetch.HopFields() {
		h[name] = append(h[name], "")
	}
	fetch.DropHop(h)
	assert.Equal(t, http.Header{"X-Other": {"b"}}, h)
}

// A 206 has all of the file if its range does.
func TestIsWhole(t *testing.T) {
	for text, want := range map[string]bool{
		"bytes 0-4/5": true, "bytes 0-0/1": true, "bytes 0-3/5": false, "bytes 1-4/5": false, "bytes 0-4/*": false, "bytes 0-x/5": false, "bytes 0-/0": false,
		"bytes 0-4": false, "bytes 0-/1": false, "bytes 0-0/": false, "items 0-4/5": false, "4/5": false, "0/1": false, "": false,
	} {
		assert.Equal(t, want, fetch.IsWhole(http.Header{"Content-Range": {text}}), text)
	}
}
