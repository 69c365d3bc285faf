// Command real compares clients at a real nginx. It starts nginx on the loopback interface,
// lets each client crawl each site for a while, and prints what nginx wrote in its log: the
// pages that were served, in percent of what the site allows, and the answers that were bad,
// in percent of all answers.
//
//	go run -C internal/manners/real .
//
// It installs nothing. It needs nginx, and leaves out Scrapy where there is none.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"time"
)

func main() {
	long := flag.Duration("for", time.Minute, "how long each client crawls each site")
	together := flag.Int("together", 3, "how many `sites` a client crawls at the same time")
	only := flag.String("only", "", "the `client` to crawl by; all if empty")
	flag.Parse()
	if err := run(*long, *together, *only); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(long time.Duration, together int, only string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	clients := slices.DeleteFunc(installed(), func(c client) bool { return only != "" && c.name != only })
	results, err := compare(ctx, sites(), clients, long, together)
	if err != nil {
		return err
	}
	printTable(os.Stdout, sites(), clients, results, long)
	return nil
}
