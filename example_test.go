package polite_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"time"

	"github.com/go-polite/polite"
	"github.com/hashicorp/go-retryablehttp"
)

// newSite starts a site that does not want /private to be crawled.
func newSite() *httptest.Server {
	site := http.NewServeMux()
	site.HandleFunc("/robots.txt", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "user-agent: *\ndisallow: /private\n")
	})
	site.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "this is "+r.URL.Path) })
	site.Handle("/moved", http.RedirectHandler("/private/home", http.StatusFound))
	return httptest.NewServer(site)
}

// The three outcomes of a request: it is sent, a rule disallows it, or it cannot be
// sent now.
func Example() {
	site := newSite()
	defer site.Close()
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "out of order", http.StatusInternalServerError)
	}))
	defer broken.Close()

	client := polite.Wrap(nil, "ExampleBot/1.0 (+https://example.com/bot)")
	for _, url := range []string{site.URL + "/public", site.URL + "/private/diary", broken.URL + "/public"} {
		resp, err := client.Get(url)
		switch {
		case err == nil:
			resp.Body.Close()
			fmt.Println("sent, and answered with", resp.Status)
		case errors.Is(err, polite.ErrDisallowed):
			fmt.Println("disallowed: leave it alone")
		case errors.Is(err, polite.ErrRefused):
			fmt.Println("not now: try again later")
		default:
			fmt.Println(err)
		}
	}
	// Output:
	// sent, and answered with 200 OK
	// disallowed: leave it alone
	// not now: try again later
}

// The one line that makes a client obey robots.txt.
func ExampleWrap() {
	site := newSite()
	defer site.Close()

	client := &http.Client{Timeout: 10 * time.Second}
	client = polite.Wrap(client, "ExampleBot/1.0 (+https://example.com/bot)")

	for _, path := range []string{"/public", "/private/diary", "/moved"} {
		resp, err := client.Get(site.URL + path)
		if errors.Is(err, polite.ErrRefused) {
			fmt.Println(path, "is not for us")
			continue
		}
		if err != nil {
			fmt.Println(err)
			continue
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(string(body), err)
	}
	// Output:
	// this is /public <nil>
	// /private/diary is not for us
	// /moved is not for us
}

// What a refusal tells a program.
func ExampleDisallowedError() {
	site := newSite()
	defer site.Close()

	client := polite.Wrap(nil, "ExampleBot/1.0 (+https://example.com/bot)")
	_, err := client.Get(site.URL + "/private/diary")

	if refused, ok := errors.AsType[*polite.DisallowedError](err); ok {
		fmt.Println("rule: ", refused.Rule)
		fmt.Println("line: ", refused.Rule.Line)
		fmt.Println("group:", refused.Group)
		fmt.Println("file: ", refused.RobotsURL == site.URL+"/robots.txt")
	}
	// Output:
	// rule:  disallow: /private
	// line:  2
	// group: *
	// file:  true
}

// A site whose robots.txt is out of order is sent nothing, because nobody knows its
// rules.
func ExampleNoRulesError() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "out of order", http.StatusServiceUnavailable)
	}))
	defer site.Close()

	client := polite.Wrap(nil, "ExampleBot/1.0 (+https://example.com/bot)")
	_, err := client.Get(site.URL)

	if refused, ok := errors.AsType[*polite.NoRulesError](err); ok {
		fmt.Println("robots.txt answered", refused.Status)
		fmt.Println("ask again within", time.Until(refused.Next).Round(time.Minute))
	}
	// Output:
	// robots.txt answered 503
	// ask again within 1m0s
}

// Two crawlers that share what they know of sites. A site may name one of them, or
// both.
func ExampleTransport() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "user-agent: examplebot-news\ndisallow: /archive\n\nuser-agent: examplebot\ndisallow: /news\n")
	}))
	defer site.Close()

	cache := new(polite.Cache)
	news := &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot-News/1.0 (+https://example.com/bot)",
		Agents:    []string{"ExampleBot-News", "ExampleBot"},
		Cache:     cache,
	}}
	general := &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Cache:     cache,
	}}

	for _, path := range []string{"/archive", "/news"} {
		_, newsErr := news.Head(site.URL + path)
		_, generalErr := general.Head(site.URL + path)
		fmt.Printf("%s: news %t, general %t\n", path, newsErr == nil, generalErr == nil)
	}
	// Output:
	// /archive: news false, general true
	// /news: news true, general false
}

// A question about a URL, which sends no request for it.
func ExampleTransport_Check() {
	site := newSite()
	defer site.Close()

	transport := &polite.Transport{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)"}
	for _, path := range []string{"/public", "/private/diary"} {
		u, err := url.Parse(site.URL + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		decision, err := transport.Check(context.Background(), u)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(path, decision.Allowed, decision.Reason)
	}
	// Output:
	// /public true no-rule
	// /private/diary false rule
}

// If go-retryablehttp is around polite, each try is judged. A refusal is not tried
// again.
func ExampleCheckRetry() {
	site := newSite()
	defer site.Close()

	client := retryablehttp.NewClient()
	client.Logger = nil
	client.HTTPClient = polite.Wrap(client.HTTPClient, "ExampleBot/1.0 (+https://example.com/bot)")
	client.CheckRetry = polite.CheckRetry(retryablehttp.DefaultRetryPolicy)

	_, err := client.Get(site.URL + "/private/diary")
	fmt.Println(errors.Is(err, polite.ErrRefused))
	// Output: true
}

// If go-retryablehttp is inside polite, a request is judged once, however often it is
// tried. Leave redirects to the outer client, so that polite judges each hop, and let
// the last response through, so that polite sees its status.
func ExampleCheckRetry_inside() {
	site := newSite()
	defer site.Close()

	retrying := retryablehttp.NewClient()
	retrying.Logger = nil
	retrying.ErrorHandler = retryablehttp.PassthroughErrorHandler
	retrying.HTTPClient.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Base:      &retryablehttp.RoundTripper{Client: retrying},
	}}

	for _, path := range []string{"/public", "/private/diary", "/moved"} {
		_, err := client.Head(site.URL + path)
		fmt.Println(path, errors.Is(err, polite.ErrRefused))
	}
	// Output:
	// /public false
	// /private/diary true
	// /moved true
}

