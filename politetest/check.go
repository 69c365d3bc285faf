package politetest

import (
	"net/url"
	"strings"
	"time"
)

// CheckAllowed fails the test for each request that has arrived although the robots.txt of its host
// disallows it: see Arrival. It also fails the test if nothing has arrived.
func (s *Site) CheckAllowed() {
	s.t.Helper()
	arrived := s.Arrived()
	if len(arrived) == 0 {
		s.t.Error("politetest: nothing has arrived")
	}
	for _, a := range arrived {
		if !a.Allowed {
			s.t.Errorf("politetest: %s has arrived, which the robots.txt of %s disallows for %q", a.URI, a.Host, a.UserAgent)
		}
	}
}

// CheckGap fails the test for each page that has arrived less than least after the page before at its
// host. It also fails the test if no host got two pages, as there is no gap then. robots.txt is no
// page. Outside of a synctest bubble, the machine may delay requests, so that they arrive closer
// together.
func (s *Site) CheckGap(least time.Duration) {
	s.t.Helper()
	last, gaps := make(map[string]Arrival), 0
	for _, a := range s.Arrived() {
		if a.URI == "/robots.txt" {
			continue
		}
		if before, ok := last[a.Host]; ok {
			gaps++
			if gap := a.Time.Sub(before.Time); gap < least {
				s.t.Errorf("politetest: %s has arrived at %s %v after %s, and not %v", a.URI, a.Host, gap, before.URI, least)
			}
		}
		last[a.Host] = a
	}
	if gaps == 0 {
		s.t.Error("politetest: no host has got two pages, so there is no gap")
	}
}

// CheckNever fails the test for each request that has arrived for one of the pages. A page is a path, such
// as "/private", or a URL with its host. A path is no prefix: "/private" is not "/private/a". If the page
// has a query, only requests with this query count; if not, requests with any query do.
func (s *Site) CheckNever(pages ...string) {
	s.t.Helper()
	arrived := s.Arrived()
	for _, page := range pages {
		u, err := url.ParseRequestURI(page) // "//private" is a path to it
		if err != nil || !strings.HasPrefix(u.Path, "/") && u.Host == "" {
			s.t.Errorf("politetest: %q is neither a path nor a URL: write it as in /page or http://example.com/page", page)
			continue
		}
		for _, a := range arrived {
			if a.is(u) {
				s.t.Errorf("politetest: %s has arrived at %s, and should not", a.URI, a.Host)
			}
		}
	}
}

// is reports whether a is a request for u, which may have no host and no query.
func (a *Arrival) is(u *url.URL) bool {
	uri := u.RequestURI()
	if u.RawQuery == "" && !u.ForceQuery {
		path, _, _ := strings.Cut(a.URI, "?")
		return path == uri && (u.Host == "" || strings.EqualFold(u.Host, a.Host))
	}
	return a.URI == uri && (u.Host == "" || strings.EqualFold(u.Host, a.Host))
}
