package politetest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/politetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A failing is a test that keeps what fails it.
type failing struct {
	testing.TB
	said []string
}

func (f *failing) Error(args ...any) { f.said = append(f.said, fmt.Sprint(args...)) }

func (f *failing) Errorf(format string, args ...any) { f.Error(fmt.Sprintf(format, args...)) }

// Each check fails a test for what is wrong, and for nothing else.
func TestChecks(t *testing.T) {
	const closer = "/b has arrived at example.com 1s after /a, and not 2s"
	for _, test := range []struct {
		name  string
		asked string // a second apart
		check func(*politetest.Site)
		want  []string
	}{
		{"allowed", "/a /b", (*politetest.Site).CheckAllowed, nil},
		{"disallowed", "/private /a /private?x", (*politetest.Site).CheckAllowed, []string{
			`/private has arrived, which the robots.txt of example.com disallows for "ExampleBot"`,
			`/private?x has arrived, which the robots.txt of example.com disallows for "ExampleBot"`,
		}},
		{"nothing is allowed", "", (*politetest.Site).CheckAllowed, []string{"nothing has arrived"}},

		{"a gap", "/a /b /c", gap(time.Second), nil},
		{"no gap", "/a /b", gap(2 * time.Second), []string{closer}},
		{"robots.txt between", "/robots.txt /a /robots.txt /b", gap(2 * time.Second), nil},
		{"another host between", "/a http://other.example/x /b", gap(2 * time.Second), nil},
		{"one page", "/robots.txt /a", gap(0), []string{"no host has got two pages, so there is no gap"}},
		{"a page for each host", "/a http://other.example/b", gap(0), []string{"no host has got two pages, so there is no gap"}},

		{"never", "/a", never("/b", "/", "/A", "/a?x", "http://other.example/a"), nil},
		{"once", "/a /b /a?x", never("/a"), []string{"/a has arrived at example.com, and should not", "/a?x has arrived at example.com, and should not"}},
		{"with a query", "/a /a?x=%20", never("/a?x=%20"), []string{"/a?x=%20 has arrived at example.com, and should not"}},
		{"at a host", "/ http://other.example/a", never("http://Other.example/a", "http://example.com"), []string{
			"/a has arrived at other.example, and should not", "/ has arrived at example.com, and should not",
		}},
		{"slashes", "//a", never("/a", "//a"), []string{"//a has arrived at example.com, and should not"}},
		{"no page", "/a", never("a", "%"), []string{
			`"a" is neither a path nor a URL: write it as in /page or http://example.com/page`,
			`"%" is neither a path nor a URL: write it as in /page or http://example.com/page`,
		}},
		{"nothing", "", never("/a"), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &failing{TB: t}
				site := politetest.NewSite(f, "user-agent: *\ndisallow: /private\n")
				client := &http.Client{Transport: site.Base()} // which is not polite
				for page := range strings.FieldsSeq(test.asked) {
					if strings.HasPrefix(page, "/") {
						page = site.URL + page
					}
					req, err := http.NewRequest(http.MethodGet, page, nil)
					require.NoError(t, err)
					req.Header.Set("User-Agent", "ExampleBot")
					resp, err := client.Do(req)
					require.NoError(t, err)
					resp.Body.Close()
					time.Sleep(time.Second)
				}
				test.check(site)
				var want []string
				for _, text := range test.want {
					want = append(want, "politetest: "+text)
				}
				assert.Equal(t, want, f.said)
			})
		})
	}
}

func gap(least time.Duration) func(*politetest.Site) {
	return func(s *politetest.Site) { s.CheckGap(least) }
}

func never(pages ...string) func(*politetest.Site) {
	return func(s *politetest.Site) { s.CheckNever(pages...) }
}

// A site of another host is checked by itself, and polite passes all checks.
func TestPolitePasses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		site := politetest.NewSite(t, "user-agent: *\ndisallow: /private\ncrawl-delay: 30\n")
		other := site.At("other.example", "user-agent: *\ndisallow: /\n")
		client := site.Client(userAgent)
		for _, page := range []string{site.URL + "/a", other.URL + "/x", site.URL + "/private", site.URL + "/b"} {
			if resp, err := client.Get(page); err == nil {
				resp.Body.Close()
			}
		}
		site.CheckAllowed()
		site.CheckGap(30 * time.Second)
		site.CheckNever("/private", "/x")
		other.CheckAllowed()
		other.CheckNever("/x", "/a")
	})
}
