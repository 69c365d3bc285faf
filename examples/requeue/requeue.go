// Package requeue is a queue of pages whose workers do not wait for slow sites.
package requeue

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/go-polite/polite"
)

// FetchAll fetches all pages with a few workers. If the turn of a page is too far away,
// the page goes back into the queue when its turn comes. Meanwhile the worker fetches
// another page.
func FetchAll(client *http.Client, workers int, pages []string, done func(page string, resp *http.Response, err error)) {
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
