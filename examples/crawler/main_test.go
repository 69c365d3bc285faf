package main

import (
	"bytes"
	"context"
	"log"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newCrawler returns a crawler for web, and the log of its progress.
func newCrawler(t *testing.T, web *origintest.Server) (*crawler, *bytes.Buffer) {
	var progress bytes.Buffer
	transport := &polite.Transport{UserAgent: "ExampleBot/1.0", Base: web.Transport(t)}
	return &crawler{transport: transport, most: 100, progress: log.New(&progress, "", 0)}, &progress
}

// newWeb returns a shop with a crawl-delay of 2 seconds, and another whose robots.txt is
// out of order.
func newWeb(t *testing.T) *origintest.Server {
	web := origintest.NewInMemory(t)
	web.Robots("shop.example", origintest.Text("user-agent: *\ncrawl-delay: 2\ndisallow: /private\nsitemap: /map.xml\n"))
	web.Page("shop.example", "/", origintest.Text(`<a href="/a#1">a</a> <a class="b" href="/private/b">b</a> <a href="http://else.example/">else</a>`))
	web.Page("shop.example", "/map.xml", origintest.Text("<urlset><url><loc>http://shop.example/c?x=1&amp;y=2</loc></url>\n<url><loc> http://shop.example/busy\n</loc></url></urlset>"))
	web.Page("shop.example", "/a", origintest.Text(`<a href="/">home</a> <a href="moved">moved</a> <a href="/gone">gone</a>`))
	web.Page("shop.example", "/moved", origintest.Redirect("/private/moved"))
	web.Page("shop.example", "/gone", origintest.Status(http.StatusNotFound))
	web.Page("shop.example", "/busy", origintest.Status(http.StatusServiceUnavailable))
	web.Robots("down.example", origintest.Status(http.StatusInternalServerError))
	web.Page("news.example", "/", origintest.Delay(5*time.Second, origintest.Text(`<a href="http://shop.example/d">d</a>`)))
	return web
}

// Only allowed pages arrive, each once and in its turn. Every page that was found has an
// outcome.
func TestCrawl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(t)
		c, progress := newCrawler(t, web)
		account := c.crawl(t.Context(), "http://shop.example/", "http://down.example/", "http://news.example", "http://news.example/2", "shop.example/")

		assert.Equal(t, strings.Join([]string{
			"GET http://shop.example/robots.txt", // for its rules, and for its sitemaps
			"GET http://shop.example/",
			"GET http://shop.example/map.xml",
			"GET http://shop.example/a",
			"GET http://shop.example/c?x=1&y=2",
			"GET http://shop.example/busy",
			"GET http://shop.example/moved",
			"GET http://shop.example/gone",
			"GET http://shop.example/d",
			"",
		}, "\n"), web.Log().At("shop.example").String())
		assertApart(t, web.Log().At("shop.example").Pages(), 2*time.Second)
		assert.Empty(t, web.Log().At("down.example").Pages())
		assert.Empty(t, web.Log().At("else.example"))

		assert.Equal(t, map[string]int{"fetched": 7, "disallowed": 2, "put off": 1, "failed": 2}, account)
		assertAccounted(t, c, progress)
		assert.Contains(t, progress.String(), `"shop.example/" is not the URL of a page`)
	})
}

// A crawl that is stopped sends nothing more, and puts off the pages that are left. A page that does
// not come holds up no other.
func TestCrawlStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		web := newWeb(t)
		web.Page("shop.example", "/map.xml", origintest.Hang)
		c, progress := newCrawler(t, web)
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, stop)
		began := time.Now()
		account := c.crawl(ctx, "http://shop.example/")

		assert.Equal(t, time.Minute, time.Since(began))
		assert.Equal(t, map[string]int{"fetched": 2, "disallowed": 2, "failed": 1, "put off": 1}, account)
		assert.Contains(t, progress.String(), "put off http://shop.example/map.xml: ")
		assertAccounted(t, c, progress)
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
	var out bytes.Buffer
	cmd.Stdout = &out
	require.NoError(t, cmd.Start())
	<-asked
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	assert.NoError(t, cmd.Wait())
	assert.Equal(t, "0 fetched, 0 disallowed, 1 put off, 0 failed\n", out.String())
	assert.Len(t, web.Log(), 1)
}

// The crawler looks for no more pages than it may.
func TestCrawlMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, _ := newCrawler(t, newWeb(t))
		c.most = 3
		account := c.crawl(t.Context(), "http://shop.example/")
		assert.Equal(t, map[string]int{"fetched": 3}, account)
	})
}

// assertAccounted checks that each page which was found is in the log once, and in the
// account.
func assertAccounted(t *testing.T, c *crawler, progress *bytes.Buffer) {
	sum := 0
	for outcome, n := range c.account {
		assert.Equal(t, n, strings.Count("\n"+progress.String(), "\n"+outcome+" http"), outcome)
		sum += n
	}
	assert.Len(t, c.found, sum)
	for page := range c.found {
		assert.Regexp(t, `(?m)^[a-z ]+ `+regexp.QuoteMeta(page)+"(: |$)", progress.String())
	}
}

func assertApart(t *testing.T, pages origintest.Log, gap time.Duration) {
	for i := 1; i < len(pages); i++ {
		assert.GreaterOrEqual(t, pages[i].Time.Sub(pages[i-1].Time), gap, "before %s", pages[i].URI)
	}
}
