package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
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

// results reads the log. The time of a client at a site begins with its first request.
func (n *nginx) results(clients int, long time.Duration) ([][]result, error) {
	answers, err := readLog(n.log())
	if err != nil {
		return nil, err
	}
	all := make([][]result, len(n.ports))
	for site, port := range n.ports {
		for client := range clients {
			all[site] = append(all[site], within(long, answers[place{address(client), port}]))
		}
	}
	return all, nil
}

// A place is where a client finds a site.
type place struct {
	address string
	port    int
}

// An answer is a line of the log.
type answer struct {
	status int
	begun  float64 // in seconds
	took   float64
}

func (a answer) ended() float64 { return a.begun + a.took }

func readLog(name string) (map[place][]answer, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all := make(map[place][]answer)
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var at place
		var a answer
		var ended float64
		if _, err := fmt.Sscan(lines.Text(), &at.address, &at.port, &a.status, &ended, &a.took); err != nil {
			return nil, fmt.Errorf("%q: %w", lines.Text(), err)
		}
		a.begun = ended - a.took
		all[at] = append(all[at], a)
	}
	return all, lines.Err()
}

// within counts the answers from the first request on, until a time is over. What a client
// has left before it was answered (499) is neither good nor bad.
func within(long time.Duration, answers []answer) (r result) {
	if len(answers) == 0 {
		return r
	}
	first := slices.MinFunc(answers, func(a, b answer) int { return int((a.begun - b.begun) * 1e6) })
	for _, a := range answers {
		if a.ended() > first.begun+long.Seconds() {
			continue
		}
		switch {
		case a.status == 200:
			r.good++
			r.longest = max(r.longest, time.Duration(a.took*float64(time.Second)))
		case a.status != 499:
			r.bad++
		}
	}
	return r
}
