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
Content-Signal: search=yes, ai-train=no

Sitemap: https://example.com/sitemap.xml
`)

// A file that is read once, and asked about two pages.
func Example() {
	file := robots.Parse(body)
	for _, url := range []string{"https://example.com/", "https://example.com/private/diary"} {
		fmt.Println(url, file.Allowed("ExampleBot", url))
	}
	// Output:
	// https://example.com/ true
	// https://example.com/private/diary false
}

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

// Every rule that matches, the one that decides first.
func ExampleRules_Matches() {
	for rule := range robots.Parse(body).Rules("ExampleBot").Matches("/private/press") {
		fmt.Printf("line %d, length %d, %s\n", rule.Line, rule.Len(), rule)
	}
	// Output:
	// line 5, length 14, allow: /private/press
	// line 4, length 8, disallow: /private
}

// What a site asks of the crawler besides its rules.
func ExampleRules_Records() {
	for record := range robots.Parse(body).Rules("ExampleBot").Records() {
		fmt.Printf("line %d, %s: %s\n", record.Line, record.Key, record.Value)
	}
	// Output:
	// line 3, Crawl-delay: 10
	// line 6, Content-Signal: search=yes, ai-train=no
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
