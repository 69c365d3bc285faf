package limit

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
)

// A judgedCrawl fetches pages, and asks for another page a second after one was refused.
type judgedCrawl struct {
	site    conduct.Site
	workers int
	long    time.Duration
	base    func(http.RoundTripper) http.RoundTripper // between polite and the site; nil: nothing
}

// A judgedArrival is a request for a page as the site saw it.
type judgedArrival struct {
	at, answered time.Duration // since the crawl began
	status       int
}

// A judgedOutcome is what the site saw.
type judgedOutcome struct{ arrivals []judgedArrival }

// between returns how many requests arrived from one time to another.
func (o judgedOutcome) between(from, to time.Duration) (n int) {
	for _, a := range o.arrivals {
		if a.at >= from && a.at < to {
			n++
		}
	}
	return n
}

// run crawls in virtual time.
func (c judgedCrawl) run(t *testing.T) (saw judgedOutcome) {
	synctest.Test(t, func(t *testing.T) {
		web := origintest.NewInMemory(t)
		client := c.client(t, web)
		var mu sync.Mutex
		ctx, end := context.WithCancel(t.Context())
		defer time.AfterFunc(c.long, end).Stop()
		defer end()
		begun := time.Now()
		web.Page("example.com", "/page", func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			now := time.Since(begun)
			reply := c.site(now, "")
			saw.arrivals = append(saw.arrivals, judgedArrival{now, now + reply.After(), reply.Code()})
			mu.Unlock()
			reply.Write(w, r)
		})
		c.crawl(ctx, client)
	})
	return saw
}

func (c judgedCrawl) client(t *testing.T, web *origintest.Server) *http.Client {
	base := web.Transport(t)
	base.MaxIdleConnsPerHost = c.workers
	tr := conduct.NewTransport(t, web)
	if tr.Base = base; c.base != nil {
		tr.Base = c.base(base)
	}
	tr.Pace = polite.Pace{Concurrency: polite.NoLimit}
	conduct.Know(t, tr, "example.com")
	return &http.Client{Transport: tr}
}

// crawl lets workers ask for page after page, each another URL.
func (c judgedCrawl) crawl(ctx context.Context, client *http.Client) {
	var number atomic.Int64
	var crowd sync.WaitGroup
	for range c.workers {
		crowd.Go(func() {
			for ctx.Err() == nil {
				if conduct.Read(ctx, client, fmt.Sprint("http://example.com/page?n=", number.Add(1))) != nil {
					origintest.Wait(ctx, time.Second)
				}
			}
		})
	}
	crowd.Wait()
}
