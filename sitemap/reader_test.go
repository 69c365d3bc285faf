package sitemap_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/sitemap"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func urlset(urls ...string) string {
	return "<urlset><url><loc>" + strings.Join(urls, "</loc></url><url><loc>") + "</loc></url></urlset>"
}

func indexOf(urls ...string) string {
	return strings.ReplaceAll(strings.ReplaceAll(urlset(urls...), "urlset", "sitemapindex"), "url>", "sitemap>")
}

// read returns what a sitemap of web yields, errors included, through polite.
func read(ctx context.Context, t *testing.T, web *origintest.Server, at string) (all []string, errs []error) {
	reader := sitemap.Reader{Client: &http.Client{Transport: &polite.Transport{UserAgent: "ExampleBot/1.0", Base: web.Transport(t)}}}
	for page, err := range reader.URLs(ctx, at) {
		if err != nil {
			errs, page.URL = append(errs, err), err.Error()
		}
		all = append(all, page.URL)
	}
	return all, errs
}

// An index leads to the sitemaps of its host. What one of them lacks holds up no other.
func TestIndex(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text("user-agent: *\ndisallow: /closed"))
	web.Page("example.com", "/index.xml", origintest.Text(indexOf("http://example.com/1.xml", "http://example.com/none", "http://example.com/closed.xml",
		"http://elsewhere.example/s.xml", "file:///etc/passwd", "http://example.com/index.xml", "http://example.com/in", "http://example.com/2.txt")))
	web.Page("example.com", "/1.xml", origintest.Text(urlset("http://example.com/a", "http://elsewhere.example/b")))
	web.Page("example.com", "/none", origintest.Status(404))
	web.Page("example.com", "/in", origintest.Redirect("http://192.168.1.1/reboot"))
	web.Page("example.com", "/2.txt", origintest.Text("http://example.com/c\n"))

	all, errs := read(t.Context(), t, web, "http://example.com/index.xml")
	assert.Equal(t, []string{
		"http://example.com/a", "http://elsewhere.example/b",
		"sitemap: http://example.com/none: the site answered 404 Not Found",
		`sitemap: http://example.com/closed.xml: polite: http://example.com/closed.xml is disallowed for ExampleBot by "disallow: /closed", line 2 of http://example.com/robots.txt (group "*")`,
		"sitemap: http://example.com/index.xml: http://elsewhere.example/s.xml is not read, as the index is one of example.com",
		`sitemap: http://example.com/index.xml: "file:///etc/passwd" cannot be fetched: it is neither http nor https`,
		"sitemap: http://example.com/index.xml: it is an index within an index, which is not read",
		"sitemap: http://example.com/in: it redirects into a private network",
		"http://example.com/c",
	}, all)
	require.ErrorIs(t, errs[1], polite.ErrDisallowed)
	failed, ok := errors.AsType[*sitemap.Error](errs[0])
	require.True(t, ok)
	assert.Equal(t, "http://example.com/none", failed.URL)
	for _, arrival := range web.Log() {
		assert.Equal(t, "example.com", arrival.Host)
		assert.NotContains(t, arrival.URI, "closed")
	}
}

// No redirect leads a Reader to where public.Redirect lets none lead, however the address is spelled.
func TestStaysOut(t *testing.T) {
	for _, host := range []string{
		"127.0.0.1", "127.1", "2130706433", "0x7f.1", "0177.0.0.1", "010.1.1.1", "10.0.0.1", "169.254.169.254", "168.63.129.16", "100.64.0.1", "224.0.0.1", "0.0.0.0",
		"[::1]", "[::ffff:10.0.0.1]", "[64:ff9b::10.0.0.1]", "[64:ff9b::168.63.129.16]", "[64:ff9b:1::8.8.8.8]", "[2002:a00:1::1]", "[fd00::1]", "[fe80::1]", "[ff02::1]",
		"localhost", "intranet", "robots.corp", "printer.local",
	} {
		t.Run(host, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Page("example.com", "/s.xml", origintest.Redirect("http://"+host+"/reboot"))
			all, _ := read(t.Context(), t, web, "http://example.com/s.xml")
			assert.Equal(t, []string{"sitemap: http://example.com/s.xml: it redirects into a private network"}, all)
			assert.Equal(t, []string{"/robots.txt", "/s.xml"}, web.Log().URIs())
		})
	}
}

