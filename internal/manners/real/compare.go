package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"time"

	"golang.org/x/sync/errgroup"
)

// A result is what nginx answered to a client within the time.
type result struct {
	good, bad int
	longest   time.Duration // that an answer took
}

// compare lets each client in turn crawl all sites. The results are by site and client.
func compare(ctx context.Context, sites []site, clients []client, long time.Duration, together int) ([][]result, error) {
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
				if err := c.crawl(ctx, server.url(i, j), long); err != nil {
					return fmt.Errorf("%s at %s: %w", c.name, s.name, err)
				}
				return nil
			})
		}
		if err := crowd.Wait(); err != nil {
			return nil, err
		}
	}
	return server.results(len(clients), long)
}

// results reads the log.
func (n *nginx) results(clients int, long time.Duration) ([][]result, error) {
	counts, err := readLog(n.log(), long)
	if err != nil {
		return nil, err
	}
	all := make([][]result, len(n.ports))
	for site, port := range n.ports {
		for client := range clients {
			r := result{}
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

// A count is what a client got until a time is over.
type count struct {
	result
	until float64
}

// readLog counts the answers that ended within a time of when the first one began.
func readLog(name string, long time.Duration) (map[place]*count, error) {
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
			c = &count{until: a.ended - a.took + long.Seconds()}
			counts[at] = c
		}
		c.add(a)
	}
	return counts, lines.Err()
}

// add counts an answer. What a client has left before it was answered (499) is neither good
// nor bad.
func (c *count) add(a answer) {
	switch {
	case a.ended > c.until || a.status == 499:
	case a.status == 200:
		c.good++
		c.longest = max(c.longest, time.Duration(a.took*float64(time.Second)))
	default:
		c.bad++
	}
}
