package lanes

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// byHost is Sites for a test.
func byHost(sites map[string]*polite.Options) func(*http.Request) *polite.Options {
	return func(req *http.Request) *polite.Options { return sites[req.URL.Host] }
}

// Each of four requests to a site goes by the settings of the site.
func TestSitesPace(t *testing.T) {
	const usual = 2 * time.Second
	for _, test := range []struct {
		name  string
		rules http.HandlerFunc
		site  *polite.Options
		gap   time.Duration
	}{
		{"nothing is different", origintest.Text(""), nil, usual},
		{"slower", origintest.Text(""), &polite.Options{Pace: &polite.Pace{MinDelay: time.Minute}}, time.Minute},
		{"no gap", origintest.Text(""), &polite.Options{Pace: &polite.Pace{MinDelay: polite.NoDelay}}, 0},
		{"the zero Pace keeps to a crawl-delay", conduct.Delayed(7), &polite.Options{Pace: new(polite.Pace)}, 7 * time.Second},
		{"capped", conduct.Delayed(7), &polite.Options{Pace: &polite.Pace{MaxDelay: 3 * time.Second}}, 3 * time.Second},
		{"agreed", conduct.Delayed(7), &polite.Options{Agreed: true}, usual},
		{"agreed, and slower", conduct.Delayed(7), &polite.Options{Agreed: true, Pace: &polite.Pace{MinDelay: 5 * time.Second}}, 5 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Robots("example.com", test.rules)
				transport := conduct.NewTransport(t, web)
				transport.Pace.MinDelay = usual
				transport.Sites = byHost(map[string]*polite.Options{"example.com": test.site})
				client := &http.Client{Transport: transport}
				d := conduct.Decide(t, transport, "/")
				assert.Equal(t, test.gap, d.Gap)
				for range 4 {
					_, err := conduct.Get(client, "http://example.com/")
					require.NoError(t, err)
				}
				log := web.Log()
				assert.Equal(t, []time.Duration{test.gap, test.gap, test.gap}, conduct.Gaps(log.Pages()))
				assert.Len(t, log.Robots(), map[bool]int{false: 1, true: 0}[test.site != nil && test.site.Agreed])
			})
		})
	}
}

// Who has agreed is not asked, refuses nothing, and the Decision says so.
func TestSitesAgreed(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text("user-agent: *\ndisallow: /\n"))
	web.Robots("down.example", origintest.Status(503))
	agreed := &polite.Options{Agreed: true, Basis: "sites\n.txt:5"}
	transport := conduct.NewTransport(t, web)
	transport.Sites = byHost(map[string]*polite.Options{"example.com": agreed, "down.example": agreed})
	client := &http.Client{Transport: transport}
	for _, host := range []string{"example.com", "down.example"} {
		status, err := conduct.Get(client, "http://"+host+"/private")
		require.NoError(t, err)
		assert.Equal(t, 200, status)
	}
	assert.Empty(t, web.Log().Robots())

	d := conduct.Decide(t, transport, "/private")
	assert.Equal(t, polite.Decision{
		Allowed: true, Reason: polite.ReasonAgreed, Basis: `sites\n.txt:5`, // safe for a log
		URL: "http://example.com/private", Origin: "http://example.com", Agent: "ExampleBot",
	}, d)
	d = conduct.Decide(t, transport, "/robots.txt")
	assert.Equal(t, polite.ReasonRobotsTxt, d.Reason)
	assert.Empty(t, d.Basis)
	assert.Empty(t, web.Log().Robots())

	file, err := transport.Robots(t.Context(), &url.URL{Scheme: "http", Host: "example.com"})
	require.NoError(t, err, "who calls Robots wants the file")
	assert.False(t, file.Allowed("ExampleBot", "/"))
	_, err = conduct.Get(client, "http://example.com/private")
	assert.NoError(t, err, "also when the rules are known")
}

// Each hop of a redirect goes by its own site.
func TestSitesRedirect(t *testing.T) {
	web := origintest.New(t)
	for _, host := range []string{"agreed.example", "other.example"} {
		web.Robots(host, origintest.Text("user-agent: *\ndisallow: /\n"))
	}
	web.Page("agreed.example", "/", origintest.Redirect("http://other.example/"))
	transport := conduct.NewTransport(t, web)
	transport.Sites = byHost(map[string]*polite.Options{"agreed.example": {Agreed: true}})
	_, err := conduct.Get(&http.Client{Transport: transport}, "http://agreed.example/")
	assert.ErrorIs(t, err, polite.ErrDisallowed)
	assert.Empty(t, web.Log().At("agreed.example").Robots())
	assert.Empty(t, web.Log().At("other.example").Pages())
}