// What has no end, or comes slowly, is given up.
func TestHostile(t *testing.T) {
	for name, test := range map[string]struct {
		answer http.HandlerFunc
		want   string
	}{
		"endless": {origintest.Endless("<urlset>", strings.Repeat("<!-- -->", 1000)), "it is larger than 64 MiB"},
		"slow":    {origintest.Drip(strings.Repeat(" ", 10_000), time.Second), "it takes longer than 5m0s"},
		"a loop":  {origintest.Redirect("http://example.com/s.xml"), "it redirects more than 10 times"},
		"escapes": {origintest.Text("<\x1b[2J\u202e>"), `sitemap: http://example.com/s.xml: XML syntax error`},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				web := origintest.NewInMemory(t)
				web.Page("example.com", "/s.xml", test.answer)
				all, errs := read(t.Context(), t, web, "http://example.com/s.xml")
				require.Len(t, errs, 1)
				assert.Len(t, all, 1)
				require.ErrorContains(t, errs[0], test.want)
				assert.NotContains(t, errs[0].Error(), "\x1b")
			})
		})
	}
}

// A reader ends with its context, and a caller may leave at any time.
func TestEnds(t *testing.T) {
	web := origintest.New(t)
	web.Page("example.com", "/index.xml", origintest.Text(indexOf("http://example.com/1.xml", "http://example.com/2.xml")))
	for _, path := range []string{"/1.xml", "/2.xml"} {
		web.Page("example.com", path, origintest.Text(urlset("http://example.com"+path+"/a", "http://example.com"+path+"/b")))
	}
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	client := &http.Client{Transport: web.Transport(t)}
	var all []string
	var last error
	for page, err := range (sitemap.Reader{Client: client}).URLs(ctx, "http://example.com/index.xml") {
		cancel(enough) // what is fetched already is still yielded
		all, last = append(all, page.URL), err
	}
	assert.Equal(t, []string{"http://example.com/1.xml/a", "http://example.com/1.xml/b", ""}, all)
	assert.ErrorIs(t, last, enough)

	web.Take()
	for range (sitemap.Reader{Client: client}).URLs(t.Context(), "http://example.com/index.xml") {
		break
	}
	assert.Len(t, web.Log(), 2, "the index, and its first sitemap")
}

// The first sitemap of a file whose name is no URL says of which host all are. A name that is no URL is no
// sitemap either.
func TestFollow(t *testing.T) {
	web := origintest.New(t)
	web.Page("example.com", "/1.xml", origintest.Text(urlset("http://example.com/a")))
	reader := sitemap.Reader{Client: &http.Client{Transport: web.Transport(t)}}
	for _, name := range []string{"s.xml", "%zz"} {
		var all []string
		for page, err := range reader.Follow(t.Context(), name, strings.NewReader(indexOf("http://example.com/1.xml", "http://elsewhere.example/s.xml"))) {
			if err != nil {
				page.URL = err.Error()
			}
			all = append(all, page.URL)
		}
		assert.Equal(t, []string{"http://example.com/a", "sitemap: " + name + ": http://elsewhere.example/s.xml is not read, as the index is one of example.com"}, all)
		_, err := reader.Fetch(t.Context(), name)
		assert.EqualError(t, err, fmt.Sprintf("sitemap: %s: %q is no URL with a scheme", name, name))
	}
}

// An index that names more than it may is read no further.
func TestTooManySitemaps(t *testing.T) {
	n := 0
	for _, err := range (sitemap.Reader{}).Follow(t.Context(), "s.xml", strings.NewReader(indexOf(strings.Fields(strings.Repeat("x:/ ", 50_005))...))) {
		require.Error(t, err)
		n++
	}
	assert.Equal(t, 50_001, n)
}

func ExampleReader_URLs() {
	mux := http.NewServeMux()
	site := httptest.NewServer(mux)
	defer site.Close()
	mux.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, "sitemap: %s/pages.xml\n", site.URL)
	})
	mux.HandleFunc("/pages.xml", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "<urlset><url><loc>https://example.com/a</loc><lastmod>2026-05-01</lastmod></url></urlset>")
	})

	ctx := context.Background()
	transport := &polite.Transport{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)"}
	home, err := url.Parse(site.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	file, err := transport.Robots(ctx, home)
	if err != nil {
		fmt.Println(err)
		return
	}
	reader := sitemap.Reader{Client: &http.Client{Transport: transport}}
	for at := range file.Sitemaps() {
		for page, err := range reader.URLs(ctx, at) {
			fmt.Println(page.URL, page.LastMod.Format(time.DateOnly), err)
		}
	}
	// Output: https://example.com/a 2026-05-01 <nil>
}
