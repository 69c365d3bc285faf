package pagecache_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// How long a page answers by itself, by what its site says.
func TestFreshness(t *testing.T) {
	const tag = `ETag: "1"`
	// In a bubble it is the year 2000.
	for name, test := range map[string]struct {
		fields []string
		fresh  time.Duration // 0 if each request goes to the site
	}{
		"max-age":                   {[]string{"Cache-Control: max-age=60"}, time.Minute},
		"in quotes":                 {[]string{`Cache-Control: max-age="60"`}, time.Minute},
		"upper case":                {[]string{"Cache-Control: PUBLIC, Max-Age=60"}, time.Minute},
		"private":                   {[]string{"Cache-Control: private, max-age=60"}, time.Minute},
		"not for us":                {[]string{"Cache-Control: s-maxage=3600, max-age=60"}, time.Minute},
		"said twice":                {[]string{"Cache-Control: max-age=60", "Cache-Control: max-age=3600"}, time.Minute},
		"a word in quotes":          {[]string{`Cache-Control: ext="no-store, no-cache", max-age=60`}, time.Minute},
		"Age":                       {[]string{"Cache-Control: max-age=3600", "Age: 3540"}, time.Minute},
		"Age in words":              {[]string{"Cache-Control: max-age=60", "Age: old"}, time.Minute},
		"several Ages":              {[]string{"Cache-Control: max-age=3600", "Age: 3540, 0"}, time.Minute},
		"max-age before Expires":    {[]string{"Cache-Control: max-age=60", "Expires: Sat, 01 Jan 2000 01:00:00 GMT"}, time.Minute},
		"Expires":                   {[]string{"Expires: Sat, 01 Jan 2000 00:01:00 GMT"}, time.Minute},
		"Expires of year 9999":      {[]string{"Expires: Fri, 31 Dec 9999 23:59:59 GMT"}, 1000 * 24 * time.Hour},
		"guessed":                   {[]string{"Last-Modified: Fri, 31 Dec 1999 23:50:00 GMT"}, time.Minute},
		"guessed, changed long ago": {[]string{"Last-Modified: Mon, 01 Jan 0001 00:00:00 GMT"}, 24 * time.Hour},
		"any number of seconds":     {[]string{"Cache-Control: max-age=99999999999999999999999"}, 1000 * 24 * time.Hour},

		"nothing said":         {[]string{tag}, 0},
		"no-cache":             {[]string{"Cache-Control: no-cache, max-age=60", tag}, 0},
		"no-cache of a field":  {[]string{`Cache-Control: no-cache="a, b", max-age=60`, tag}, 0},
		"no-store":             {[]string{"Cache-Control: max-age=60, no-store"}, 0},
		"max-age=0":            {[]string{"Cache-Control: max-age=0", tag}, 0},
		"max-age=-1":           {[]string{"Cache-Control: max-age=-1", tag}, 0},
		"max-age=1e300":        {[]string{"Cache-Control: max-age=1e300", tag}, 0},
		"Expires: 0":           {[]string{"Expires: 0", tag}, 0},
		"Date of year 1":       {[]string{"Date: Mon, 01 Jan 0001 00:00:00 GMT", "Cache-Control: max-age=60", tag}, 0},
		"Date of year 9999":    {[]string{"Date: Fri, 31 Dec 9999 23:59:59 GMT", "Cache-Control: max-age=60"}, time.Minute},
		"Expires, badly spelt": {[]string{"Expires: Sat,  01 Jan 2000 01:00:00 GMT", tag}, 0},
		"a large Age":          {[]string{"Age: 99999999999999999999", "Cache-Control: max-age=60", tag}, 0},
		"Vary: *":              {[]string{"Vary: *", "Cache-Control: max-age=60"}, 0},
		"a cookie":             {[]string{"Set-Cookie: a=b", "Cache-Control: max-age=60"}, 0},
		"an empty cookie":      {[]string{"Set-Cookie: ", "Cache-Control: max-age=60"}, 0},
		"an ETag of 1 MB":      {[]string{`ETag: "` + strings.Repeat("x", 200_000) + `"`, "Cache-Control: max-age=60"}, 0},
		"a field beyond UTF-8": {[]string{"X-Name: \xff", "Cache-Control: max-age=60"}, 0},
		"a header of nothing":  {nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.Page(host, "/a", answer("page", test.fields...))
				w.get(t, "/a")
				w.Take()
				if test.fresh > 0 {
					time.Sleep(test.fresh - time.Second)
					_, body := w.get(t, "/a")
					assert.Equal(t, "page", body)
					assert.Empty(t, w.Take().Pages())
					if test.fresh > 24*time.Hour {
						return // for how long the clock of the test goes
					}
					time.Sleep(time.Second)
				}
				w.get(t, "/a")
				assert.Len(t, w.Take().Pages(), 1)
			})
		})
	}
}

