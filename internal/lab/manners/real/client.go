package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite"
	"github.com/gocolly/colly/v2"
	"golang.org/x/sync/errgroup"
)

const (
	userAgent  = "ExampleBot/1.0 (+https://example.com/bot)"
	goroutines = 16
	domain     = 8 // requests under way at a site, as Scrapy has it
)

// A client crawls a site, page after page, until its end.
type client struct {
	name  string
	crawl func(ctx context.Context, url string, end end) error
}

// An end is when a crawl ends: after a time, or when so many pages are there.
type end struct {
	long  time.Duration
	pages int // 0: any number
}

// installed returns the clients that this machine has.
func installed() []client {
	all := []client{{"nothing", crawlRudely}, {"colly", crawlByColly}}
	if hasScrapy() {
		all = append(all, client{"Scrapy", crawlByScrapy(false)}, client{"AutoThrottle", crawlByScrapy(true)})
	}
	return append(all, client{"polite", crawlPolitely})
}

func newBase() *http.Transport { return &http.Transport{MaxIdleConnsPerHost: goroutines} }

// crawlRudely sends as soon as a goroutine is free.
func crawlRudely(ctx context.Context, url string, end end) error {
	base := newBase()
	defer base.CloseIdleConnections()
	return crawlBy(ctx, &http.Client{Transport: base}, url, end)
}

func crawlPolitely(ctx context.Context, url string, end end) error {
	transport := &polite.Transport{UserAgent: userAgent, Base: newBase()}
	defer transport.CloseIdleConnections()
	ctx = polite.With(ctx, polite.Options{MaxWait: polite.Forever}) // also for a site that is down
	return crawlBy(ctx, &http.Client{Transport: transport}, url, end)
}

// crawlBy fetches pages by goroutines. The end is no deadline of the context: polite would
// refuse at once what it cannot send before it.
func crawlBy(ctx context.Context, c *http.Client, url string, end end) error {
	ctx, stop := context.WithCancel(ctx)
	defer time.AfterFunc(end.long, stop).Stop()
	defer stop()
	page := countdown(end.pages, stop)
	var number atomic.Int64
	var crowd errgroup.Group
	for range goroutines {
		crowd.Go(func() error {
			for ctx.Err() == nil {
				good, err := fetch(ctx, c, fmt.Sprintf("%s/%d", url, number.Add(1)))
				if err != nil && ctx.Err() == nil {
					return err
				}
				if good {
					page()
				}
			}
			return nil
		})
	}
	return crowd.Wait()
}

// countdown returns what is called for each page, and calls stop at the last one.
func countdown(pages int, stop func()) func() {
	var got atomic.Int64
	return func() {
		if got.Add(1) == int64(pages) {
			stop()
		}
	}
}

// fetch reports whether a page is there.
func fetch(ctx context.Context, c *http.Client, url string) (good bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, err
	}
	resp, err := c.Do(req)
	if err != nil {
		return false, err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return err == nil && resp.StatusCode == http.StatusOK, err
}

// crawlByColly goes to the next page when a page is there, or has failed.
func crawlByColly(ctx context.Context, url string, end end) error {
	ctx, stop := context.WithTimeout(ctx, end.long)
	defer stop()
	page := countdown(end.pages, stop)
	c := colly.NewCollector(colly.Async(), colly.UserAgent(userAgent))
	base := newBase()
	defer base.CloseIdleConnections()
	c.WithTransport(base)
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: domain}); err != nil {
		return err
	}
	var number atomic.Int64
	next := func() {
		if ctx.Err() == nil {
			c.Visit(fmt.Sprintf("%s/%d", url, number.Add(1)))
		}
	}
	c.OnScraped(func(*colly.Response) {
		page()
		next()
	})
	c.OnError(func(*colly.Response, error) { next() })
	for range domain {
		next()
	}
	c.Wait()
	return nil
}
