package queue_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/queue"
)

// Two workers fetch three pages of a site that asks for a delay, and one that the first links to.
func ExampleQueue() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			io.WriteString(w, "user-agent: *\ncrawl-delay: 0.1\ndisallow: /private\n")
		}
	}))
	defer site.Close()

	q := queue.Queue[int]{Client: polite.Wrap(nil, "ExampleBot/1.0 (+https://example.com/bot)")}
	for _, path := range []string{"/a", "/b", "/private"} {
		if err := q.Push(site.URL+path, 1); err != nil {
			fmt.Println(err)
		}
	}
	err := q.Run(context.Background(), 2, func(_ context.Context, page queue.Item[int], resp *http.Response, err error) error {
		if err != nil {
			fmt.Println("not fetched, on level", page.Value)
			return nil // go on with the others
		}
		fmt.Println(resp.Request.URL.Path, resp.Status, "on level", page.Value)
		if resp.Request.URL.Path == "/a" {
			return q.Push(site.URL+"/c", page.Value+1)
		}
		return nil
	})
	fmt.Println(err, q.Progress().Done)
	// Unordered output:
	// /a 200 OK on level 1
	// /b 200 OK on level 1
	// not fetched, on level 1
	// /c 200 OK on level 2
	// <nil> 4
}

// A link checker asks by HEAD first, and by GET where the site wants no HEAD. It says of each link what it is, or
// why it was not checked.
func ExampleQueue_request() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/robots.txt":
			io.WriteString(w, "user-agent: *\ndisallow: /private\n")
		case r.URL.Path == "/gone":
			w.WriteHeader(http.StatusGone)
		case r.Method == http.MethodHead:
			w.WriteHeader(http.StatusMethodNotAllowed)
		}
	}))
	defer site.Close()

	q := queue.Queue[string]{ // of methods
		Client:  polite.Wrap(nil, "ExampleBot/1.0 (+https://example.com/bot)"),
		Options: polite.Options{MaxWait: time.Minute}, // for sites that are down, or want a long break
		Request: func(ctx context.Context, link queue.Item[string]) (*http.Request, error) {
			return http.NewRequestWithContext(ctx, link.Value, link.URL, nil)
		},
	}
	tell := func(link string, outcome any) {
		fmt.Println(strings.ReplaceAll(fmt.Sprint(link, ": ", outcome), site.URL, ""))
	}
	for _, link := range []string{site.URL + "/a", site.URL + "/a#top", site.URL + "/gone", site.URL + "/private", "mailto:a@example.com"} {
		if _, err := q.PushNew(link, http.MethodHead); err != nil {
			tell(link, err)
		}
	}
	err := q.Run(context.Background(), 16, func(_ context.Context, link queue.Item[string], resp *http.Response, err error) error {
		switch {
		case err != nil: // it was not sent, and err says why; or there was no answer
			tell(link.URL, err)
		case resp.StatusCode == http.StatusMethodNotAllowed && link.Value == http.MethodHead:
			link.Value = http.MethodGet
			return q.PushAgain(link)
		case resp.StatusCode == http.StatusTooManyRequests && link.Tries < 3:
			return q.PushAgain(link) // after the break
		default:
			tell(link.URL, resp.Status)
		}
		return nil
	})
	for link, why := range q.Left() { // if Run was ended
		tell(link.URL, fmt.Sprintf("not checked: %v; %s", err, why))
	}
	// Unordered output:
	// mailto:a@example.com: queue: "mailto:a@example.com" is not the URL of a page: write it as in https://example.com/
	// /a: 200 OK
	// /gone: 410 Gone
	// /private: polite: /private is disallowed for ExampleBot by "disallow: /private", line 2 of /robots.txt (group "*")
}

// A job that was stopped goes on in another process.
func ExampleQueue_Left() {
	q := queue.Queue[string]{Client: polite.Wrap(nil, "ExampleBot/1.0 (+https://example.com/bot)")}
	q.Push("https://example.com/a", "first")
	q.Push("https://example.com/b", "second")

	for item := range q.Left() {
		fmt.Println(item.URL, item.Value) // write both down, and push them again; with a Journal, the queue does this
	}
	// Output:
	// https://example.com/a first
	// https://example.com/b second
}
