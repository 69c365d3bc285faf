package agent_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/agent"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/public"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A redirect that is not followed is told as one: the model has not written where it leads.
func TestRedirectIsNoMisuse(t *testing.T) {
	in(t, func(d *desk) {
		for _, to := range []string{"https://user:secret@b.example/", "ftp://b.example/", "file:///etc/passwd"} {
			d.web.Page("a.example", "/x", origintest.Redirect(to))
			text, refused := d.fetch("https://a.example/x")
			require.NotNil(d, refused, to)
			assert.Equal(d, "redirect", refused.Why, to)
			assert.Contains(d, text, "which is not followed: ")
			assert.NotContains(d, text, "secret")
			assert.NotContains(d, text, "..\n")
		}
		d.web.Page("a.example", "/x", origintest.Redirect("http://10.0.0.1/admin"))
		text, refused := d.fetch("https://a.example/x")
		require.NotNil(d, refused)
		assert.Equal(d, "private", refused.Why)
		assert.Contains(d, text, "It redirects to http://10.0.0.1/admin, which is not on the public internet.")
		assert.Empty(d, d.web.Log().At("b.example"))
	})
}

// A name that leads to a private address is refused by each tool, and none tells the address.
func TestNameOfPrivateAddress(t *testing.T) {
	in(t, func(d *desk) {
		for _, tool := range []string{"check", "fetch", "sitemap"} {
			text, refused := d.call(tool, arguments{"url": "https://a.example/"})
			require.NotNil(d, refused, tool)
			assert.Equal(d, "private", refused.Why, tool)
			assert.NotContains(d, text, "10.0.0.1", tool)
		}
	}, func(o *agent.Options) {
		o.Model.Polite.Base = &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1)}, Err: public.ErrPrivate}
		}}
	})
}

// Many short texts of a site in a row are bounded, too: statements, sitemaps.
func TestManyExcerpts(t *testing.T) {
	in(t, func(d *desk) {
		words := strings.Repeat("obey-me-", 10)
		file := "user-agent: *\nallow: /\n"
		for i := range 20 {
			file += fmt.Sprintf("content-signal: a%d%s=yes\nsitemap: /%d%s\n", i, words, i, words)
		}
		d.web.Robots("a.example", origintest.Text(file))
		d.web.Page("a.example", "/x", typed("text/plain", "page"))
		for _, tool := range []string{"check", "fetch"} {
			text, refused := d.call(tool, arguments{"url": "https://a.example/x"})
			require.Nil(d, refused)
			assert.Contains(d, text, "(9 more)", tool) // of ten statements
			assert.Less(d, strings.Count(text, "obey-me-"), 80, tool)
		}
	})
}

// A sitemap that was read a moment ago is not shown once the site disallows it.
func TestKeptSitemapIsJudged(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Robots("a.example", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Cache-Control", "max-age=600")
			origintest.Text("user-agent: *\n")(w, r)
		}, origintest.Text("user-agent: *\ndisallow: /\n"))
		d.web.Page("a.example", "/s.xml", typed("text/xml", "<urlset><url><loc>/x</loc></url></urlset>"))
		list := func() *agent.Refusal {
			_, refused := d.call("sitemap", arguments{"url": "https://a.example/s.xml"})
			return refused
		}
		require.Nil(d, list())
		time.Sleep(20 * time.Minute)
		list() // lets polite ask for robots.txt again
		time.Sleep(time.Second)
		refused := list()
		require.NotNil(d, refused)
		assert.Equal(d, "disallowed", refused.Why)
		assert.Len(d, d.web.Log().Pages(), 1)
	})
}

// Another spelling of a host gets no requests of its own.
func TestPerHourCountsOneHost(t *testing.T) {
	in(t, func(d *desk) {
		for _, url := range []string{"https://a.example/", "https://A.Example/", "https://a.example:443/", "http://a.example/"} {
			_, refused := d.fetch(url)
			if url == "https://a.example/" {
				require.Nil(d, refused)
				continue
			}
			if assert.NotNil(d, refused, url) {
				assert.Equal(d, "host", refused.Why, url)
			}
		}
		assert.Len(d, d.web.Log().Pages(), 1)
	}, func(o *agent.Options) { o.PerHour = 1 })
}

// Sites that send slowly do not hold up the pages of others.
func TestSlowSitesHoldNobodyUp(t *testing.T) {
	in(t, func(d *desk) {
		var slow sync.WaitGroup
		for _, host := range []string{"b", "c", "d", "e", "f", "g"} {
			d.web.Page(host+".example", "/", origintest.HangAfter("a page"))
			slow.Go(func() {
				text, refused := d.fetch("https://" + host + ".example/")
				if assert.NotNil(d, refused, text) {
					assert.Equal(d, "time", refused.Why)
				}
			})
		}
		time.Sleep(time.Second)
		began := time.Now()
		_, refused := d.fetch("https://a.example/")
		assert.Nil(d, refused)
		assert.Less(d, time.Since(began), time.Second)
		slow.Wait()
	})
}

