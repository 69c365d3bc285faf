// Command browser opens pages in Chromium as a polite crawler. What a page asks for, too, goes
// only if the robots.txt of its site allows it, and when its turn comes.
//
//	go run . https://example.com/
//
// It prints the title of each page, and what was refused. gate.go does it: the Fetch domain of
// the DevTools protocol pauses each request of the browser, and Transport.Do tells when it may
// go on, or that it may not. So the rules hold for documents, frames, scripts, images, fetches,
// beacons, prefetches, workers of all kinds, popups, favicons, downloads, and each hop of a
// redirect. All take turns: a page with many parts takes a while at a site with a crawl-delay.
//
// # What escapes
//
// The Fetch domain does not pause these, so they are sent without being judged:
//
//   - WebSockets, WebTransport and WebRTC
//   - the question before a request to another origin (a CORS preflight), if the request itself
//     may go on
//   - connections that are made ahead, without a request (preconnect, dns-prefetch)
//   - what Chromium does for itself, such as updates: the flags in newBrowser switch them off
//
// The gap counts from the moment when the browser goes on with a request. It may still have to
// connect then, so requests can arrive somewhat closer together.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/chromedp/chromedp"
	"github.com/go-polite/polite"
)

const userAgent = "ExampleBot/1.0 (+https://example.com/bot)"

func main() {
	if len(os.Args) < 2 {
		log.Fatal("usage: browser URL...")
	}
	if err := run(os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func run(urls []string) error {
	tab, stop := newBrowser(context.Background())
	defer stop()
	transport := &polite.Transport{UserAgent: userAgent}
	if err := guard(tab, transport, func(err error) { log.Print(err) }); err != nil {
		return err
	}
	for _, url := range urls {
		title, err := open(tab, url)
		if err != nil {
			log.Printf("%s: %v", url, err)
			continue
		}
		fmt.Printf("%s: %s\n", url, title)
	}
	return nil
}

// newBrowser returns a tab of a new browser. All that the browser sends has userAgent.
func newBrowser(ctx context.Context, more ...chromedp.ExecAllocatorOption) (tab context.Context, stop func()) {
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.UserAgent(userAgent),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-domain-reliability", true),
	)
	allocator, stopAllocator := chromedp.NewExecAllocator(ctx, append(options, more...)...)
	tab, stopTab := chromedp.NewContext(allocator)
	return tab, func() {
		stopTab()
		stopAllocator()
	}
}

// open opens a page, and returns its title.
func open(tab context.Context, url string) (title string, err error) {
	if err := chromedp.Do(tab, chromedp.Navigate(url)); err != nil {
		return "", err
	}
	return chromedp.Run(tab, chromedp.Title())
}