// A crawler that sends everything as before, but tells which requests polite would
// refuse.
func ExamplePolicy() {
	site := newSite()
	defer site.Close()

	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Policy: polite.Policy{DryRun: func(req *http.Request, _ error) {
			fmt.Println("robots.txt disallows", req.URL.Path)
		}},
	}}
	resp, err := client.Get(site.URL + "/private/diary")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.Status)
	// Output:
	// robots.txt disallows /private/diary
	// 200 OK
}

// A policy that takes 403 for a no.
func ExampleStrict() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "not for you", http.StatusForbidden)
	}))
	defer site.Close()

	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Policy:    polite.Strict(),
	}}
	_, err := client.Get(site.URL)
	if refused, ok := errors.AsType[*polite.NoRulesError](err); ok {
		fmt.Println(refused.Status, refused.Basis)
	}
	// Output: 403 Forbidden: deny all
}

// A crawler that waits a second between two requests to a site, or longer if the site
// asks for it, but no longer than a minute. It has at most two requests under way at a
// site.
func ExamplePace() {
	transport := &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Pace:      polite.Pace{MinDelay: time.Second, MaxDelay: time.Minute, Concurrency: 2},
	}
	site := newSite()
	defer site.Close()
	u, err := url.Parse(site.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	decision, err := transport.Check(context.Background(), u)
	fmt.Println(decision.Gap, err)
	// Output: 1s <nil>
}

// Two transports that share a Cache ask a site for its robots.txt once.
func ExampleCache() {
	site := newSite()
	defer site.Close()

	cache := &polite.Cache{MaxBytes: 16 << 20}
	for range 2 {
		client := &http.Client{Transport: &polite.Transport{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)", Cache: cache}}
		resp, err := client.Get(site.URL + "/public")
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
	}
	stats := cache.Stats()
	fmt.Println("fetched:", stats.Found, "known:", stats.Hits)
	// Output: fetched: 1 known: 1
}

// A page of a crawler shows what waits, and why. Here, an answer was never closed.
func ExampleCache_Lanes() {
	site := newSite()
	defer site.Close()
	waits := make(chan struct{})
	cache := new(polite.Cache)
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Pace:      polite.Pace{Concurrency: 1},
		Cache:     cache,
		Trace:     polite.Trace{Waits: func(*http.Request, time.Time) { close(waits) }},
	}}
	status := func(w http.ResponseWriter, _ *http.Request) {
		for l := range cache.Lanes() {
			if l.Waiting > 0 {
				fmt.Fprintf(w, "%d waits: %s (%d open)\n", l.Waiting, l.Cause, l.Open) // l.Key is the site, and l.Why() says more
			}
		}
	}

	open, err := client.Get(site.URL + "/a")
	if err != nil {
		fmt.Println(err)
		return
	}
	go client.Get(site.URL + "/b")
	<-waits
	page := httptest.NewRecorder()
	status(page, httptest.NewRequest(http.MethodGet, "/status", nil))
	fmt.Print(page.Body)
	open.Body.Close()
	// Output:
	// 1 waits: bodies (1 open)
}

// A program opens pages in another one, such as a browser. It sees the answers, but it does not
// send the requests itself.
func ExampleTransport_Do() {
	site := newSite()
	defer site.Close()

	open := func(req *http.Request) (*http.Response, error) {
		fmt.Println("opening", req.URL.Path)
		return &http.Response{StatusCode: http.StatusOK}, nil // what the browser tells
	}
	transport := &polite.Transport{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)"}
	for _, path := range []string{"/public", "/private/diary"} {
		req, err := http.NewRequest(http.MethodGet, site.URL+path, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		if _, err := transport.Do(req, open); errors.Is(err, polite.ErrRefused) {
			fmt.Println(path, "is not for us")
		}
	}
	// Output:
	// opening /public
	// /private/diary is not for us
}

// A bearer adds a token to what it sends through base, as an oauth2.Transport does.
type bearer struct {
	token string
	base  http.RoundTripper
}

func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+b.token)
	return b.base.RoundTrip(req)
}

// What adds credentials sends through polite. So they do not go with robots.txt.
func Example_credentials() {
	site := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Printf("%s: %q\n", r.URL.Path, r.Header.Get("Authorization"))
	}))
	defer site.Close()

	transport := &polite.Transport{UserAgent: "ExampleBot/1.0 (+https://example.com/bot)"}
	client := &http.Client{Transport: bearer{"secret", transport}} // and not polite around the bearer
	resp, err := client.Get(site.URL + "/private")
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	// Output:
	// /robots.txt: ""
	// /private: "Bearer secret"
}
