package queue_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

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

// A link checker asks by HEAD first, and by GET where the site wants no HEAD. Each link has an outcome.
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
		Client: polite.Wrap(nil, "ExampleBot/1.0 (+https://example.com/bot)"),
		Request: func(ctx context.Context, link queue.Item[string]) (*http.Request, error) {
			return http.NewRequestWithContext(ctx, link.Value, link.URL, nil)
		},
	}
	for _, path := range []string{"/a", "/gone", "/private", "/a#top"} {
		if _, err := q.PushNew(site.URL+path, http.MethodHead); err != nil {
			fmt.Println(err)
		}
	}
	err := q.Run(context.Background(), 16, func(_ context.Context, link queue.Item[string], resp *http.Response, err error) error {
		path := strings.TrimPrefix(link.URL, site.URL)
		switch {
		case err != nil: // it says why the link was not checked
			fmt.Println(path, "was not checked:", errors.Is(err, polite.ErrDisallowed))
		case resp.StatusCode == http.StatusMethodNotAllowed && link.Value == http.MethodHead:
			return q.Push(link.URL, http.MethodGet)
		default:
			fmt.Println(path, link.Value, resp.StatusCode)
		}
		return nil
	})
	fmt.Println(err, q.Gone(site.URL+"/gone"))
	// Unordered output:
	// /a GET 200
	// /gone HEAD 410
	// /private was not checked: true
	// <nil> true
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
