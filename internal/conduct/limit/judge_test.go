package limit

import (
	"cmp"
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
	"github.com/stretchr/testify/assert"
)

// A judgedCrawl fetches pages, and asks for another page when one is refused.
type judgedCrawl struct {
	site    conduct.Site
	parts   []string           // first segments of the paths, in turn; nil: one
	path    func(n int) string // of the n-th page; nil: the parts in turn, each page another URL
	workers int
	long    time.Duration                             // when it ends at the latest
	pages   int                                       // good ones, after which it ends; 0: it ends when the time is over
	again   time.Duration                             // how long who fails waits before it asks again; zero is a second
	pace    polite.Pace                               // of polite
	options polite.Options                            // of its requests
	base    func(http.RoundTripper) http.RoundTripper // between polite and the site; nil: nothing
	told    func(took time.Duration, err error)       // is told of each request; may be nil
}

// A judgedArrival is a request for a page as the site saw it.
type judgedArrival struct {
	at, answered time.Duration // since the crawl began
	status       int
	part         string
}

// A judgedOutcome is what the site saw.
type judgedOutcome struct {
	took      time.Duration
	good, bad int // bad are 403, 429 and 503
	arrivals  []judgedArrival
}

func (o judgedOutcome) badShare() float64 { return float64(o.bad) / float64(max(o.good+o.bad, 1)) }

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
		if c.parts == nil {
			c.parts = []string{"part"}
		}
		client := c.client(t, web)
		var mu sync.Mutex
		ctx, end := context.WithCancel(t.Context())
		defer time.AfterFunc(c.long, end).Stop()
		defer end()
		begun := time.Now()
		for _, part := range c.parts {
			web.Page("example.com", "/"+part+"/page", func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				now := time.Since(begun)
				reply := c.site(now, part)
				saw.count(reply, now, part)
				done := c.pages > 0 && saw.good >= c.pages
				mu.Unlock()
				reply.Write(w, r)
				if done {
					end()
				}
			})
		}
		c.crawl(polite.With(ctx, c.options), client)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		saw.took = time.Since(begun)
	})
	return saw
}

func (o *judgedOutcome) count(reply conduct.Reply, now time.Duration, part string) {
	o.arrivals = append(o.arrivals, judgedArrival{now, now + reply.After(), reply.Code(), part})
	switch reply.Code() {
	case http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		o.bad++
	default:
		o.good++
	}
}

func (c judgedCrawl) client(t *testing.T, web *origintest.Server) *http.Client {
	base := web.Transport(t)
	base.MaxIdleConnsPerHost = c.workers
	var next http.RoundTripper = base
	if c.base != nil {
		next = c.base(base)
	}
	tr := conduct.NewTransport(t, web)
	tr.Base, tr.Pace = next, c.pace
	if tr.Pace.Concurrency == 0 {
		tr.Pace.Concurrency = polite.NoLimit
	}
	conduct.Know(t, tr, "example.com")
	return &http.Client{Transport: tr}
}

// crawl lets workers ask for page after page. Who fails asks again a while later.
func (c judgedCrawl) crawl(ctx context.Context, client *http.Client) {
	var number atomic.Int64
	var crowd sync.WaitGroup
	for range c.workers {
		crowd.Go(func() {
			for ctx.Err() == nil {
				n := int(number.Add(1))
				asked := time.Now()
				err := conduct.Read(ctx, client, c.url(n))
				if c.told != nil {
					c.told(time.Since(asked), err)
				}
				if err != nil {
					origintest.Wait(ctx, cmp.Or(c.again, time.Second))
				}
			}
		})
	}
	crowd.Wait()
}

// url returns the URL of the n-th page.
func (c judgedCrawl) url(n int) string {
	if c.path != nil {
		return "http://example.com" + c.path(n)
	}
	return fmt.Sprintf("http://example.com/%s/page?n=%d", c.parts[n%len(c.parts)], n)
}

// judgeLimit asserts how much of what is allowed came, and how much was refused at most.
func judgeLimit(t *testing.T, saw judgedOutcome, ideal time.Duration, allowed, bad float64) {
	t.Helper()
	got := ideal.Seconds() / saw.took.Seconds()
	t.Logf("%.1f%% of what is allowed, %.2f%% bad, in %v", 100*got, 100*saw.badShare(), saw.took)
	assert.GreaterOrEqual(t, got, allowed, "of what is allowed")
	assert.LessOrEqual(t, saw.badShare(), bad, "bad answers")
}
