// Package politetest plays a site for tests of programs that use polite. The site has a
// robots.txt and pages, and tells which requests arrived:
//
//	func TestCrawl(t *testing.T) {
//		site := politetest.NewSite(t, "user-agent: *\ndisallow: /private\ncrawl-delay: 30\n")
//		crawl(site.Client("ExampleBot/1.0"), site.URL) // the program
//		site.CheckAllowed()                            // robots.txt allows all that arrived
//		site.CheckGap(30 * time.Second)                // so long between two pages
//		site.CheckNever("/logout")                     // and this did not arrive
//	}
//
// The site is in memory: no socket leads to it. So the test can run in a bubble of
// testing/synctest, where a crawl-delay takes no real time. A program that makes a client
// of its own needs a socket: give the site to httptest.NewServer, and the program the
// server's URL.
package politetest

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots"
)

// A Site is a site for a test. Make it with NewSite. It is safe for concurrent use.
//
// Base and Client find the same Site under every host name, with http and with https. At
// tells a host apart.
type Site struct {
	// URL is the address of the site, without a path: "http://example.com". Only Base and
	// Client lead there.
	URL string

	t    testing.TB
	host string // "" is every host
	web  *origintest.Server
	told *told
}

// told is the robots.txt that hosts were told.
type told struct {
	mu    sync.Mutex
	files map[string]*robots.File // by host
}

// An Arrival is a request as it arrived at a Site.
type Arrival struct {
	Time      time.Time
	Method    string
	Host      string // as in the Host header
	URI       string // path and query, as they were sent
	UserAgent string
	Header    http.Header

	// Allowed reports whether the robots.txt of the host allows the request, for the product that its
	// User-Agent names. The robots.txt that the host has when Arrived is called counts. A request for
	// /robots.txt is allowed.
	Allowed bool
}

// NewSite returns a site whose robots.txt is the text robots. It has a page under every
// path: see Page. The site lasts until the test ends. In a synctest bubble, call NewSite
// with the t of the bubble.
func NewSite(t testing.TB, robots string) *Site {
	t.Helper()
	s := &Site{URL: "http://example.com", t: t, web: origintest.NewInMemory(t), told: newTold()}
	s.Robots(robots)
	return s
}

func newTold() *told { return &told{files: make(map[string]*robots.File)} }

// At returns the site of another host, with the text robots as its robots.txt. The host is as in the
// Host header: "other.example". If the other site was told no Page for a path, it answers as s does.
func (s *Site) At(host, robots string) *Site {
	at := &Site{URL: "http://" + host, t: s.t, host: host, web: s.web, told: s.told}
	at.Robots(robots)
	return at
}

// Robots changes the robots.txt of the site. polite does not ask for the new one until its answer is
// out of date.
func (s *Site) Robots(text string) {
	s.told.mu.Lock()
	defer s.told.mu.Unlock()
	s.told.files[s.host] = robots.Parse([]byte(text))
	s.web.Robots(s.host, Text(text))
}

// Page tells the site how to answer for a path: once by each of answers, and then always
// by the last. Without answers, the page is again what it is by default: a text. The path
// "/robots.txt" makes a robots.txt that fails, for example.
func (s *Site) Page(path string, answers ...http.HandlerFunc) {
	s.web.Page(s.host, path, answers...)
}

// Text returns an answer for Page: 200, with body as the text.
func Text(body string) http.HandlerFunc { return origintest.Text(body) }

// Base returns a new http.Transport that leads to the site, and to nothing else. It is for
// the Base of a [polite.Transport] of your own. Its connections close with the test.
func (s *Site) Base() *http.Transport { return s.web.Transport(s.t) }

// Client returns a client that obeys robots.txt, as polite.Wrap makes it, and that leads
// to the site and to nothing else.
func (s *Site) Client(userAgent string) *http.Client {
	return polite.Wrap(&http.Client{Transport: s.Base()}, userAgent)
}

// ServeHTTP logs a request and answers it. So httptest.NewServer can put the site on a
// socket. Its URL is then that of the server.
func (s *Site) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.web.ServeHTTP(w, r) }

// Arrived returns all requests that have arrived until now, in order. Requests for robots.txt are among
// them: polite sends one for each site. If At has returned the site, Arrived returns only the requests
// for its host.
func (s *Site) Arrived() []Arrival {
	log := s.web.Log()
	if s.host != "" {
		log = log.At(s.host)
	}
	arrived := make([]Arrival, len(log))
	for i, a := range log {
		userAgent := a.Header.Get("User-Agent")
		arrived[i] = Arrival{
			Time: a.Time, Method: a.Method, Host: a.Host, URI: a.URI, UserAgent: userAgent, Header: a.Header,
			Allowed: s.told.allows(a.Host, userAgent, a.URI),
		}
	}
	return arrived
}

func (d *told) allows(host, userAgent, uri string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	file := d.files[host]
	if file == nil {
		file = d.files[""]
	}
	return uri == "/robots.txt" || file.Allowed(robots.ProductToken(userAgent), uri)
}