// The time that an answer took counts, beside the age that it says (RFC 9111 §4.2.3).
func TestSlowAnswerIsOld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.Page(host, "/a", origintest.Delay(20*time.Second, answer("page", "Cache-Control: max-age=60", "Age: 10")))
		w.get(t, "/a")
		time.Sleep(29 * time.Second)
		w.get(t, "/a")
		assert.Len(t, w.Take().Pages(), 1)
		time.Sleep(time.Second)
		w.get(t, "/a")
		assert.Len(t, w.Take().Pages(), 1)
	})
}

// What is out of date is asked for on condition, and holds again after a 304.
func TestUnchanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		const changed = "Fri, 31 Dec 1999 00:00:00 GMT"
		w.Page(host, "/a", tagged("page", `"1"`, "Cache-Control: max-age=60", "Last-Modified: "+changed, "X-Says: old"), func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Says", "new")
			w.Header().Set("Cache-Control", "max-age=120")
			w.WriteHeader(http.StatusNotModified)
		})
		w.get(t, "/a")
		time.Sleep(time.Minute)
		resp, body := w.get(t, "/a")
		assert.Equal(t, "page", body)
		assert.Equal(t, http.StatusOK, resp.StatusCode)
		assert.Equal(t, "new", resp.Header.Get("X-Says"))
		asked := w.Take().Pages()
		require.Len(t, asked, 2)
		assert.Empty(t, asked[0].Header.Get("If-None-Match"))
		assert.Equal(t, `"1"`, asked[1].Header.Get("If-None-Match"))
		assert.Equal(t, changed, asked[1].Header.Get("If-Modified-Since"))
		require.Len(t, w.kept, 1)
		assert.True(t, w.kept[0].Unchanged)

		time.Sleep(2*time.Minute - time.Second)
		resp, body = w.again(t).get(t, "/a")
		assert.Equal(t, "page", body)
		assert.Equal(t, "new", resp.Header.Get("X-Says"))
		assert.Equal(t, "119", resp.Header.Get("Age"))
		assert.Empty(t, w.Take().Pages())
	})
}

// A 304 about another version is no answer: the page is asked for without condition.
func TestUnchangedOfAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.Page(host, "/a", answer("old", `ETag: "1"`), origintest.Status(http.StatusNotModified, "ETag", `"2"`), answer("new", `ETag: "2"`))
		w.get(t, "/a")
		_, body := w.get(t, "/a")
		assert.Equal(t, "new", body)
		asked := w.Take().Pages()
		require.Len(t, asked, 3)
		assert.Empty(t, asked[2].Header.Get("If-None-Match"))
	})
}

// A 304 that says no-store ends the keeping.
func TestUnchangedNoMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.Page(host, "/a", answer("page", `ETag: "1"`), origintest.Status(http.StatusNotModified, "Cache-Control", "no-store"))
		w.get(t, "/a")
		_, body := w.get(t, "/a")
		assert.Equal(t, "page", body)
		assert.Zero(t, w.count(t))
	})
}

// robots.txt judges a kept page as it judges a request.
func TestRulesOfKeptPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.Robots(host, origintest.Text("user-agent: *\nallow: /\n"), origintest.Text("user-agent: *\ndisallow: /a\n"))
		w.Page(host, "/a", answer("page", "Cache-Control: max-age=9999999"))
		w.get(t, "/a")
		w.get(t, "/a")
		require.Len(t, w.kept, 1)
		assert.True(t, w.kept[0].Decision.Allowed)

		_, err := w.again(t).try(t.Context(), "/a")
		assert.ErrorIs(t, err, polite.ErrDisallowed)
		assert.Len(t, w.Take().Pages(), 1)
		w.Robots(host, origintest.Status(http.StatusServiceUnavailable))
		_, err = w.again(t).try(t.Context(), "/a")
		assert.ErrorIs(t, err, polite.ErrNoRules)
	})
}

