package sites_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/sites"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// named returns a table in which the Key of each Site is its Match.
func named(t testing.TB, matches ...string) *sites.Table {
	var all []sites.Entry
	for _, match := range matches {
		all = append(all, sites.Entry{Match: match, Options: polite.Options{Key: match}})
	}
	table, err := sites.New(all...)
	require.NoError(t, err)
	return table
}

// The most specific entry applies, wherever it is.
func TestSite(t *testing.T) {
	matches := []string{
		"*", "*a*", "*.example.com", ".example.com", "example.com", "https://example.com", "https://example.com:8443", ".deep.example.com",
		"api-*.example.com", "*x.example.com", "x*.example.com", "*httpbin.*", ".org", "xn--exmple-cua.net", "192.0.2.*", "192.0.2.1", "2001:db8::1",
	}
	var text strings.Builder
	for _, match := range matches {
		fmt.Fprintf(&text, "%s together=%[1]s\n", match)
	}
	for url, want := range map[string]string{
		"https://example.com/":                                  "https://example.com",
		"https://example.com:8443/":                             "https://example.com:8443",
		"https://example.com:9999/":                             "example.com",
		"http://example.com/":                                   "example.com",
		"http://EXAMPLE.com./":                                  "example.com",
		"https://example.com.:443/":                             "https://example.com",
		"http://www.example.com/":                               "*.example.com",
		"http://a.b.example.com/":                               "*.example.com",
		"http://deep.example.com/":                              ".deep.example.com",
		"http://a.deep.example.com/":                            ".deep.example.com",
		"http://api-1.example.com/":                             "api-*.example.com",
		"http://api-1.a.example.com/":                           "api-*.example.com",
		"http://api-1.deep.example.com/":                        ".deep.example.com",
		"http://xyx.example.com/":                               "*x.example.com",
		"http://xyz.example.com/":                               "x*.example.com",
		"http://notexample.com/":                                "*a*",
		"http://www.httpbin.org/":                               "*httpbin.*",
		"http://example.org/":                                   ".org",
		"http://org/":                                           ".org",
		"http://exämple.net/":                                   "xn--exmple-cua.net",
		"http://192.0.2.1:8080/":                                "192.0.2.1",
		"http://192.0.2.10/":                                    "192.0.2.*",
		"http://192.0.3.1/":                                     "*",
		"http://[2001:db8:0::1]/":                               "2001:db8::1",
		"http://[2001:db8::2]/":                                 "*",
		"http://[fe80::1%25.x.example.com]":                     "*",
		"http://" + strings.Repeat("a.", 121) + "example.com/":  "*.example.com", // as long as a name can be
		"http://b" + strings.Repeat("a.", 121) + "example.com/": "*",
		"ftp://example.com/":                                    "",
	} {
		table := named(t, matches...)
		site := table.Site(request(url))
		parsed, err := sites.Parse("sites.txt", text.String())
		require.NoError(t, err)
		assert.Equal(t, site, parsed.Site(request(url)), "as a text")
		if want == "" {
			assert.Nil(t, site)
			continue
		}
		require.NotNil(t, site, url)
		assert.Equal(t, want, site.Key, url)
	}
	assert.Nil(t, named(t, matches[2:]...).Site(request("http://elsewhere.example/")))
	assert.Nil(t, named(t).Site(request("http://example.com/")))
	assert.Nil(t, (*sites.Table)(nil).Site(request("http://example.com/")))
}

// Of two equally long entries, the first applies. Of a domain and the hosts below it, the
// entry for the hosts applies.
func TestFirst(t *testing.T) {
	assert.Equal(t, "*a.example", named(t, "*a.example", "a*.example").Site(request("http://aba.example/")).Key)
	assert.Equal(t, "a*.example", named(t, "a*.example", "*a.example").Site(request("http://aba.example/")).Key)
	const host = "abcdefghijklmnopqrstuvwxyz.example"
	var many []string // every other one matches, and these are as long
	for i := range 26 {
		many = append(many, host[:i]+"*"+host[i+1:], "*"+strings.Repeat("0", i+1))
	}
	for range 26 {
		assert.Equal(t, many[0], named(t, many...).Site(request("http://"+host+"/")).Key)
		many = append(many[2:], many[:2]...)
	}
	assert.Equal(t, ".b.example", named(t, ".b.example", "a*.example").Site(request("http://a.b.example/")).Key)
	assert.Equal(t, "a*.example", named(t, "a*.example", ".b.example").Site(request("http://a.b.example/")).Key)
	assert.Equal(t, "*.b.example", named(t, ".b.example", "*.b.example").Site(request("http://a.b.example/")).Key)
	assert.Equal(t, ".b.example", named(t, ".b.example", "*.b.example").Site(request("http://b.example/")).Key)
	assert.Equal(t, ".b.example", named(t, ".b.example", "*").Site(request("http://a.b.example/")).Key)
}

