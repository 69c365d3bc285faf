package polite

import (
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/judge"
	"github.com/go-polite/polite/internal/known"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What sites without rules are refused by a Policy, in the order of package judge.
func TestPlainPolicy(t *testing.T) {
	type silences []judge.Silence
	for name, test := range map[string]struct {
		policy Policy
		denies silences
		ends   bool
	}{
		"zero":      {Policy{}, silences{judge.TooManyRequests, judge.Unreachable, judge.LongOutage}, false},
		"Google":    {Google(), silences{judge.TooManyRequests, judge.Unreachable}, true},
		"Strict":    {Strict(), silences{judge.Forbidden, judge.TooManyRedirects, judge.WebPage, judge.TooManyRequests, judge.Unreachable, judge.LongOutage}, false},
		"allow all": {Policy{Forbidden: AllowAll, TooManyRedirects: AllowAll, WebPage: AllowAll, TooManyRequests: AllowAll, Unreachable: AllowAll}, silences{judge.LongOutage}, false},
		"deny all":  {Policy{TooManyRequests: DenyAll, Unreachable: DenyAll, LongOutage: DenyAll}, silences{judge.TooManyRequests, judge.Unreachable, judge.LongOutage}, true},
	} {
		plain := test.policy.plain()
		var denies silences
		for silence, denied := range plain.Denies {
			if denied {
				denies = append(denies, judge.Silence(silence))
			}
		}
		assert.Equal(t, test.denies, denies, name)
		assert.Equal(t, test.ends, plain.EndsOutages, name)
		assert.Equal(t, name == "Strict", plain.FoldPaths && plain.ReadSlips, name)
		assert.Equal(t, name == "Strict", plain.FoldPaths || plain.ReadSlips, name)
	}
}

// The bounds of a Policy, and what they are without a word.
func TestBoundsOfPolicy(t *testing.T) {
	for _, test := range []struct {
		policy    Policy
		timeout   time.Duration
		age       time.Duration
		redirects int
	}{
		{Policy{Timeout: -1, MaxRedirects: -1}, 30 * time.Second, known.MaxAge, 5},
		{Policy{Timeout: 0, MaxRedirects: 4}, 30 * time.Second, known.MaxAge, 5},
		{Policy{Timeout: 1, MaxRedirects: 6, LongMaxAge: true}, 1, known.LongMaxAge, 6},
	} {
		assert.Equal(t, test.timeout, test.policy.timeout())
		assert.Equal(t, test.age, test.policy.maxAge())
		assert.Equal(t, test.redirects, test.policy.redirects().Max)
	}
	for access, want := range map[Access]string{AccessDefault: "default", AllowAll: "allow all", DenyAll: "deny all"} {
		assert.Equal(t, want, access.String())
	}
}

// Which redirects are followed: by default, by Strict, by a function of one's own, and to files about a site.
func TestRedirects(t *testing.T) {
	strict, usual := Strict(), Policy{}
	for _, test := range []struct {
		from, to      string
		strict, usual string // why not; "" if it is followed
	}{
		{"http://a.example/", "http://A.example:80/b", "", ""},
		{"http://a.example/", "https://a.example/", "", ""},
		{"HTTPS://a.example/", "https://a.example/b", "", ""},
		{"HTTPS://a.example/", "http://a.example/", "from https to http", ""},
		{"http://a.example/", "http://b.example/", "to another host", ""},
		{"http://a.example/", "http://10.0.0.1/", "to another host", "from a public host to one that is not"},
	} {
		from, err := url.Parse(test.from)
		require.NoError(t, err)
		to, err := url.Parse(test.to)
		require.NoError(t, err)
		for check, want := range map[*Policy]string{&strict: test.strict, &usual: test.usual} {
			if err := check.redirects().Check(from, to); want != "" {
				assert.ErrorContains(t, err, want)
			} else {
				assert.NoError(t, err, "%s to %s", from, to)
			}
		}
		if test.usual != "" {
			assert.ErrorContains(t, checkSiteFileRedirect(&http.Request{URL: to}, []*http.Request{{URL: to}, {URL: from}}), test.usual)
		}
	}
	own := Policy{CheckRedirect: func(*url.URL, *url.URL) error { return errors.New("mine") }}
	assert.EqualError(t, own.redirects().Check(nil, nil), "mine")
	hop := asks(t, "http://a.example/")
	five := []*http.Request{hop, hop, hop, hop, hop}
	assert.NoError(t, checkSiteFileRedirect(hop, five))
	assert.Error(t, checkSiteFileRedirect(hop, append(five, hop)))
}