// A kept page takes no turn, not even in a break.
func TestKeptPagesTakeNoTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.Robots(host, origintest.Text("user-agent: *\ncrawl-delay: 20\n"))
		w.Page(host, "/a", answer("page", "Cache-Control: max-age=60"))
		w.Page(host, "/busy", origintest.Status(http.StatusTooManyRequests, "Retry-After", "3600"))
		w.get(t, "/a")
		w.get(t, "/busy")
		begun := time.Now()
		w.get(t, "/a")
		assert.Zero(t, time.Since(begun))
	})
}

// What a request may say.
func TestRequests(t *testing.T) {
	for name, test := range map[string]struct {
		fields []string
		asks   int
		status int
	}{
		"anything":              {nil, 0, 200},
		"no-cache":              {[]string{"Cache-Control: no-cache"}, 1, 200},
		"Pragma":                {[]string{"Pragma: no-cache"}, 1, 200},
		"Pragma does not count": {[]string{"Cache-Control: x", "Pragma: no-cache"}, 0, 200},
		"max-age=0":             {[]string{"Cache-Control: max-age=0"}, 1, 200},
		"old enough":            {[]string{"Cache-Control: max-age=31"}, 0, 200},
		"too old":               {[]string{"Cache-Control: max-age=30"}, 1, 200},
		"unreadable":            {[]string{"Cache-Control: max-age=x"}, 1, 200},
		"fresh enough":          {[]string{"Cache-Control: min-fresh=30"}, 0, 200},
		"not fresh enough":      {[]string{"Cache-Control: min-fresh=31"}, 1, 200},
		"fresh for less":        {[]string{"Cache-Control: max-age=3600, min-fresh=31"}, 1, 200},
		"only if cached":        {[]string{"Cache-Control: only-if-cached"}, 0, 200},
		"neither":               {[]string{"Cache-Control: only-if-cached, no-cache"}, 0, 504},
		"a part":                {[]string{"Range: bytes=0-1"}, 1, 200},
		"a condition":           {[]string{`If-None-Match: "2"`}, 1, 200},
		"credentials":           {[]string{"Authorization: Bearer x"}, 1, 200},
		"a cookie":              {[]string{"Cookie: a=b"}, 1, 200},
		"a key of an API":       {[]string{"X-Api-Key: x"}, 1, 200},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t)
				w.Page(host, "/a", tagged("page", `"1"`, "Cache-Control: max-age=60"))
				w.get(t, "/a")
				time.Sleep(30 * time.Second)
				w.Take()
				resp, _ := w.get(t, "/a", test.fields...)
				assert.Equal(t, test.status, resp.StatusCode)
				assert.Len(t, w.Take().Pages(), test.asks)
			})
		})
	}
}

// An answer to a request with a secret is not kept.
func TestSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.Page(host, "/a", answer("secret", "Cache-Control: public, max-age=60"))
		for _, field := range []string{"Authorization: Bearer x", "Cookie: a=b", "X-Api-Key: x", "Cache-Control: no-store"} {
			w.get(t, "/a", field)
			assert.Zero(t, w.count(t), field)
		}
	})
}

// A page is for requests like the one that it answered.
func TestVary(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.Page(host, "/a", answer("page", "Cache-Control: max-age=60", "Vary: accept-language, Accept"))
		w.get(t, "/a", "Accept-Language: de")
		w.get(t, "/a", "Accept-Language: de")
		assert.Len(t, w.Take().Pages(), 1)
		w.get(t, "/a", "Accept-Language: en")
		w.get(t, "/a")
		assert.Len(t, w.Take().Pages(), 2)
	})
}

