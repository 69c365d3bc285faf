package robots_test

import (
	"fmt"

	"github.com/go-polite/polite/robots"
)

var body = []byte(`
User-agent: *
Crawl-delay: 10
Disallow: /private
Allow: /private/press

Sitemap: https://example.com/sitemap.xml
`)

func ExampleFile_Allowed() {
	file := robots.Parse(body)
	fmt.Println(file.Allowed("ExampleBot", "https://example.com/private/diary"))
	fmt.Println(file.Allowed("ExampleBot", "/private/press?year=2026"))
	// Output:
	// false
	// true
}

// A crawler with many URLs of a site chooses its group once.
func ExampleRules_Match() {
	rules := robots.Parse(body).Rules("ExampleBot-News", "ExampleBot")
	for _, path := range []string{"/", "/private/diary", "/private/press"} {
		if rule, ok := rules.Match(path); ok {
			fmt.Printf("%s: line %d, %s\n", path, rule.Line, rule)
		} else {
			fmt.Printf("%s: no rule\n", path)
		}
	}
	// Output:
	// /: no rule
	// /private/diary: line 4, disallow: /private
	// /private/press: line 5, allow: /private/press
}

func ExampleRules_CrawlDelay() {
	delay, ok := robots.Parse(body).Rules("ExampleBot").CrawlDelay()
	fmt.Println(delay, ok)
	// Output: 10s true
}

func ExampleFile_Sitemaps() {
	for sitemap := range robots.Parse(body).Sitemaps() {
		fmt.Println(sitemap)
	}
	// Output: https://example.com/sitemap.xml
}

func ExampleProductToken() {
	fmt.Println(robots.ProductToken("ExampleBot/1.2 (+https://example.com/bot)"))
	fmt.Println(robots.ProductToken("Mozilla/5.0 (compatible; ExampleBot/1.2; +https://example.com/bot)"))
	// Output:
	// ExampleBot
	// ExampleBot
}
