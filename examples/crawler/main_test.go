package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/queue"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newCrawler returns a crawler for web, and the log of its progress.
func newCrawler(t *testing.T, web *origintest.Server) (*crawler, *bytes.Buffer) {
	var progress bytes.Buffer
	transport := &polite.Transport{UserAgent: "ExampleBot/1.0", Base: web.Transport(t)}
	return &crawler{transport: transport, progress: log.New(&progress, "", 0)}, &progress
}

// newWeb returns a shop with a crawl-delay of 2 seconds, and another whose robots.txt is
// out of order.
func newWeb(t *testing.T) *origintest.Server {
	web := origintest.NewInMemory(t)
	web.Robots("shop.example", origintest.Text("user-agent: *\ncrawl-delay: 2\ndisallow: /private\nsitemap: /map.xml\n"))
	web.Page("shop.example", "/", origintest.Text(`<a href="/a#1">a</a> <a class="b" href="/private/b">b</a> <a href="http://else.example/">else</a> <a rel="ugc NoFollow" href="/no">no</a>`))
	web.Page("shop.example", "/map.xml", origintest.Text("<urlset><url><loc>http://shop.example/c?x=1&amp;y=2</loc></url>\n<url><loc> http://shop.example/busy\n</loc></url></urlset>"))
	web.Page("shop.example", "/a", origintest.Text(`<base href="/b/"><!-- <a href="/comment">no</a> --><a href=" / ">home</a> <a href="moved">moved</a> <a href="/gone">gone</a> <a href="/d">d</a>`))
	web.Page("shop.example", "/b/moved", origintest.Redirect("/private/moved"))
	web.Page("shop.example", "/gone", origintest.Status(http.StatusNotFound))
	web.Page("shop.example", "/busy", origintest.Status(http.StatusTooManyRequests))
	web.Robots("down.example", origintest.Status(http.StatusInternalServerError))
	web.Page("news.example", "/", origintest.Delay(5*time.Second, origintest.Text(`<a href="http://shop.example/d">d</a>`)))
	web.Page("shop.example", "/d", origintest.Text(`<meta name="robots" content="noindex, nofollow"><a href="/no">no</a>`))
	return web
}

// Only allowed pages arrive, each once and in its turn. Every page that was found has an
// outcome.
func TestCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(t)
		c, progress := newCrawler(t, web)
		require.NoError(t, c.crawl(t.Context(), "http://shop.example/", "http://down.example/", "http://news.example", "http://news.example/2", "shop.example/"))

		assert.Equal(t, strings.Join([]string{
			"GET http://shop.example/robots.txt", // for its rules, and for its sitemaps
			"GET http://shop.example/",
			"GET http://shop.example/map.xml",
			"GET http://shop.example/a",
			"GET http://shop.example/c?x=1&y=2",
			"GET http://shop.example/busy",
			"GET http://shop.example/b/moved",
			"GET http://shop.example/gone",
			"GET http://shop.example/d",
			"GET http://shop.example/busy", // again, twice
			"GET http://shop.example/busy",
			"",
		}, "\n"), web.Log().At("shop.example").String())
		assertApart(t, web.Log().At("shop.example").Pages(), 2*time.Second)
		assert.Empty(t, web.Log().At("down.example").Pages())
		assert.Empty(t, web.Log().At("else.example"))

		assert.Equal(t, `{"failed": 2, "fetched": 7, "rule": 2, "unreachable": 1}`, c.account.String())
		assert.Equal(t, 1+12, strings.Count(progress.String(), "\n"))
		assert.Equal(t, 1, strings.Count(progress.String(), "http://shop.example/private/b"))
		assert.Contains(t, progress.String(), `"shop.example/" is not the URL of a page`)
		assert.True(t, c.queue.Gone("http://shop.example/gone"))
	})
}

