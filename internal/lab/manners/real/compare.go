package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
)

// A result is what nginx answered to a client until its end.
type result struct {
	good, bad int
	took      time.Duration
	longest   time.Duration // that an answer took
}

// compare lets each client in turn crawl all sites. The results are by site and client.
func compare(ctx context.Context, sites []site, clients []client, end end, together int) ([][]result, error) {
	server, err := startNginx(sites, len(clients))
	if err != nil {
		return nil, err
	}
	defer server.close()
	for i, c := range clients {
		crowd, ctx := errgroup.WithContext(ctx)
		crowd.SetLimit(together)
		for j, s := range sites {
			crowd.Go(func() error {
				if err := c.crawl(ctx, server.url(i, j), end); err != nil {
					return fmt.Errorf("%s at %s: %w", c.name, s.name, err)
				}
				return nil
			})
		}
		if err := crowd.Wait(); err != nil {
			return nil, err
		}
	}
	return server.results(len(clients), end)
}

// results reads the log.
func (n *nginx) results(clients int, end end) ([][]result, error) {
	counts, err := readLog(n.log(), end)
	if err != nil {
		return nil, err
	}
	all := make([][]result, len(n.ports))
	for site, port := range n.ports {
		for client := range clients {
			r := result{took: end.long}
			if c := counts[place{address(client), port}]; c != nil {
				r = c.result
			}
			all[site] = append(all[site], r)
		}
	}
	return all, nil
}

// A place is where a client finds a site.
type place struct {
	address string
	port    int
}

// An answer is a line of the log. Its times are in seconds.
type answer struct {
	status      int
	ended, took float64
}

// A count is what a client got until its end.
type count struct {
	result
	began float64
}

// readLog counts the answers until the end of each crawl, which began with its first answer.
func readLog(name string, end end) (map[place]*count, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	counts := make(map[place]*count)
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var at place
		var a answer
		if _, err := fmt.Sscan(lines.Text(), &at.address, &at.port, &a.status, &a.ended, &a.took); err != nil {
			return nil, fmt.Errorf("%q: %w", lines.Text(), err)
		}
		c := counts[at]
		if c == nil {
			c = &count{result: result{took: end.long}, began: a.ended - a.took}
			counts[at] = c
		}
		c.add(a, end.pages)
	}
	return counts, lines.Err()
}

// add counts an answer. The crawl is at its end when all pages are there. What a client has left before it was answered (499) is neither good
// nor bad.
func (c *count) add(a answer, pages int) {
	past := seconds(a.ended - c.began)
	switch {
	case past > c.took || a.status == 499:
	case a.status == 200:
		c.good++
		c.longest = max(c.longest, seconds(a.took))
		if c.good == pages {
			c.took = past
		}
	default:
		c.bad++
	}
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