// A Key joins sites, also with those that Pace.Key joins.
func TestSitesKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		transport := conduct.NewTransport(t, web)
		transport.Pace = polite.Pace{MinDelay: time.Second, Key: func(req *http.Request) string {
			return map[bool]string{true: "machine", false: "other"}[req.URL.Host == "c.example"]
		}}
		transport.Sites = byHost(map[string]*polite.Options{
			"a.example": {Key: "machine"},
			"b.example": {Key: "machine", Pace: &polite.Pace{MinDelay: 3 * time.Second}},
			"d.example": {Key: "d.example", Pace: &polite.Pace{MinDelay: polite.NoDelay}},
		})
		client := &http.Client{Transport: transport}
		start := time.Now()
		var hosts []string
		for _, host := range []string{"a.example", "c.example", "b.example", "a.example", "d.example", "d.example", "e.example"} {
			_, err := conduct.Get(client, "http://"+host+"/")
			require.NoError(t, err)
		}
		for _, arrival := range web.Log().Pages() {
			hosts = append(hosts, fmt.Sprintf("%s %v", arrival.Host, arrival.Time.Sub(start)))
		}
		assert.Equal(t, []string{
			"a.example 0s", "c.example 1s", "b.example 4s", "a.example 7s", "d.example 7s", "d.example 7s", "e.example 7s",
		}, hosts)
	})
}

// The longest Retry-After is the site's own: of a page, of a robots.txt, also of one that a
// Store remembers, and of one that another origin has redirected to.
func TestSitesMaxRetryAfter(t *testing.T) {
	own := &polite.Options{Pace: &polite.Pace{MaxRetryAfter: 90 * time.Second}}
	visit := func(t *testing.T, path string, robots ...http.HandlerFunc) (web *origintest.Server, transport *polite.Transport) {
		web = origintest.NewInMemory(t)
		web.Robots("example.com", robots...)
		web.Page("example.com", "/busy", origintest.Status(503, "Retry-After", "3600"))
		transport = conduct.NewTransport(t, web)
		transport.Sites = byHost(map[string]*polite.Options{"example.com": own})
		conduct.Get(&http.Client{Transport: transport}, "http://example.com"+path)
		return web, transport
	}
	next := func(t *testing.T, transport *polite.Transport, host string) polite.Decision {
		d, err := transport.Check(t.Context(), &url.URL{Scheme: "http", Host: host, Path: "/"})
		require.NoError(t, err)
		return d
	}
	t.Run("of a page", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, transport := visit(t, "/busy", origintest.Text(""))
			assert.Equal(t, 90*time.Second, time.Until(next(t, transport, "example.com").Start))
		})
	})
	t.Run("of robots.txt", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			_, transport := visit(t, "/", origintest.Status(503, "Retry-After", "3600"))
			d := next(t, transport, "example.com")
			assert.Equal(t, polite.ReasonUnreachable, d.Reason)
			assert.Equal(t, 90*time.Second, time.Until(d.Start))
			assert.Equal(t, 90*time.Second, time.Until(d.Next))
		})
	})
	t.Run("of a redirected robots.txt", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			web, transport := visit(t, "/busy", origintest.Text(""))
			time.Sleep(time.Second)
			web.Robots("other.example", origintest.Redirect("http://example.com/robots.txt"))
			d := next(t, transport, "other.example")
			assert.ErrorContains(t, d.Err, "has asked for a break")
			time.Sleep(5 * time.Minute)
			d = next(t, transport, "other.example")
			assert.NoError(t, d.Err, "the break of example.com is over after 90s")
		})
	})
	t.Run("that the Store remembers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			store := new(memstore.Entries)
			web := origintest.NewInMemory(t)
			web.Robots("example.com", origintest.Status(503, "Retry-After", "3600"))
			var d polite.Decision
			for _, site := range []*polite.Options{nil, own} { // the second run has other settings
				transport := conduct.NewTransport(t, web)
				transport.Cache = &polite.Cache{Store: store}
				transport.Sites = byHost(map[string]*polite.Options{"example.com": site})
				d = next(t, transport, "example.com")
			}
			assert.Len(t, web.Log().Robots(), 1)
			assert.Equal(t, 90*time.Second, time.Until(d.Next))
		})
	})
}

