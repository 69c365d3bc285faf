package polite_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
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

// A site whose robots.txt is out of order might not want us: nothing is sent.
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

// A crawler that does not wait for slow sites: what comes too early goes to the
// end of the queue.
func ExampleDelayError() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, "user-agent: *\ncrawl-delay: 0.1\n")
		}
	}))
	defer site.Close()

	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Pace:      polite.Pace{MaxWait: 20 * time.Millisecond},
	}}
	type task struct {
		path      string
		notBefore time.Time
	}
	queue := []task{{path: "/a"}, {path: "/b"}, {path: "/c"}}
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		<-time.After(time.Until(next.notBefore)) // where a crawler would do something else

		resp, err := client.Get(site.URL + next.path)
		if late, ok := errors.AsType[*polite.DelayError](err); ok {
			queue = append(queue, task{next.path, late.Turn})
			continue
		}
		if err != nil {
			fmt.Println(err)
			continue
		}
		resp.Body.Close()
		fmt.Println(next.path, resp.Status)
	}
	// Unordered output:
	// /a 200 OK
	// /b 200 OK
	// /c 200 OK
}

// A crawler with a name of its own for news, which shares what it learns with
// others in the process.
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

// Asking without fetching.
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

// With go-retryablehttp around polite, each try is judged, and a refusal is not
// tried again.
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

// With polite around go-retryablehttp, a request is judged once, however often
// it is tried. Redirects have to be left to the client outside, which asks for
// each, and a status to polite.
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

// A crawler that follows links from anywhere connects to nothing but the public
// internet, whatever a name leads to, and reads no header without end.
func ExampleDialPublic() {
	dialer := &net.Dialer{Timeout: 10 * time.Second, Control: polite.DialPublic}
	client := &http.Client{Transport: &polite.Transport{
		UserAgent: "ExampleBot/1.0 (+https://example.com/bot)",
		Base: &http.Transport{
			DialContext:            dialer.DialContext,
			ForceAttemptHTTP2:      true, // or the dialer turns it off
			MaxResponseHeaderBytes: 64 << 10,
		},
	}}

	_, err := client.Get("http://127.0.0.1/admin")
	if refused, ok := errors.AsType[*polite.NoRulesError](err); ok {
		fmt.Println(refused.Err)
	}
	// Output: dial tcp 127.0.0.1:80: not an address of the public internet
}

// A robots.txt that is kept where the policy trusts it, and nowhere else that is
// not public.
func ExampleStayPublic() {
	policy := polite.Policy{CheckRedirect: func(from, to *url.URL) error {
		if to.Host == "robots.corp" {
			return nil
		}
		return polite.StayPublic(from, to)
	}}

	from := &url.URL{Scheme: "https", Host: "example.com", Path: "/robots.txt"}
	for _, host := range []string{"www.example.com", "robots.corp", "localhost", "[64:ff9b::127.0.0.1]"} {
		err := policy.CheckRedirect(from, &url.URL{Scheme: "https", Host: host, Path: "/robots.txt"})
		fmt.Println(host, err)
	}
	// Output:
	// www.example.com <nil>
	// robots.corp <nil>
	// localhost from a public host to one that is not
	// [64:ff9b::127.0.0.1] from a public host to one that is not
}
