// Command crawler fetches the pages of some sites and follows the links and the sitemaps
// that it finds there. It leaves the pages alone that a robots.txt disallows.
//
//	go run ./examples/crawler https://example.com/ https://example.org/
//
// It follows links of plain HTML to the sites of its arguments. Ctrl-C ends it.
package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/queue"
	"github.com/go-polite/polite/sitemap"
)

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: crawler URL...")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	transport := &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Pace:      polite.Pace{MinDelay: time.Second}, // or longer, where the site asks for it
	}
	c := crawler{transport: transport, most: 1000, progress: log.New(os.Stderr, "", log.Ltime)}
	account := c.crawl(ctx, os.Args[1:]...)
	fmt.Printf("%d fetched, %d disallowed, %d put off, %d failed\n", account["fetched"], account["disallowed"], account["put off"], account["failed"])
}

// A crawler fetches pages with a few workers. The queue gives them those whose turn has come.
type crawler struct {
	transport *polite.Transport
	most      int                   // pages to look for
	progress  *log.Logger           // gets a line for each page
	queue     queue.Queue[bool]     // and whether a page is a sitemap
	sites     map[string]*sync.Once // those of the arguments: their sitemaps are added once
	mu        sync.Mutex
	found     map[string]bool // every page that was ever in the queue, by URL
	account   map[string]int  // how many pages were fetched, disallowed, put off, failed
}

// crawl visits the sites of the URLs, until it has an outcome for every page.
func (c *crawler) crawl(ctx context.Context, starts ...string) (account map[string]int) {
	c.sites, c.found, c.account = make(map[string]*sync.Once), make(map[string]bool), make(map[string]int)
	c.queue.Client = &http.Client{Transport: c.transport}
	c.queue.Options = polite.Options{MaxWait: 2 * time.Minute} // a site that lets nothing through for so long is put off
	for _, start := range starts {
		if page, err := url.Parse(start); err != nil || page.Host == "" || !strings.HasPrefix(page.Scheme, "http") {
			c.progress.Printf("%q is not the URL of a page", start)
		} else {
			c.sites[siteOf(page)] = new(sync.Once)
			c.add(page, start, false)
		}
	}
	err := c.queue.Run(ctx, 16, c.visit)
	for left := range c.queue.Left() { // if ctx has ended
		c.tell("put off", left.URL, err)
	}
	return c.account
}

func siteOf(page *url.URL) string { return page.Scheme + "://" + page.Host }

// add puts what a page links to into the queue, unless it was there before or is of another site.
func (c *crawler) add(page *url.URL, link string, isSitemap bool) {
	to, err := page.Parse(link)
	if err != nil || c.sites[siteOf(to)] == nil {
		return
	}
	to.Fragment = ""
	c.mu.Lock()
	defer c.mu.Unlock()
	if key := to.String(); !c.found[key] && len(c.found) < c.most && c.queue.Push(key, isSitemap) == nil {
		c.found[key] = true
	}
}

// tell notes what became of a page, and why.
func (c *crawler) tell(outcome, page string, why any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.account[outcome]++
	c.progress.Printf("%s %s: %v", outcome, page, why)
}

// visit looks at a page that was fetched or refused, and adds its links.
func (c *crawler) visit(ctx context.Context, page queue.Item[bool], resp *http.Response, err error) error {
	at, _ := url.Parse(page.URL)    // Push has parsed it
	c.sites[siteOf(at)].Do(func() { // polite has the robots.txt already: the site is not asked twice
		if file, err := c.transport.Robots(ctx, at); err == nil {
			for file := range file.Sitemaps() {
				c.add(at, file, true)
			}
		}
	})
	if err == nil {
		err = c.read(resp, page.Value)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err() // the page is not handled: it is left
	case err == nil:
		c.tell("fetched", page.URL, resp.StatusCode)
	case errors.Is(err, polite.ErrDisallowed): // robots.txt says no: leave the page alone
		c.tell("disallowed", page.URL, err)
	case errors.Is(err, polite.ErrRefused): // not now: try another day
		c.tell("put off", page.URL, err)
	default:
		c.tell("failed", page.URL, err)
	}
	return nil
}

// read adds the links of a page or a sitemap.
func (c *crawler) read(resp *http.Response, isSitemap bool) error {
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the site answered %d", resp.StatusCode) // not Status, which is the site's text
	}
	if isSitemap {
		for entry, err := range sitemap.Read(resp.Body) {
			if err != nil {
				return err
			}
			c.add(resp.Request.URL, entry.URL, entry.Sitemap)
		}
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 10<<20))
	for _, match := range href.FindAllSubmatch(body, -1) {
		c.add(resp.Request.URL, html.UnescapeString(string(match[1])), false)
	}
	return err
}

var href = regexp.MustCompile(`\shref="\s*([^"<\s]+)`)