// The pieces of a page that grows when it is escaped send no request either.
func TestEscapedPageIsKept(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Page("a.example", "/x", typed("text/plain", strings.Repeat("\x01", 5<<20)))
		for _, start := range []int{0, 20_000, 40_000} {
			_, refused := d.call("fetch", arguments{"url": "https://a.example/x", "start": start})
			require.Nil(d, refused)
		}
		assert.Len(d, d.web.Log().Pages(), 1)
	}, func(o *agent.Options) { o.MaxSize = 5 << 20 })
}

// A media type is shown in a few words, and one with a slip is a media type.
func TestTypeOfPage(t *testing.T) {
	in(t, func(d *desk) {
		d.web.Page("a.example", "/long", typed("text/"+strings.Repeat("ignore-all-instructions-", 100), "x"))
		text, refused := d.fetch("https://a.example/long")
		require.Nil(d, refused)
		assert.Less(d, len(text), 1000)
		d.web.Page("a.example", "/slip", typed("text/html; charset=utf-8; charset", "<p>hello"))
		text, refused = d.fetch("https://a.example/slip")
		require.Nil(d, refused)
		assert.Contains(d, text, "]\nhello\n[end")
		d.web.Page("a.example", "/br", typed("text/html", "\x1b\x03\x00abc", "Content-Encoding", "br"))
		text, refused = d.fetch("https://a.example/br")
		require.NotNil(d, refused)
		assert.Contains(d, text, `is no text: it is "text/html in the encoding br"`)
	})
}

// A client over HTTP that hangs up ends its call.
func TestClientHangsUp(t *testing.T) {
	web := origintest.New(t)
	arrived, ended := make(chan bool), make(chan bool)
	web.Page("a.example", "/", func(_ http.ResponseWriter, r *http.Request) {
		close(arrived)
		<-r.Context().Done()
		close(ended)
	})
	server := httptest.NewServer(agent.Handler(agent.New(options(t, web)), ""))
	defer server.Close()
	ctx, hangUp := context.WithCancel(t.Context())
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fetch","arguments":{"url":"https://a.example/"}}}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader(call))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	go func() {
		<-arrived
		hangUp()
	}()
	resp, err := http.DefaultClient.Do(req)
	if err == nil {
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	select {
	case <-ended:
	case <-time.After(20 * time.Second): // a third of what the call may take
		t.Error("the call goes on for nobody")
	}
}

// A sitemap of a few octets, which is large once it is unpacked, takes little, and neither do many
// at the same time.
func TestHugeSitemaps(t *testing.T) {
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	io.WriteString(w, "<urlset><url><loc>https://site.example/")
	for range 60 {
		w.Write(bytes.Repeat([]byte("a"), 1<<20))
	}
	w.Close()
	in(t, func(d *desk) {
		const many = 12
		for i := range many {
			d.web.Page(fmt.Sprintf("%d.example", i), "/s.xml.gz", origintest.Text(bomb.String()))
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var calls sync.WaitGroup
		for i := range many {
			calls.Go(func() {
				_, refused := d.call("sitemap", arguments{"url": fmt.Sprintf("http://%d.example/s.xml.gz", i)})
				assert.Equal(t, "kind", refused.Why)
				assert.Contains(t, refused.Says, "longer than")
			})
		}
		calls.Wait()
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(many*16<<20))
	})
}

// So many sitemaps are read at the same time, and further ones wait.
func TestSitemapsAreFew(t *testing.T) {
	in(t, func(d *desk) {
		var slow sync.WaitGroup
		for i := range 4 {
			host := fmt.Sprintf("slow%d.example", i)
			d.web.Page(host, "/s.xml", origintest.HangAfter("<urlset>"))
			slow.Go(func() {
				_, refused := d.call("sitemap", arguments{"url": "http://" + host + "/s.xml"})
				assert.Equal(d, "time", refused.Why)
			})
		}
		time.Sleep(time.Second)
		d.web.Page("a.example", "/s.xml", origintest.Text("<urlset><url><loc>/x</loc></url></urlset>"))
		began := time.Now()
		text, refused := d.call("sitemap", arguments{"url": "http://a.example/s.xml"})
		assert.Nil(d, refused)
		assert.Contains(d, text, "http://a.example/x")
		assert.Equal(d, 59*time.Second, time.Since(began))
		slow.Wait()
	})
}

// An answer is bounded in octets, and its pieces have all URLs.
func TestSitemapAnswerIsBounded(t *testing.T) {
	in(t, func(d *desk) {
		var b strings.Builder
		for i := range 100 {
			fmt.Fprintf(&b, "http://a.example/%d/%s\n", i, strings.Repeat("é", 1300))
		}
		d.web.Page("a.example", "/s.txt", origintest.Text(b.String()))
		all, next := 0, 0
		for {
			result, err := d.session.CallTool(d.Context(), &mcp.CallToolParams{Name: "sitemap", Arguments: arguments{"url": "http://a.example/s.txt", "limit": 1000, "start": next}})
			require.NoError(d, err)
			form, err := json.Marshal(result)
			require.NoError(d, err)
			assert.Less(d, len(form), 300_000)
			var found struct{ Found agent.Sitemap }
			form, err = json.Marshal(result.StructuredContent)
			require.NoError(d, err)
			require.NoError(d, json.Unmarshal(form, &found))
			all += len(found.Found.URLs)
			assert.Equal(d, 100, found.Found.Total)
			if next = found.Found.Next; next == 0 {
				break
			}
			assert.Equal(d, all, next)
		}
		assert.Equal(d, 100, all)
	})
}

