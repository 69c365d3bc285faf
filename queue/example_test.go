package queue_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"

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

// A job that was stopped goes on in another process.
func ExampleQueue_Left() {
	q := queue.Queue[string]{Client: polite.Wrap(nil, "ExampleBot/1.0 (+https://example.com/bot)")}
	q.Push("https://example.com/a", "first")
	q.Push("https://example.com/b", "second")

	for item := range q.Left() {
		fmt.Println(item.URL, item.Value) // write both down, and push them again
	}
	// Output:
	// https://example.com/a first
	// https://example.com/b second
}
