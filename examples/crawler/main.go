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
	"time"

	"github.com/go-polite/polite"
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

// A crawler visits one page of each site at a time, and all sites at the same time. So a
// site that is slow, or asks for a long crawl-delay, makes no other site wait. There is no
// pool of workers, who would all wait for such sites. polite could keep the queues, too: a
// goroutine for each page would do. But a page that waits here takes the memory of a URL,
// and there takes that of a goroutine.
type crawler struct {
	transport *polite.Transport
	most      int         // pages to look for
	progress  *log.Logger // gets a line for each page

	sites   map[string]*site
	found   map[string]bool // every page that was ever in a queue, by URL
	account map[string]int  // how many pages were fetched, disallowed, put off, failed
}

type site struct {
	queue []*url.URL
	begun bool // it had a visit
	busy  bool // a visit is under way
}

// A visit is what became of a page.
type visit struct {
	page    *url.URL
	outcome string
	links   []*url.URL
	err     error // why it was not fetched
}

func (v visit) String() string {
	if v.err == nil {
		return fmt.Sprintf("%s %s", v.outcome, v.page.Redacted())
	}
	return fmt.Sprintf("%s %s: %v", v.outcome, v.page.Redacted(), v.err)
}

// crawl visits the sites of the URLs, until it has an outcome for every page.
func (c *crawler) crawl(ctx context.Context, starts ...string) (account map[string]int) {
	c.sites, c.found, c.account = make(map[string]*site), make(map[string]bool), make(map[string]int)
	for _, start := range starts {
		page, err := url.Parse(start)
		if err != nil || page.Host == "" {
			c.progress.Printf("%q is not the URL of a page", start)
			continue
		}
		if c.sites[siteOf(page)] == nil {
			c.sites[siteOf(page)] = new(site)
		}
		c.add(page)
	}
	visits, busy := make(chan visit), 0
	for {
		for _, s := range c.sites {
			if len(s.queue) > 0 && !s.busy {
				page, first := s.queue[0], !s.begun
				s.queue, s.begun, s.busy, busy = s.queue[1:], true, true, busy+1
				go func() { visits <- c.visit(ctx, page, first) }()
			}
		}
		if busy == 0 {
			return c.account
		}
		v := <-visits
		c.sites[siteOf(v.page)].busy, busy = false, busy-1
		c.account[v.outcome]++
		c.progress.Println(v)
		c.add(v.links...)
	}
}

func siteOf(page *url.URL) string { return page.Scheme + "://" + page.Host }

// add puts pages into the queues of their sites, each once. It leaves out pages of other
// sites.
func (c *crawler) add(pages ...*url.URL) {
	for _, page := range pages {
		page.Fragment = ""
		s, key := c.sites[siteOf(page)], page.String()
		if s != nil && !c.found[key] && len(c.found) < c.most {
			c.found[key] = true
			s.queue = append(s.queue, page)
		}
	}
}

// visit fetches a page when it is its turn. If the turn would come after more than
// two minutes, polite refuses the request at once. The first visit to a site finds its
// sitemaps, too.
func (c *crawler) visit(ctx context.Context, page *url.URL, first bool) visit {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	v := visit{page: page}
	if first {
		v.links = c.sitemaps(ctx, page)
	}
	links, err := c.fetch((&http.Request{URL: page}).WithContext(ctx))
	v.links, v.err = append(v.links, links...), err
	switch {
	case err == nil:
		v.outcome = "fetched"
	case errors.Is(err, polite.ErrDisallowed): // a rule of the site: leave the page alone
		v.outcome = "disallowed"
	case errors.Is(err, polite.ErrRefused), errors.Is(err, errBusy), ctx.Err() != nil: // not now: try another day
		v.outcome = "put off"
	default:
		v.outcome = "failed"
	}
	return v
}

// sitemaps returns the sitemaps that the robots.txt of a site names. polite needs this
// file anyway: the site is not asked twice.
func (c *crawler) sitemaps(ctx context.Context, page *url.URL) (links []*url.URL) {
	file, err := c.transport.Robots(ctx, page)
	if err != nil {
		return nil // the page cannot be fetched either, and its error says why
	}
	for sitemap := range file.Sitemaps() {
		if link, err := page.Parse(sitemap); err == nil {
			links = append(links, link)
		}
	}
	return links
}

var errBusy = errors.New("the site is busy")

// fetch fetches a page, and returns its links.
func (c *crawler) fetch(req *http.Request) ([]*url.URL, error) {
	client := http.Client{Transport: c.transport}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	switch resp.StatusCode {
	case http.StatusOK:
		body, err := io.ReadAll(io.LimitReader(resp.Body, 10<<20))
		if err != nil {
			return nil, err
		}
		return find(resp.Request.URL, body), nil
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return nil, errBusy
	default:
		return nil, fmt.Errorf("the site answered %d", resp.StatusCode) // not Status, which is the site's text
	}
}

var link = regexp.MustCompile(`(?:\shref="|<loc>)\s*([^"<\s]+)`)

// find returns the links of a page or a sitemap.
func find(from *url.URL, body []byte) (links []*url.URL) {
	for _, match := range link.FindAllSubmatch(body, -1) {
		if to, err := from.Parse(html.UnescapeString(string(match[1]))); err == nil {
			links = append(links, to)
		}
	}
	return links
}