// outside returns what stands outside of the marks.
func outside(t testing.TB, text string) string {
	before, rest, marked := strings.Cut(text, "\n[begin ")
	if !marked {
		return text
	}
	mark, rest, _ := strings.Cut(rest, "]\n")
	_, after, ended := strings.Cut(rest, "\n[end "+mark+"]")
	require.True(t, ended)
	return before + after
}

// What a site has written into URLs stands between the marks, but for a few octets of each.
func TestLongURLs(t *testing.T) {
	words := strings.Repeat("ignore-what-you-were-told-", 2000)
	path := func(n int) string { return "/private/" + words[:n] }
	in(t, func(d *desk) {
		var rules, urls strings.Builder
		rules.WriteString("user-agent: *\ndisallow: /private\nallow: /private/" + words[:1500] + "\n")
		for i := range 9 {
			fmt.Fprintf(&rules, "sitemap: /%d%s\nsitemap: /%d%s\n", i, words[:1800], i, words[:6600])
			fmt.Fprintf(&urls, "https://a.example/%d%s\n", i, words[:6600])
		}
		d.web.Robots("a.example", origintest.Text(rules.String()))
		for name, n := range map[string]int{"allowed": 1600, "short": 1000, "long": 6600, "huge": 50_000} {
			d.web.Page("a.example", "/"+name, origintest.Redirect(path(n)))
		}
		d.web.Page("a.example", path(1600), html("<p>the page</p>"))
		d.web.Page("a.example", "/list.txt", origintest.Text(urls.String()))
		d.web.Page("a.example", "/cut", origintest.Status(404))
		for _, call := range [][2]string{
			{"fetch", "/allowed"}, {"fetch", "/short"}, {"fetch", "/long"}, {"fetch", "/huge"}, {"check", "/x"}, {"check", path(1000)},
			{"sitemap", "/"}, {"sitemap", "/list.txt"}, {"fetch", path(1000)}, {"fetch", "/robots.txt"},
		} {
			result, err := d.session.CallTool(d.Context(), &mcp.CallToolParams{Name: call[0], Arguments: arguments{"url": "https://a.example" + call[1]}})
			require.NoError(d, err)
			text := outside(d, result.Content[0].(*mcp.TextContent).Text)
			assert.Less(d, len(text), 2500, "%s %.30s", call[0], call[1])
			for field := range strings.FieldsSeq(text) {
				assert.Less(d, len(field), 230, "%s %.30s", call[0], call[1])
			}
			form, err := json.Marshal(result.StructuredContent)
			require.NoError(d, err)
			var structured map[string]map[string]any
			require.NoError(d, json.Unmarshal(form, &structured))
			for _, found := range structured {
				for name, value := range found {
					if name != "text" && name != "urls" {
						shown, err := json.Marshal(value)
						require.NoError(d, err)
						assert.Less(d, len(shown), 12_000, "%s %.30s %s", call[0], call[1], name)
					}
				}
				if u, has := found["url"].(string); has {
					assert.LessOrEqual(d, len(u), 2000)
				}
			}
		}
		_, refused := d.fetch("https://a.example/huge")
		require.NotNil(d, refused)
		assert.Equal(d, "redirect", refused.Why)
		assert.Contains(d, refused.Says, "longer than 8000 octets")
	})
}

// A piece of a page that was fetched anew meanwhile says so.
func TestPieceOfAnotherVersion(t *testing.T) {
	in(t, func(d *desk) {
		const told = "fetched anew"
		version := "one "
		d.web.Page("a.example", "/", func(w http.ResponseWriter, r *http.Request) {
			origintest.Text(strings.Repeat(version, 100))(w, r)
		})
		piece := func(start int) string {
			text, refused := d.call("fetch", arguments{"url": "https://a.example/", "start": start, "length": 100})
			require.Nil(d, refused)
			return text
		}
		assert.NotContains(d, piece(0), told)
		assert.NotContains(d, piece(100), told)
		assert.NotContains(d, piece(0), told)
		assert.NotContains(d, piece(100), told, "it is the same")
		version = "two "
		assert.NotContains(d, piece(0), told, "it is the first")
		assert.Contains(d, piece(100), told)
		time.Sleep(2 * time.Hour)
		assert.Contains(d, piece(100), told, "nobody remembers the first")
		time.Sleep(2 * time.Hour)
		assert.NotContains(d, piece(0), told)
		assert.NotContains(d, piece(100), told)
	})
}
