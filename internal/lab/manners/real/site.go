package main

import (
	"fmt"
	"time"
)

const (
	slowPage   = 200 * time.Millisecond // of the server with a single thread
	usualPage  = 50 * time.Millisecond
	oneAtATime = "/single/"
	atOnce     = "/usual/"
)

// A site is a server of nginx with a limit.
type site struct {
	name   string
	limit  string  // directives
	behind string  // path of the server behind nginx; "": nginx has the page itself
	rate   float64 // pages a second that are allowed; 0: what a client gets that just sends
	extra  int     // pages beyond the rate that are allowed at first
}

// allows returns the number of pages that a client may get in a time.
func (s *site) allows(long time.Duration) float64 { return s.rate*long.Seconds() + float64(s.extra) }

func sites() []site {
	var all []site
	for _, rate := range []int{1, 5, 20} {
		all = append(all, limited(rate, 0, ""), limited(rate, 10, ""), limited(rate, 10, "nodelay"))
	}
	return append(all,
		site{name: "one thread, pages of 200 ms", behind: oneAtATime, rate: 1 / slowPage.Seconds(), extra: 1},
		site{name: "two connections, pages of 50 ms", limit: "limit_conn connections 2;", behind: atOnce, rate: 2 / usualPage.Seconds(), extra: 2},
		site{name: "no limit, pages of 50 ms", behind: atOnce},
	)
}

// limited is a site with limit_req. What is delayed is not served earlier.
func limited(rate, burst int, how string) site {
	s := site{
		name:  fmt.Sprintf("%d/s, burst %d", rate, burst),
		limit: fmt.Sprintf("limit_req zone=rate%d;", rate),
		rate:  float64(rate), extra: 1,
	}
	if burst > 0 {
		s.limit = fmt.Sprintf("limit_req zone=rate%d burst=%d %s;", rate, burst, how)
	}
	switch {
	case how != "":
		s.name += ", at once"
		s.extra += burst
	case burst > 0:
		s.name += ", delayed"
	}
	return s
}
