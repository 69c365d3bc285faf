package main

import (
	"context"
	"io"
	"net/http"
	neturl "net/url"

	"github.com/temoto/robotstxt"
	"golang.org/x/time/rate"
)

// byNetHTTP is what a user of net/http, robotstxt and rate writes: it asks the rules before it asks
// the site, and waits as long as the crawl-delay says.
func byNetHTTP(base http.RoundTripper, urls []string) {
	type site struct {
		rules   *robotstxt.RobotsData
		limiter *rate.Limiter
	}
	client, sites := &http.Client{Transport: base}, make(map[string]*site)
	get := func(url string) (*http.Response, error) {
		req, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		req.Header.Set("User-Agent", "ExampleBot/1.0 (+https://example.com/bot)")
		return client.Do(req)
	}
	siteOf := func(u *neturl.URL) (*site, error) {
		if known := sites[u.Host]; known != nil {
			return known, nil
		}
		resp, err := get(u.Scheme + "://" + u.Host + "/robots.txt")
		if err != nil {
			return nil, err
		}
		defer resp.Body.Close()
		rules, err := robotstxt.FromResponse(resp)
		if err != nil {
			return nil, err
		}
		limit := rate.Inf
		if delay := rules.FindGroup("ExampleBot").CrawlDelay; delay > 0 {
			limit = rate.Every(delay)
		}
		sites[u.Host] = &site{rules, rate.NewLimiter(limit, 1)}
		return sites[u.Host], nil
	}
	for _, url := range urls {
		u, err := neturl.Parse(url)
		if err != nil {
			continue
		}
		s, err := siteOf(u)
		if err != nil || !s.rules.TestAgent(u.RequestURI(), "ExampleBot") || s.limiter.Wait(context.Background()) != nil {
			continue
		}
		resp, err := get(url)
		if err != nil {
			continue
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
}
