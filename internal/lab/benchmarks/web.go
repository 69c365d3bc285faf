package main

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/robots"
	"github.com/temoto/robotstxt"
)

const agent = "ExampleBot/1.0 (+https://example.com/bot)"

var identified = http.Header{"User-Agent": {agent}}

// drive sends n requests as req, in an order in which none comes soon after
// another to the same origin. As in a crawler, a request is new in memory and
// what is known of its origin is not.
func (w *web) drive(t http.RoundTripper, req *http.Request, goroutines, n int) {
	var crowd sync.WaitGroup
	for g := range goroutines {
		crowd.Go(func() {
			req := req.Clone(req.Context())
			at := g % len(w.hosts)
			for range (n + goroutines - 1) / goroutines {
				req.URL.Host, req.Host = w.hosts[at], w.hosts[at]
				t.RoundTrip(req)
				at = (at + 7919*goroutines) % len(w.hosts)
			}
		})
	}
	crowd.Wait()
}

// A web is a Base that answers at once.
type web struct {
	hosts  []string
	bodies map[string]string // by host
	page   *http.Response
	yields bool // it lets other goroutines run before it answers, so that requests meet
}

// newWeb gives a number of hosts robots.txt of median length.
func newWeb(in *input, hosts int) *web {
	w := &web{bodies: make(map[string]string), page: &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}}
	var files []string
	for _, body := range in.bodies {
		file := string(body) + "\nuser-agent: ExampleBot\n" + rulesOf(string(body)) + "disallow: /never\n"
		rules := robots.Parse([]byte(file)).Rules("ExampleBot")
		_, err := robotstxt.FromString(file)
		if err == nil && len(body) > 450 && len(body) < 650 && rules.Allowed("/a/page") && rules.Allowed("/a/page?id=1") {
			files = append(files, file)
		}
	}
	for i := range hosts {
		host := fmt.Sprintf("www.site-%d.example", i)
		w.hosts = append(w.hosts, host)
		w.bodies[host] = files[i%len(files)]
	}
	return w
}

func rulesOf(body string) string {
	var rules strings.Builder
	for line := range strings.Lines(body) {
		if key, _, _ := strings.Cut(strings.ToLower(line), ":"); key == "allow" || key == "disallow" {
			rules.WriteString(strings.TrimSpace(line) + "\n")
		}
	}
	return rules.String()
}

func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path == "/robots.txt" {
		body := io.NopCloser(strings.NewReader(w.bodies[req.URL.Host]))
		return &http.Response{StatusCode: http.StatusOK, ProtoMajor: 1, ProtoMinor: 1, Body: body, ContentLength: -1, Request: req}, nil
	}
	if w.yields {
		runtime.Gosched()
	}
	return w.page, nil
}

func (w *web) polite() http.RoundTripper {
	const noDelay = -1 // polite.NoDelay has no name in the old commits that ./against builds
	return &polite.Transport{UserAgent: agent, Base: w, Pace: polite.Pace{MaxDelay: noDelay}}
}

// request returns a request for a page, to be sent to one host after the other.
func request() *http.Request {
	return &http.Request{Method: http.MethodGet, URL: &url.URL{Scheme: "https", Path: "/a/page"}, Header: identified}
}

func (w *web) send(t http.RoundTripper, req *http.Request, host string) {
	req.URL.Host, req.Host = host, host
	t.RoundTrip(req)
}
