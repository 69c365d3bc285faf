package politetest_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/politetest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const userAgent = "ExampleBot/1.0 (+https://example.com/bot)"

// get returns the body of a page.
func get(t *testing.T, client *http.Client, url string) string {
	resp, err := client.Get(url)
	require.NoError(t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(body)
}

// In a bubble, a crawl-delay is kept and takes no real time. The bubble ends.
func TestCrawlDelayInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := politetest.NewSite(t, "user-agent: *\ncrawl-delay: 30\n")
		client := site.Client(userAgent)
		for range 3 {
			get(t, client, site.URL)
		}
		arrived := site.Arrived()
		require.Len(t, arrived, 4)
		assert.Equal(t, "/robots.txt", arrived[0].URI)
		assert.Equal(t, 30*time.Second, arrived[2].Time.Sub(arrived[1].Time))
		assert.Equal(t, 30*time.Second, arrived[3].Time.Sub(arrived[2].Time))
	})
}

// With a store, a bubble ends if the Transport's idle connections are closed.
func TestStoreInBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := politetest.NewSite(t, "user-agent: *\ncrawl-delay: 30\n")
		transport := &polite.Transport{UserAgent: userAgent, Base: site.Base(), Cache: &polite.Cache{Store: new(memstore.Store)}}
		defer transport.CloseIdleConnections()
		get(t, &http.Client{Transport: transport}, site.URL)
		assert.Len(t, site.Arrived(), 2)
	})
}

// A client that does not ask for robots.txt is found out, by the name that it sends.
func TestAllowed(t *testing.T) {
	site := politetest.NewSite(t, "user-agent: *\ndisallow: /private\n\nuser-agent: examplebot\ndisallow: /news\n")
	other := site.At("other.example", "user-agent: *\ndisallow: /\n")
	client := &http.Client{Transport: site.Base()}
	for _, test := range []struct {
		userAgent, url string
		want           bool
	}{
		{"OtherBot", site.URL + "/news", true},
		{"OtherBot", site.URL + "/private?x", false},
		{userAgent, site.URL + "/news", false},
		{userAgent, site.URL + "/private", true},
		{"", site.URL + "/private", false},
		{userAgent, "https://example.com/news", false},
		{userAgent, "http://anywhere.example:8080/news", false},
		{userAgent, other.URL + "/", false},
		{userAgent, other.URL + "/robots.txt", true},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, test.url, nil)
		require.NoError(t, err)
		req.Header.Set("User-Agent", test.userAgent)
		resp, err := client.Do(req)
		require.NoError(t, err)
		resp.Body.Close()
		arrived := site.Arrived()
		last := arrived[len(arrived)-1]
		assert.Equal(t, test.userAgent, last.UserAgent)
		assert.Equal(t, req.URL.RequestURI(), last.URI)
		assert.Equal(t, test.want, last.Allowed, "%v", test)
	}
	assert.Len(t, other.Arrived(), 2)
	site.Robots("")
	assert.True(t, site.Arrived()[1].Allowed, "by the robots.txt of now")
	assert.False(t, other.Arrived()[0].Allowed, "which is that of the host")
}

// A page answers by each answer once, and then by the last; a robots.txt, too.
func TestPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := politetest.NewSite(t, "")
		client := site.Client(userAgent)
		site.Page("/robots.txt", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "", http.StatusServiceUnavailable) }, politetest.Text(""))
		_, err := client.Get(site.URL)
		assert.ErrorIs(t, err, polite.ErrNoRules)
		time.Sleep(10 * time.Minute)
		site.Page("/", politetest.Text("one"), politetest.Text("two"))
		assert.Equal(t, "one", get(t, client, site.URL))
		assert.Equal(t, "two", get(t, client, site.URL))
		assert.Equal(t, "two", get(t, client, site.URL))
		site.Page("/")
		assert.Equal(t, get(t, client, site.URL+"/other"), get(t, client, site.URL))
	})
}

// The rules that Robots changes are those that polite asks for when its answer is out of
// date.
func TestRobots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := politetest.NewSite(t, "user-agent: *\nallow: /\n")
		client := site.Client(userAgent)
		get(t, client, site.URL)
		site.Robots("user-agent: *\ndisallow: /\n")
		get(t, client, site.URL)
		time.Sleep(25 * time.Hour)
		_, err := client.Get(site.URL)
		assert.ErrorIs(t, err, polite.ErrDisallowed)
	})
}

// A page that is slower than its client is patient does not outlast the test.
func TestSlowPage(t *testing.T) {
	ended := false
	synctest.Test(t, func(t *testing.T) {
		site := politetest.NewSite(t, "")
		site.Page("/", func(http.ResponseWriter, *http.Request) {
			time.Sleep(time.Minute)
			ended = true
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, site.URL, nil)
		require.NoError(t, err)
		_, err = site.Client(userAgent).Do(req)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
	assert.True(t, ended)
}

// On a socket, the site is the same.
func TestOnSocket(t *testing.T) {
	site := politetest.NewSite(t, "user-agent: *\ndisallow: /private\n")
	site.Page("/", politetest.Text("home"))
	server := httptest.NewServer(site)
	defer server.Close()
	client := polite.Wrap(server.Client(), userAgent)
	assert.Equal(t, "home", get(t, client, server.URL))
	_, err := client.Get(server.URL + "/private")
	assert.ErrorIs(t, err, polite.ErrDisallowed)
	require.Len(t, site.Arrived(), 2)
	assert.True(t, strings.HasSuffix(server.URL, site.Arrived()[1].Host))
}

// Who imports the package for tests compiles nothing but polite for it: no library of
// assertions, and no store.
func TestDependencies(t *testing.T) {
	list := func(pkg string) []string {
		out, err := exec.CommandContext(context.Background(), "go", "list", "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", pkg).Output()
		require.NoError(t, err)
		return strings.Fields(string(out))
	}
	of := list("github.com/go-polite/polite")
	for _, dep := range list("github.com/go-polite/polite/politetest") {
		if !strings.HasSuffix(dep, "/politetest") && !strings.HasSuffix(dep, "/internal/origintest") {
			assert.Contains(t, of, dep)
		}
	}
}
