// Command crawler fetches the pages of some sites and follows the links and the sitemaps
// that it finds there. It leaves the pages alone that a robots.txt disallows.
//
//	go run ./examples/crawler https://example.com/ https://example.org/
//
// It prints what became of every page. Ctrl-C ends it: it puts off the pages that are
// left. It finds the links of plain HTML, and follows links to the sites of its
// arguments.
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
	for _, outcome := range []string{"fetched", "disallowed", "put off", "failed"} {
		fmt.Println(account[outcome], outcome)
	}
}

// A crawler fetches pages with a few workers. The queue gives them those whose turn has come: so a
// site that is slow, or asks for a long crawl-delay, makes no other site wait.
type crawler struct {
	transport *polite.Transport
	most      int               // pages to look for
	progress  *log.Logger       // gets a line for each page
	queue     queue.Queue[bool] // and whether a page is a sitemap

	mu      sync.Mutex
	sites   map[string]bool // those of the arguments, and whether their sitemaps are known
	found   map[string]bool // every page that was ever in the queue, by URL
	account map[string]int  // how many pages were fetched, disallowed, put off, failed
}

const workers = 16

// crawl visits the sites of the URLs, until it has an outcome for every page.
func (c *crawler) crawl(ctx context.Context, starts ...string) (account map[string]int) {
	c.sites, c.found, c.account = make(map[string]bool), make(map[string]bool), make(map[string]int)
	c.queue.Client = &http.Client{Transport: c.transport}
	c.queue.Options = polite.Options{MaxWait: 2 * time.Minute} // a site that lets nothing through for so long is put off
	for _, start := range starts {
		page, err := url.Parse(start)
		if err != nil || page.Host == "" {
			c.progress.Printf("%q is not the URL of a page", start)
			continue
		}
		c.sites[siteOf(page)] = false
		c.add(link{to: page})
	}
	if err := c.queue.Run(ctx, workers, c.visit); err != nil {
		for page := range c.queue.Left() {
			c.tell("put off", page.URL, err)
		}
	}
	return c.account
}

func siteOf(page *url.URL) string { return page.Scheme + "://" + page.Host }

// A link leads to a page, or to a sitemap.
type link struct {
	to      *url.URL
	sitemap bool
}

// add puts pages into the queue, each once. It leaves out pages of other sites.
func (c *crawler) add(links ...link) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, link := range links {
		link.to.Fragment = ""
		_, ours := c.sites[siteOf(link.to)]
		if key := link.to.String(); ours && !c.found[key] && len(c.found) < c.most {
			c.found[key] = true
			if err := c.queue.Push(key, link.sitemap); err != nil {
				c.account["failed"]++
				c.progress.Printf("failed %s: %v", link.to.Redacted(), err)
			}
		}
	}
}

// tell notes what became of a page. err is why it was not fetched.
func (c *crawler) tell(outcome, page string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.account[outcome]++
	if u, e := url.Parse(page); e == nil {
		page = u.Redacted()
	}
	if err == nil {
		c.progress.Println(outcome, page)
	} else {
		c.progress.Printf("%s %s: %v", outcome, page, err)
	}
}

// visit looks at a page that was fetched or refused, and adds its links. The first visit to a site
// adds its sitemaps, too.
func (c *crawler) visit(ctx context.Context, page queue.Item[bool], resp *http.Response, err error) error {
	links := c.sitemaps(ctx, page.URL)
	if err == nil {
		var more []link
		more, err = read(resp, page.Value)
		links = append(links, more...)
	}
	if ctx.Err() != nil {
		return ctx.Err() // the page is not handled: it is left
	}
	c.add(links...)
	switch {
	case err == nil:
		c.tell("fetched", page.URL, nil)
	case errors.Is(err, polite.ErrDisallowed): // a rule of the site: leave the page alone
		c.tell("disallowed", page.URL, err)
	case errors.Is(err, polite.ErrRefused), errors.Is(err, errBusy): // not now: try another day
		c.tell("put off", page.URL, err)
	default:
		c.tell("failed", page.URL, err)
	}
	return nil
}

// sitemaps returns the sitemaps that the robots.txt of a site names, once. polite has this file
// already: the site is not asked twice.
func (c *crawler) sitemaps(ctx context.Context, of string) (links []link) {
	page, err := url.Parse(of)
	if err != nil || !c.first(page) {
		return nil
	}
	file, err := c.transport.Robots(ctx, page)
	if err != nil {
		return nil // the page cannot be fetched either, and its error says why
	}
	for at := range file.Sitemaps() {
		if to, err := page.Parse(at); err == nil {
			links = append(links, link{to, true})
		}
	}
	return links
}

// first reports whether this is the first visit to the site of a page.
func (c *crawler) first(page *url.URL) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	visited := c.sites[siteOf(page)]
	c.sites[siteOf(page)] = true
	return !visited
}

var errBusy = errors.New("the site is busy")

// read returns the links of a page or a sitemap.
func read(resp *http.Response, isSitemap bool) (links []link, err error) {
	from := resp.Request.URL
	switch {
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode == http.StatusServiceUnavailable:
		return nil, errBusy
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("the site answered %d", resp.StatusCode) // not Status, which is the site's text
	case isSitemap:
		for entry, err := range sitemap.Read(resp.Body) {
			if err != nil {
				return links, err
			}
			if to, err := from.Parse(entry.URL); err == nil {
				links = append(links, link{to, entry.Sitemap})
			}
		}
		return links, nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, 10<<20))
	for _, match := range href.FindAllSubmatch(body, -1) {
		if to, err := from.Parse(html.UnescapeString(string(match[1]))); err == nil {
			links = append(links, link{to: to})
		}
	}
	return links, err
}

var href = regexp.MustCompile(`\shref="\s*([^"<\s]+)`)
