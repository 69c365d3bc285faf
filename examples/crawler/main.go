// Command crawler fetches the pages of some sites, with their links and sitemaps, as their robots.txt allow. It follows
// no link to another site, and none that is nofollow. Started again, also after kill -9, it goes on.
//
//	go run ./examples/crawler https://example.com/ https://example.org/
package main

import (
	"context"
	"errors"
	"expvar"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/queue"
	"github.com/go-polite/polite/robots/usage"
	"github.com/go-polite/polite/sitemap"
	"github.com/go-polite/polite/store/boltstore"
	"golang.org/x/net/html"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	file, err := boltstore.Open("crawl.cache", boltstore.Options{})
	if err != nil {
		log.Fatal(err)
	}
	c := crawler{progress: log.New(os.Stderr, "", log.Ltime), transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)", Cache: &polite.Cache{Store: file},
		Pace: polite.Pace{MinDelay: time.Second}, // or longer, where the site asks for it
	}}
	c.queue.Journal, c.queue.Most = file.Journal("crawl"), queue.Budget{Pages: 10_000, Bytes: 1 << 30, Shape: 500} // a calendar has no end
	err = c.crawl(ctx, os.Args[1:]...)
	fmt.Println(c.account.String(), c.queue.Progress().Left, "left")
	if err = errors.Join(err, file.Close()); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}

// A crawler fetches pages with a few workers. The queue gives them those whose turn has come.
type crawler struct {
	transport *polite.Transport
	progress  *log.Logger // gets a line for each page
	queue     queue.Queue[page]
	account   expvar.Map // how many pages were fetched, have failed, or were refused, for each reason
}

// A page is what the queue keeps beside a URL: how many links away from an argument it is, and whether it is a sitemap.
type page struct {
	Depth   int
	Sitemap bool
}

// crawl visits the sites of the URLs, until ctx ends or all pages have an outcome.
func (c *crawler) crawl(ctx context.Context, starts ...string) error {
	c.queue.Client = &http.Client{Transport: c.transport}
	for _, start := range starts {
		if _, err := c.queue.PushNew(start, page{}); err != nil {
			c.progress.Print(err)
		}
	}
	return c.queue.Run(ctx, 16, c.visit)
}

// add puts a link into the queue, unless it was there before, or is too deep or not of the site.
func (c *crawler) add(site, base *url.URL, link string, to page) {
	if at, err := base.Parse(link); err == nil && strings.EqualFold(at.Host, site.Host) && to.Depth <= 10 {
		c.queue.PushNew(at.String(), to) // Progress counts what is over budget; Run returns what else is wrong
	}
}

// visit looks at a page that was fetched or refused, and adds its links.
func (c *crawler) visit(ctx context.Context, item queue.Item[page], resp *http.Response, err error) error {
	site, _ := url.Parse(item.URL)
	if item.Value.Depth == 0 {
		if err == nil { // an argument may lead to another host: example.com to www.example.com
			site = resp.Request.URL
		}
		if file, err := c.transport.Robots(ctx, site); err == nil { // polite has it already: the site is not asked twice
			for link := range file.Sitemaps() {
				c.add(site, site, link, page{Depth: 1, Sitemap: true})
			}
		}
	}
	if err == nil {
		err = c.read(site, resp, item.Value)
	}
	outcome, about := "failed", fmt.Sprintf("%s: %v", item.URL, err)
	switch d, refused := polite.DecisionOf(err); {
	case ctx.Err() != nil:
		return ctx.Err() // the page is not handled: it is left
	case err == nil:
		outcome, about = "fetched", item.URL
	case refused: // robots.txt says no, or not now: err says why, and names the URL
		outcome, about = string(d.Reason), err.Error()
	case resp != nil && (resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests) && item.Tries < 2:
		return c.queue.PushAgain(item) // it comes after the break
	}
	c.account.Add(outcome, 1)
	c.progress.Print(outcome, " ", about)
	return nil
}

// read adds the links of a page or a sitemap that stay in the site.
func (c *crawler) read(site *url.URL, resp *http.Response, from page) error {
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the site answered %d", resp.StatusCode) // not Status, which is the site's text
	} else if from.Sitemap {
		for entry, err := range sitemap.Read(resp.Body) {
			if err != nil {
				return err
			}
			c.add(site, resp.Request.URL, entry.URL, page{from.Depth + 1, entry.Sitemap})
		}
		return nil
	}
	said, base, links := usage.OfHeader(resp.Header, "ExampleBot"), "", []string(nil)
	z := html.NewTokenizer(io.LimitReader(resp.Body, 10<<20))
	for z.Next() != html.ErrorToken {
		t, attr := z.Token(), make(map[string]string)
		for _, a := range t.Attr {
			attr[a.Key] = strings.TrimSpace(a.Val)
		}
		switch link := attr["href"]; {
		case t.Data == "meta":
			said = said.And(usage.OfMeta([]usage.Meta{{Name: attr["name"], Content: attr["content"]}}, "ExampleBot"))
		case t.Data == "base" && base == "": // the first counts
			base = link
		case t.Data == "a" && link != "" && !slices.Contains(strings.Fields(strings.ToLower(attr["rel"])), "nofollow"):
			links = append(links, link)
		}
	}
	at, err := resp.Request.URL.Parse(base)
	for i := 0; i < len(links) && err == nil && !said.NoFollow(); i++ {
		c.add(site, at, links[i], page{Depth: from.Depth + 1})
	}
	if z.Err() != io.EOF { // the page was cut short
		return z.Err()
	}
	return nil
}
