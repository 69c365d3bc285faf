// Package requeue is a queue of pages whose workers do not wait for slow sites.
package requeue

import (
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/go-polite/polite"
)

// A task is a page to fetch. If the turn of a redirect's hop is too far away, the task goes
// on at the hop. To begin again would fetch the first pages again, and come to the same hop.
type task struct {
	page string // that was asked for first
	url  string // to ask for next
	hops int    // how often the task went on at a hop
}

// maxHops is how often a task goes on at a hop. http.Client counts only the redirects that
// it follows without a refusal between them.
const maxHops = 10

// FetchAll fetches all pages with a few workers. If the turn of a page is too far away,
// the page goes back into the queue when its turn comes. Meanwhile the worker fetches
// another page.
func FetchAll(client *http.Client, workers int, pages []string, done func(page string, resp *http.Response, err error)) {
	queue := make(chan task, len(pages)) // has room for all, so that nobody waits to put a page back
	var left, all sync.WaitGroup
	for _, page := range pages {
		left.Add(1)
		queue <- task{page: page, url: page}
	}
	for range workers {
		all.Go(func() {
			for t := range queue {
				resp, err := client.Get(t.url)
				if late, ok := errors.AsType[*polite.DelayError](err); ok && t.hops < maxHops {
					t.goOn(late)
					time.AfterFunc(time.Until(late.Turn), func() { queue <- t })
					continue
				}
				done(t.page, resp, err)
				left.Done()
			}
		})
	}
	left.Wait()
	close(queue)
	all.Wait()
}

// goOn lets t ask for the hop that was refused, if redirects led to one.
func (t *task) goOn(late *polite.DelayError) {
	if late.From != "" {
		t.url = late.URL
		t.hops++
	}
}