// A Site's Key gives the robots.txt that another origin redirects to its lane.
func TestSitesKeyOfARedirectedFetch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("other.example", origintest.Redirect("http://b.example.com/robots.txt"))
		web.Page("a.example.com", "/busy", origintest.Status(429, "Retry-After", "3600"))
		transport := conduct.NewTransport(t, web)
		machine := &polite.Options{Key: "machine"}
		transport.Sites = byHost(map[string]*polite.Options{"a.example.com": machine, "b.example.com": machine})
		client := &http.Client{Transport: transport}
		conduct.Get(client, "http://a.example.com/busy")
		_, err := conduct.Get(client, "http://other.example/")
		assert.ErrorIs(t, err, polite.ErrNoRules)
		assert.Empty(t, web.Log().At("b.example.com"))
	})
}

// Sites is called once for a request, and once more if it waits, when it is the next. It is not called for a
// request that needs nothing.
func TestSitesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		web.Robots("example.com", conduct.Changing(conduct.Caching("user-agent: *\ncrawl-delay: 600\n", 300), time.Minute, conduct.Caching("user-agent: *\ncrawl-delay: 500\n", 300)))
		calls := make(map[string]int)
		transport := conduct.NewTransport(t, web)
		transport.Policy.Exempt = func(req *http.Request) bool { return req.URL.Path == "/exempt" }
		transport.Sites = func(req *http.Request) *polite.Options {
			calls[req.URL.Path]++
			return &polite.Options{Pace: &polite.Pace{MaxDelay: polite.Forever}}
		}
		client := &http.Client{Transport: transport}
		for _, path := range []string{"/first", "/waits", "/exempt", "/robots.txt"} {
			_, err := conduct.Get(client, "http://example.com"+path)
			require.NoError(t, err)
		}
		u := &url.URL{Scheme: "http", Host: "example.com", Path: "/checked"}
		_, err := transport.Check(t.Context(), u)
		require.NoError(t, err)
		_, err = transport.Robots(t.Context(), u)
		require.NoError(t, err)
		synctest.Wait() // until the rules are renewed
		assert.Equal(t, map[string]int{"/first": 1, "/waits": 2, "/robots.txt": 2, "/checked": 1, "/": 1}, calls)
	})
}

// A panic for the URL of a redirected robots.txt is a failure that is remembered.
func TestSitesThatPanic(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Redirect("http://www.example.com/robots.txt"))
	panics := func(req *http.Request) {
		if req.URL.Host == "www.example.com" {
			panic("boom")
		}
	}
	sites, key := conduct.NewTransport(t, web), conduct.NewTransport(t, web)
	sites.Sites = func(req *http.Request) *polite.Options { panics(req); return nil }
	key.Pace.Key = func(req *http.Request) string { panics(req); return req.URL.Host }
	for i, transport := range []*polite.Transport{sites, key} {
		for range 3 {
			_, err := conduct.Get(&http.Client{Transport: transport}, "http://example.com/")
			assert.ErrorContains(t, err, "panic in Sites or Pace.Key: boom")
		}
		assert.Len(t, web.Log().Robots(), i+1)
	}
}

// Settings of a site cost nothing to allocate.
func TestSitesDoNotAllocate(t *testing.T) {
	response := &http.Response{StatusCode: 200, Body: http.NoBody}
	for name, site := range map[string]*polite.Options{
		"nothing is different": nil,
		"a Pace":               {Pace: &polite.Pace{MaxQueue: 100}},
		"agreed":               {Agreed: true, Basis: "a letter"},
	} {
		transport := &polite.Transport{UserAgent: conduct.UserAgent, Sites: func(*http.Request) *polite.Options { return site }}
		transport.Base = origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/robots.txt" {
				return origintest.Response(req, 200, conduct.Rules), nil
			}
			return response, nil
		})
		req, err := http.NewRequest("GET", "https://www.example.com/a/b", nil)
		require.NoError(t, err)
		req.Header.Set("User-Agent", conduct.UserAgent)
		assert.Zero(t, testing.AllocsPerRun(100, func() {
			if _, err := transport.RoundTrip(req); err != nil {
				t.Error(err)
			}
		}), name)
	}
}
