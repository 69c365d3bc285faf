package reach

import (
	"net/url"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/public"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parsed(t *testing.T, address string) *url.URL {
	u, err := url.Parse(address)
	require.NoError(t, err)
	return u
}

// A dialler notes what it tries, and all count. Nobody listens here, so nothing is sent.
func TestDial(t *testing.T) {
	clear(dialled.sites)
	clear(led)
	ctx := t.Context()
	u := parsed(t, "http://LOCALHOST:1/")
	assert.False(t, Public(u), "nobody has dialled it")
	_, err := Dial(nil)(ctx, "tcp", "Localhost:1")
	require.Error(t, err)
	assert.Equal(t, privately, dialled.sites["localhost:1"])
	_, err = Dial(public.Control)(ctx, "tcp", "localhost:1")
	require.ErrorIs(t, err, public.ErrPrivate)
	note("localhost:1", publicly)
	assert.Equal(t, publicly|privately|refused, dialled.sites["localhost:1"])
	assert.False(t, Public(u))

	Refuse(parsed(t, "http://R.example/"))
	assert.Equal(t, refused, dialled.sites["r.example:80"])

	note("a.example:80", publicly)
	for _, spelling := range []string{"http://A.example/", "http://a.example.:080/"} {
		assert.True(t, Public(parsed(t, spelling)))
	}
	note("A.example.:80", privately) // of a page whose URL has the root's dot
	for _, spelling := range []string{"http://a.example/", "http://A.example.:80/"} {
		assert.False(t, Public(parsed(t, spelling)))
	}

	note("[2606:4700::1]:443", publicly)
	assert.True(t, Public(parsed(t, "https://[2606:4700:0::1]/")))
	assert.False(t, Public(parsed(t, "http://[2606:4700::1]/")), "it is another port")
}

// What is kept of a site is shown where it may be. The rows say at which addresses the site and
// the one that it redirects to were dialled.
func TestStore(t *testing.T) {
	const key = "bot https://a.example"
	hops := []string{"https://b.example/robots.txt"}
	answer := &entry.Answer{Status: 200, MaxAge: -1, Body: []byte("disallow: /secret\n")}
	redirected := &entry.Answer{Status: 200, MaxAge: -1, Hops: hops}
	failure := &entry.Failure{Tries: 1, Status: 500}
	for name, test := range map[string]struct {
		site, hop   reached
		entry       entry.Entry
		shown, open bool // where private addresses are closed, and where they are open
	}{
		"public":               {publicly, 0, entry.Entry{Answer: answer}, true, true},
		"private":              {privately, 0, entry.Entry{Answer: answer}, false, true},
		"unknown":              {0, 0, entry.Entry{Answer: answer}, false, true},
		"public hop":           {publicly, publicly, entry.Entry{Answer: redirected}, true, true},
		"private hop":          {publicly, privately, entry.Entry{Answer: redirected}, false, true},
		"failed":               {publicly, 0, entry.Entry{Failure: failure}, true, true},
		"failed, no such host": {0, 0, entry.Entry{Failure: failure}, true, true},
		"failed, private":      {privately, 0, entry.Entry{Failure: failure}, false, true},
		"failed, refused":      {refused, 0, entry.Entry{Failure: failure}, false, false},
		"public and private":   {publicly | privately, 0, entry.Entry{Answer: answer}, false, true},
		"failed after answer":  {privately, 0, entry.Entry{Answer: answer, Failure: failure}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			dialled.sites = map[string]reached{"a.example:443": test.site, "b.example:443": test.hop}
			file := new(memstore.Entries)
			closed := Store{file, func(*url.URL) bool { return false }}
			for _, key := range []string{key, "tdmrep.json " + key} {
				claim, err := Store{Store: file}.Claim(t.Context(), key, "", time.Minute)
				require.NoError(t, err)
				require.NoError(t, Store{Store: file}.Put(t.Context(), key, claim.Token, test.entry.Encode(key), time.Hour))
				got, err := closed.Claim(t.Context(), key, "", 0)
				require.NoError(t, err)
				assert.Equal(t, test.shown, got.Entry != nil)
				got, err = Store{file, func(u *url.URL) bool { return u.Hostname() == "a.example" }}.Claim(t.Context(), key, "", 0)
				require.NoError(t, err)
				assert.Equal(t, test.open, got.Entry != nil)
				if test.open {
					assert.Equal(t, test.entry.Encode(key), got.Entry)
				}
			}
			if !test.shown {
				claim, err := closed.Claim(t.Context(), key, "", time.Minute)
				require.NoError(t, err)
				assert.NotEmpty(t, claim.Token, "who may not see it may ask")
			}
		})
	}
}