// Each crawler, scheme, host and query has a page of its own. A fragment has none.
func TestKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		for _, path := range []string{"/a", "/a?x", "/A"} {
			w.Page(host, path, answer("page", "Cache-Control: max-age=60"))
			w.get(t, path)
		}
		w.get(t, "/a#there")
		assert.Equal(t, 3, w.count(t))
		w.Take()
		other := w.again(t)
		other.Polite.UserAgent = "OtherBot/1.0"
		other.get(t, "/a")
		assert.Len(t, w.Take().Pages(), 1)
	})
}

// A request that changes something at the site ends what is kept of the URL.
func TestUnsafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.Page(host, "/a", answer("page", "Cache-Control: max-age=60"))
		w.get(t, "/a")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+host+"/a", strings.NewReader("x"))
		require.NoError(t, err)
		resp, err := w.RoundTrip(req)
		require.NoError(t, err)
		resp.Body.Close()
		assert.Zero(t, w.count(t))
	})
}

// A site in trouble does not end a page. Any other answer does.
func TestOtherAnswers(t *testing.T) {
	for status, kept := range map[int]int{500: 1, 503: 1, 429: 1, 200: 0, 401: 0, 404: 0} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t)
			w.Page(host, "/a", answer("page", "Cache-Control: max-age=60"), origintest.Status(status))
			w.get(t, "/a")
			resp, _ := w.get(t, "/a", "Cache-Control: no-cache")
			assert.Equal(t, status, resp.StatusCode)
			assert.Equal(t, kept, w.count(t), status)
		})
	}
}

// A clock that was set back or ahead leads to a request, never to a page that is out of
// date. Each bubble begins in the year 2000.
func TestClockJumps(t *testing.T) {
	const year = 365 * 24 * time.Hour
	for name, test := range map[string]struct {
		kept, used time.Duration // since the bubble began
		asks       int
	}{
		"as it is": {time.Hour, time.Hour + 30*time.Second, 0},
		"back":     {year, 0, 1},
		"a little": {time.Hour, time.Hour - time.Second, 1},
		"ahead":    {0, year, 1},
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			page := answer("page", "Cache-Control: max-age=60")
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(test.kept)
				w := worldOf(t, origintest.NewInMemory(t), folder)
				w.Page(host, "/a", page)
				w.get(t, "/a")
				assert.Equal(t, 1, w.count(t))
			})
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(test.used)
				w := worldOf(t, origintest.NewInMemory(t), folder)
				w.Page(host, "/a", page)
				_, body := w.get(t, "/a")
				assert.Equal(t, "page", body)
				assert.Len(t, w.Log().Pages(), test.asks)
			})
		})
	}
}

// A site that cannot be reached ends no page, and no page that is out of date is handed out.
func TestConnectionBreaks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		w.Page(host, "/a", tagged("page", `"1"`), origintest.Reset)
		w.get(t, "/a")
		_, err := w.try(t.Context(), "/a")
		require.Error(t, err)
		assert.NotErrorIs(t, err, polite.ErrRefused)
		assert.Equal(t, 1, w.count(t))
	})
}

// A page is handed out where private addresses are closed only if it came from the public
// internet, each time that the site said something of it.
func TestPrivatePages(t *testing.T) {
	for name, test := range map[string]struct {
		public []bool // at each answer of the site
		asks   bool   // who may not see it
	}{
		"public":              {[]bool{true}, false},
		"private":             {[]bool{false}, true},
		"public, confirmed":   {[]bool{true, true}, false},
		"by a private site":   {[]bool{true, false}, true},
		"private, by another": {[]bool{false, true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.Page(host, "/a", tagged("page", `"1"`, "Cache-Control: max-age=60"))
			for _, public := range test.public {
				w = w.again(t)
				w.Anew, w.Public = true, func(*url.URL) bool { return public }
				w.get(t, "/a")
			}
			w = w.again(t)
			w.get(t, "/a")
			require.Len(t, w.kept, 1, "it is kept for who may see it")
			w = w.again(t)
			w.Open = func(*url.URL) bool { return false }
			w.get(t, "/a")
			assert.Equal(t, test.asks, w.kept == nil)
			w = w.again(t)
			w.Open = func(u *url.URL) bool { return u.Hostname() == host }
			w.get(t, "/a")
			assert.NotEmpty(t, w.kept)
		})
	}
}
