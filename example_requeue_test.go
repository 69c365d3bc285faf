package polite_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/go-polite/polite"
)

// fetchAll fetches all pages with a few workers. A page whose turn is too far away comes
// back into the queue when its turn comes, and meanwhile the worker fetches another one.
func fetchAll(client *http.Client, workers int, pages []string, done func(page string, resp *http.Response, err error)) {
	queue := make(chan string, len(pages)) // has room for all, so that nobody waits to put a page back
	var left, all sync.WaitGroup
	for _, page := range pages {
		left.Add(1)
		queue <- page
	}
	for range workers {
		all.Go(func() {
			for page := range queue {
				resp, err := client.Get(page)
				if late, ok := errors.AsType[*polite.DelayError](err); ok {
					time.AfterFunc(time.Until(late.Turn), func() { queue <- page })
					continue
				}
				done(page, resp, err)
				left.Done()
			}
		})
	}
	left.Wait()
	close(queue)
	all.Wait()
}

// A crawler whose workers do not wait for slow sites.
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
	fetchAll(client, 2, []string{site.URL + "/a", site.URL + "/b", site.URL + "/c"}, func(_ string, resp *http.Response, err error) {
		if err != nil {
			fmt.Println(err)
			return
		}
		defer resp.Body.Close()
		fmt.Println(resp.Request.URL.Path, resp.Status)
	})
	// Unordered output:
	// /a 200 OK
	// /b 200 OK
	// /c 200 OK
}
