package main

import (
	"net/http"

	"github.com/gocolly/colly/v2"
)

// byColly is what a user of colly writes.
func byColly(base http.RoundTripper, urls []string) {
	c := colly.NewCollector(colly.UserAgent("ExampleBot/1.0 (+https://example.com/bot)"))
	c.IgnoreRobotsTxt = false
	c.WithTransport(base)
	for _, url := range urls {
		if err := c.Visit(url); err != nil {
			continue
		}
	}
}
