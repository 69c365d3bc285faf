// Command peers lets polite and other clients fetch pages of a few sites on this machine, and
// prints what arrived there. The table of README is its output:
//
//	cd internal/lab/benchmarks && go run ./peers
//
// Each client is as its documentation shows it, without a setting more: polite.go, nethttp.go, colly.go and
// scrapy_.py are what a user writes. Scrapy takes part if it is installed.
package main

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"time"
)

//go:embed polite.go
var politeCode string

//go:embed nethttp.go
var netHTTPCode string

//go:embed colly.go
var collyCode string

// A client fetches pages, one after the other if it leaves the order to its user.
type client struct {
	name  string
	fetch func(base http.RoundTripper, urls []string)
	code  string // what a user writes
}

func clients() []client {
	all := []client{
		{"polite", byPolite, politeCode},
		{"net/http + robotstxt + rate", byNetHTTP, netHTTPCode},
		{"colly", byColly, collyCode},
	}
	if hasScrapy() {
		all = append(all, client{"Scrapy", byScrapy, spider})
	}
	return all
}

// lines returns how many lines of code a file has, without its head, blank lines and comments.
func lines(code string) (n int) {
	if _, body, ok := strings.Cut(code, "\nfunc "); ok {
		code = "func " + body
	}
	for line := range strings.Lines(code) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	return n
}

// A site is one whose requests for pages are noted.
type site struct {
	robots func(w http.ResponseWriter)
	page   func(w http.ResponseWriter, r *http.Request, n int) // n is how many came before

	mu       sync.Mutex
	arrivals []arrival
}

type arrival struct {
	path string
	time time.Time
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		s.robots(w)
		return
	}
	s.mu.Lock()
	n := len(s.arrivals)
	s.arrivals = append(s.arrivals, arrival{r.URL.Path, time.Now()})
	s.mu.Unlock()
	w.Header().Set("Content-Type", "text/html")
	if s.page != nil {
		s.page(w, r, n)
	}
}

// A network makes a site known. It returns the site's address and what leads there.
type network func(*site) (address string, base http.RoundTripper, end func())

// sockets is the network of this machine.
func sockets(s *site) (string, http.RoundTripper, func()) {
	server := httptest.NewServer(s)
	return server.URL, server.Client().Transport, server.Close
}

// visit lets a client fetch paths of the site, and returns what arrived.
func (n network) visit(s *site, c client, paths ...string) []arrival {
	address, base, end := n(s)
	defer end()
	var urls []string
	for _, path := range paths {
		urls = append(urls, address+path)
	}
	c.fetch(base, urls)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.arrivals
}

func says(text string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { fmt.Fprint(w, text) }
}

// pages returns the paths of n pages.
func pages(n int) (paths []string) {
	for i := range n {
		paths = append(paths, fmt.Sprint("/", i))
	}
	return paths
}

// disallowed tells how many requests arrived that a rule disallows: a page, and one to which
// another page redirects.
func (net network) disallowed(c client) string {
	s := &site{
		robots: says("user-agent: *\ndisallow: /private\n"),
		page: func(w http.ResponseWriter, r *http.Request, _ int) {
			if r.URL.Path == "/moved" {
				http.Redirect(w, r, "/private/b", http.StatusFound)
			}
		},
	}
	n := 0
	for _, a := range net.visit(s, c, "/", "/private/a", "/moved") {
		if strings.HasPrefix(a.path, "/private") {
			n++
		}
	}
	return fmt.Sprintf("%d of 2", n)
}

// gaps tells how many of four gaps of a crawl-delay of a second were kept.
func (net network) gaps(c client) string {
	s := &site{robots: says("user-agent: *\ncrawl-delay: 1\nallow: /\n")}
	arrived := net.visit(s, c, pages(5)...)
	n := 0
	for i := 1; i < len(arrived); i++ {
		if arrived[i].time.Sub(arrived[i-1].time) > 900*time.Millisecond { // the network of this machine may delay a request
			n++
		}
	}
	return fmt.Sprintf("%d of 4", n)
}

// insistence tells how many requests came while the site wanted none: it has said 429 and
// Retry-After: 3 to the first of ten pages.
func (net network) insistence(c client) string {
	var until time.Time
	var mu sync.Mutex
	n := 0
	s := &site{
		robots: says("user-agent: *\nallow: /\n"),
		page: func(w http.ResponseWriter, _ *http.Request, before int) {
			mu.Lock()
			defer mu.Unlock()
			if before == 0 {
				until = time.Now().Add(3 * time.Second)
			} else if time.Now().Before(until) {
				n++
			} else {
				return
			}
			w.Header().Set("Retry-After", "3")
			w.WriteHeader(http.StatusTooManyRequests)
		},
	}
	net.visit(s, c, pages(10)...)
	return fmt.Sprint(n)
}

// unknown tells how many of three pages were fetched although robots.txt answers 500.
func (net network) unknown(c client) string {
	s := &site{robots: func(w http.ResponseWriter) { w.WriteHeader(http.StatusInternalServerError) }}
	return fmt.Sprintf("%d of 3", len(net.visit(s, c, pages(3)...)))
}

// table returns what each client does, as a table of Markdown.
func table(net network, all []client) string {
	var b strings.Builder
	row := func(name string, cell func(client) string) {
		cells := make([]string, len(all))
		var together sync.WaitGroup
		for i, c := range all {
			together.Go(func() { cells[i] = cell(c) })
		}
		together.Wait()
		fmt.Fprintf(&b, "| %s | %s |\n", name, strings.Join(cells, " | "))
	}
	row("what arrived, or was kept", func(c client) string { return c.name })
	fmt.Fprintf(&b, "|---|%s\n", strings.Repeat("---|", len(all)))
	row("disallowed requests that arrived, one of them by a redirect", net.disallowed)
	row("gaps of a `crawl-delay` that were kept", net.gaps)
	row("requests within the `Retry-After` of a 429", net.insistence)
	row("pages fetched although robots.txt answers 500", net.unknown)
	row("lines that a user writes for this", func(c client) string { return fmt.Sprint(lines(c.code)) })
	return b.String()
}

// kept tells how much memory a client keeps for each site it has visited, whose robots.txt has 20 KB.
func kept(c client) string {
	const sites, rules = 200, 20_000 / len("disallow: /0000\n")
	text := "user-agent: *\n"
	for i := range rules {
		text += fmt.Sprintf("disallow: /%04d\n", i)
	}
	var first, last runtime.MemStats
	server := httptest.NewServer(&site{robots: says(text), page: func(_ http.ResponseWriter, _ *http.Request, before int) {
		switch before {
		case 0:
			runtime.GC()
			runtime.ReadMemStats(&first)
		case sites - 1:
			runtime.GC()
			runtime.ReadMemStats(&last)
		}
	}})
	defer server.Close()
	var urls []string
	for i := range sites {
		urls = append(urls, fmt.Sprintf("http://s%d.example.com/", i))
	}
	c.fetch(server.Client().Transport, urls)
	return fmt.Sprintf("%d", (int64(last.HeapAlloc)-int64(first.HeapAlloc))/(sites-1)/1000)
}

func main() {
	all := clients()
	fmt.Print(table(sockets, all))
	row := "| KB kept of a robots.txt of 20 KB |"
	for _, c := range all {
		cell := "–" // Scrapy is a process of its own
		if c.name != "Scrapy" {
			cell = kept(c)
		}
		row += " " + cell + " |"
	}
	fmt.Println(row)
}