// The Host of a request names its site; the address to connect to does not.
func TestSiteOfHost(t *testing.T) {
	table := named(t, "https://example.com", "127.0.0.1")
	req := request("https://127.0.0.1:8443/")
	req.Host = "example.com"
	assert.Equal(t, "https://example.com", table.Site(req).Key)
	assert.Nil(t, table.Site(&http.Request{URL: &url.URL{Scheme: "http", Host: "exa mple.com"}}))
	assert.Nil(t, table.Site(&http.Request{}))
}

func TestNewErrors(t *testing.T) {
	_, err := sites.New(
		sites.Entry{Match: "example.com"},
		sites.Entry{Match: "exa mple.com"},
		sites.Entry{Match: "EXAMPLE.com"},
		sites.Entry{Match: "other.example", Options: polite.Options{Key: "a b"}},
		sites.Entry{Match: "*"}, sites.Entry{Match: "*"},
		sites.Entry{Match: "a*"}, sites.Entry{Match: "a*"},
		sites.Entry{Match: "http://a"}, sites.Entry{Match: "http://a:80"},
		sites.Entry{Match: ".a"}, sites.Entry{Match: "*.a"}, sites.Entry{Match: ".a"}, sites.Entry{Match: "*.a"},
	)
	require.Error(t, err)
	assert.Equal(t, []string{
		`sites: entry 1: "exa mple.com" is no host: write a name or an address, as in example.com, 192.0.2.1 or [2001:db8::1]`,
		`sites: entry 2: example.com is there already: write all its settings in one place`,
		`sites: entry 3: the key "a b" has white space: write a name without`,
		`sites: entry 5: * is there already: write all its settings in one place`,
		`sites: entry 7: a* is there already: write all its settings in one place`,
		`sites: entry 9: http://a is there already: write all its settings in one place`,
		`sites: entry 12: .a is there already: write all its settings in one place`,
		`sites: entry 13: *.a is there already: write all its settings in one place`,
	}, strings.Split(err.Error(), "\n"))
}

// large returns a table with many hosts, domains, patterns and origins, and its text.
func large(t testing.TB, lines int) (*sites.Table, string) {
	var text strings.Builder
	for i := range lines / 4 {
		fmt.Fprintf(&text, "host%d.example delay=2s\n.domain%d.example delay=2s\n*.below%d.example delay=2s together\nhttps://origin%d.example:8443 agreed\n", i, i, i, i)
	}
	text.WriteString("*wiki* delay=5s\n* delay=100ms\n")
	table, err := sites.Parse("sites.txt", text.String())
	require.NoError(t, err)
	return table, text.String()
}

func lookups() []*http.Request {
	return []*http.Request{
		request("https://host77.example/a"), request("https://a.b.c.domain77.example/a"), request("http://a.below77.example:8080/a"),
		request("https://origin77.example:8443/a"), request("https://en.wiki.example/"), request("https://none.example/"),
	}
}

// A look-up allocates nothing, and many may look at the same time.
func TestSiteDoesNotAllocate(t *testing.T) {
	byHour, err := sites.Parse("sites.txt", "* default\n* delay=1s hours=0-12\n* delay=2s hours=12-24\n")
	require.NoError(t, err)
	req := request("http://example.com/")
	assert.Zero(t, testing.AllocsPerRun(100, func() { assert.NotNil(t, byHour.Site(req)) }))

	table, _ := large(t, 1000)
	for _, req := range lookups() {
		assert.Zero(t, testing.AllocsPerRun(100, func() { table.Site(req) }), req.URL)
	}
	var crowd sync.WaitGroup
	for range 8 {
		crowd.Go(func() {
			for _, req := range lookups() {
				assert.NotNil(t, table.Site(req))
			}
		})
	}
	crowd.Wait()
}
