// Command real compares clients at a real nginx. It starts nginx on the loopback interface,
// lets each client crawl each site for a while, and prints what nginx wrote in its log: the
// pages that were served, in percent of what the site allows, and the answers that were bad,
// in percent of all answers.
//
//	go run -C internal/lab/manners/real .
//	go run -C internal/lab/manners/real . -only polite -sites "burst 0" -for 2h -pages 3000
//
// It installs nothing. It needs nginx, and leaves out Scrapy where there is none.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"
)

func main() {
	long := flag.Duration("for", time.Minute, "how long each client crawls each site, at most")
	together := flag.Int("together", 3, "how many `sites` a client crawls at the same time")
	only := flag.String("only", "", "the `client` to crawl by; all if empty")
	which := flag.String("sites", "", "a `part` of the names of the sites to crawl; all if empty")
	pages := flag.Int("pages", 0, "how many pages end a crawl before its time; 0: any number")
	flag.Parse()
	if err := run(end{*long, *pages}, *together, *only, *which); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(end end, together int, only, which string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	clients := slices.DeleteFunc(installed(), func(c client) bool { return only != "" && c.name != only })
	sites := slices.DeleteFunc(sites(), func(s site) bool { return !strings.Contains(s.name, which) })
	if len(clients) == 0 || len(sites) == 0 {
		return errors.New("there is no such client or site")
	}
	results, err := compare(ctx, sites, clients, end, together)
	if err != nil {
		return err
	}
	printTable(os.Stdout, sites, clients, results)
	return nil
}