// However an argument spells its host, and where its redirect leads, its links are followed: they stay there. A
// page that leads away brings no links from there.
func TestCrawlMoved(t *testing.T) {
	for start, host := range map[string]string{"http://SHOP.example/": "shop.example", "http://bare.example/": "shop.example"} {
		synctest.Test(t, func(t *testing.T) {
			web := newWeb(t)
			web.Page("bare.example", "/", origintest.Redirect("http://shop.example/"))
			web.Page("shop.example", "/d", origintest.Redirect("http://else.example/d"))
			web.Page("else.example", "/d", origintest.Text(`<a href="/e">e</a> <a href="http://shop.example/f">f</a>`))
			c, progress := newCrawler(t, web)
			require.NoError(t, c.crawl(t.Context(), start))
			log := web.Log().At(host).String()
			for _, path := range []string{"/map.xml", "/c?x=1&y=2", "/gone", "/f"} {
				assert.Contains(t, log, "GET http://"+host+path+"\n")
			}
			assert.NotContains(t, web.Log().At("else.example").String(), "/e\n")
			assert.Contains(t, progress.String(), "fetched http://shop.example/a#1\n")
			assert.NotContains(t, progress.String(), "nil")
		})
	}
}

// A crawl that is stopped sends nothing more. Another one goes on with the pages that are left. A page that does
// not come holds up no other.
func TestCrawlStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "crawl.cache")
		web := newWeb(t)
		web.Page("shop.example", "/map.xml", origintest.Hang)
		crawl := func(ctx context.Context) (*crawler, error) {
			file, err := boltstore.Open(path, boltstore.Options{})
			require.NoError(t, err)
			defer file.Close()
			c, _ := newCrawler(t, web)
			c.queue.Journal = file.Journal("crawl")
			return c, c.crawl(ctx, "http://shop.example/")
		}
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, stop)
		began := time.Now()
		c, err := crawl(ctx)
		assert.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, time.Minute, time.Since(began))
		assert.Equal(t, `{"failed": 1, "fetched": 3, "rule": 2}`, c.account.String())
		assert.Equal(t, 1, c.queue.Progress().Left)

		web.Page("shop.example", "/map.xml", origintest.Text("http://shop.example/b\n"))
		sent := len(web.Log().At("shop.example").Pages())
		c, err = crawl(t.Context())
		require.NoError(t, err)
		assert.Equal(t, `{"fetched": 2}`, c.account.String())
		assert.Len(t, web.Log().At("shop.example").Pages(), sent+2)
	})
}

const asCommand = "CRAWLER_TEST_AS_COMMAND"

// TestMain makes the test binary the command itself, if the environment says so.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// An interrupt stops the command, which prints the pages that are left.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent an interrupt")
	}
	web, asked := origintest.New(t), make(chan bool, 1)
	web.Robots("shop.example", func(w http.ResponseWriter, r *http.Request) {
		asked <- true
		origintest.Hang(w, r)
	})
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, "http://shop.example/")
	cmd.Env = append(os.Environ(), asCommand+"=1", "HTTP_PROXY=http://"+web.Address(), "GORACE=atexit_sleep_ms=0")
	cmd.Dir = t.TempDir()
	var out bytes.Buffer
	cmd.Stdout = &out
	require.NoError(t, cmd.Start())
	<-asked
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	assert.NoError(t, cmd.Wait())
	assert.Equal(t, "{} 1 left\n", out.String())
	assert.Len(t, web.Log(), 1)
}

// The crawler takes no more of a site than its budget, and follows no link that is too deep.
func TestCrawlEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newCrawler(t, newWeb(t))
		c.queue.Most = queue.Budget{Pages: 3}
		require.NoError(t, c.crawl(t.Context(), "http://shop.example/"))
		assert.Equal(t, `{"fetched": 3}`, c.account.String())
		assert.Positive(t, c.queue.Progress().Over)

		web := origintest.NewInMemory(t)
		for i := range 20 {
			web.Page("deep.example", fmt.Sprint("/", i), origintest.Text(fmt.Sprintf(`<a href="/%d">next</a>`, i+1)))
		}
		c, _ = newCrawler(t, web)
		require.NoError(t, c.crawl(t.Context(), "http://deep.example/0"))
		assert.Equal(t, `{"fetched": 11}`, c.account.String())
	})
}

func assertApart(t *testing.T, pages origintest.Log, gap time.Duration) {
	for i := 1; i < len(pages); i++ {
		assert.GreaterOrEqual(t, pages[i].Time.Sub(pages[i-1].Time), gap, "before %s", pages[i].URI)
	}
}
