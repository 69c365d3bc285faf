package lanes

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/memstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A storm is a crawl of one site by workers who put off each page that is refused, until
// its turn.
type storm struct {
	name      string
	pace      polite.Pace
	timeout   time.Duration // of a request
	delay     int           // the crawl-delay
	later     int           // the crawl-delay after a quarter of the pages; 0: it stays
	takes     time.Duration // to answer
	busy      int           // the seconds of a break that the site asks for in the middle
	fickle    bool          // a page whose path has an even length is given up when it is refused
	processes int           // which share their turns; 0: one that does not
	refusals  float64       // for each page, at most
	within    time.Duration
}

// Refusals grow with the pages, not with their square, since each that is refused learns a
// turn of its own. The site is busy nearly all the time.
func TestRequeue(t *testing.T) {
	t.Parallel()
	pages := long.Or(400, 2000)
	ideal, a, brief := time.Duration(pages)*time.Second, time.Second, polite.Pace{MaxWait: 20 * time.Millisecond}
	busy := pages * 3 / 20
	wait := time.Duration(busy) * a
	for _, test := range []storm{
		{name: "MaxWait", pace: brief, delay: 1, refusals: 1, within: ideal},
		{name: "longer MaxWait", pace: polite.Pace{MaxWait: 5 * a}, delay: 1, refusals: 1, within: ideal},
		{name: "MaxQueue", pace: polite.Pace{MaxQueue: 3}, delay: 1, refusals: 1, within: ideal},
		{name: "none waits", pace: polite.Pace{MaxQueue: polite.NoQueue}, delay: 1, refusals: 1, within: ideal + ideal/50},
		{name: "deadline", timeout: 5 * a / 2, delay: 1, refusals: 1, within: ideal},
		{name: "gap and slots", pace: polite.Pace{MaxWait: brief.MaxWait, Concurrency: 2}, delay: 1, takes: a, refusals: 2.5, within: ideal + a}, // a page may be refused for its slot, and then for its gap,
		{name: "slots", pace: polite.Pace{MaxWait: brief.MaxWait, Concurrency: 2}, takes: a, refusals: 2, within: ideal * 11 / 20},
		{name: "slots, none waits", pace: polite.Pace{MaxQueue: polite.NoQueue, Concurrency: 2}, takes: a, refusals: 2.5, within: ideal * 3 / 4},
		{name: "Jitter", pace: polite.Pace{MaxWait: brief.MaxWait, Jitter: 0.2}, delay: 1, refusals: 1, within: ideal * 6 / 5},
		{name: "break", pace: brief, delay: 1, busy: busy, refusals: 1.2, within: ideal + wait},
		{name: "break, deadline", timeout: 5 * a / 2, delay: 1, busy: busy, refusals: 1.2, within: ideal + wait},
		{name: "break, no gap", pace: polite.Pace{MaxWait: brief.MaxWait, Backoff: polite.Backoff{Off: true}}, takes: a, busy: busy, refusals: 1, within: ideal/2 + wait},
		{name: "break, no gap, Backoff", pace: brief, takes: a, busy: busy, refusals: 2.3, within: ideal/4 + wait}, // six at a time: nearly all are refused at first, and in the break,
		{name: "break, longer than all turns", pace: brief, delay: 1, busy: 5 * pages, refusals: 1.6, within: 6 * ideal},
		{name: "longer delay", pace: brief, delay: 1, later: 5, refusals: 2, within: 5 * ideal},
		{name: "shorter delay", pace: brief, delay: 5, later: 1, refusals: 1, within: 5 * ideal},
		{name: "half of them never come back", pace: brief, delay: 1, fickle: true, refusals: 1, within: ideal},
		{name: "two processes", pace: brief, delay: 1, processes: 2, refusals: 2, within: ideal * 5 / 4},
	} {
		t.Run(test.name, func(t *testing.T) { synctest.Test(t, func(t *testing.T) { test.run(t, pages) }) })
	}
}

func (r storm) run(t *testing.T, pages int) {
	web, urls := r.site(t, pages)
	processes, lanes, start := max(r.processes, 1), new(memstore.Turns), time.Now()
	var refused, givenUp atomic.Int64
	done := make([]time.Duration, processes)
	var all sync.WaitGroup
	for i := range processes {
		transport := conduct.NewTransport(t, web)
		if r.processes > 0 {
			way := time.Duration(2*i+1) * time.Millisecond / 10 // no two processes ask at the same moment, so that none depends on which goroutine runs first
			transport = conduct.Sharing(t, web, distant{lanes, way, way})
		}
		transport.Pace = r.pace
		client := &http.Client{Timeout: r.timeout, Transport: origintest.RoundTripper(func(req *http.Request) (*http.Response, error) {
			resp, err := transport.RoundTrip(req)
			if errors.Is(err, polite.ErrDelayed) {
				if refused.Add(1); r.fickle && len(req.URL.Path)%2 == 0 {
					return nil, conduct.ErrGivenUp
				}
			}
			return resp, err
		})}
		all.Go(func() {
			defer func() { done[i] = time.Since(start) }()
			conduct.Crawl(t, client, 8, polite.Forever, urls[i*pages/processes:(i+1)*pages/processes], func(_ string, resp *http.Response, err error) {
				if errors.Is(err, conduct.ErrGivenUp) {
					givenUp.Add(1)
				} else if assert.NoError(t, err) {
					io.Copy(io.Discard, resp.Body)
					resp.Body.Close()
				}
			})
		})
	}
	all.Wait()
	took, arrived := time.Since(start), make(map[string]int)
	time.Sleep(time.Minute) // robots.txt may be on its way again, in the background
	for _, arrival := range web.Log().Pages() {
		arrived[arrival.URI]++
	}
	require.Equal(t, pages-int(givenUp.Load()), len(web.Log().Pages()))
	require.Equal(t, len(web.Log().Pages()), len(arrived), "each page once")
	assert.LessOrEqual(t, float64(refused.Load())/float64(pages), r.refusals, "refusals for a page")
	assert.LessOrEqual(t, took, r.within)
	assert.GreaterOrEqual(t, slices.Min(done), took*9/10, "each process has its share")
	t.Logf("%.2f refusals for a page in %v", float64(refused.Load())/float64(pages), took)
}

// site returns the site, and the URLs of its pages.
func (r storm) site(t *testing.T, pages int) (web *origintest.Server, urls []string) {
	web = origintest.NewInMemory(t)
	rules := func(delay int) http.HandlerFunc {
		return conduct.Caching(fmt.Sprintf("user-agent: *\ncrawl-delay: %d\n", delay), 300)
	}
	web.Robots("example.com", rules(r.delay))
	if r.later > 0 {
		web.Robots("example.com", conduct.Changing(rules(r.delay), time.Duration(pages/4*r.delay)*time.Second, rules(r.later)))
	}
	for i := range pages {
		path, answer := fmt.Sprint("/", i), origintest.Delay(r.takes, origintest.Text("a page"))
		if r.busy > 0 && i == pages/2 {
			answer = origintest.Status(http.StatusServiceUnavailable, "Retry-After", fmt.Sprint(r.busy))
		}
		web.Page("example.com", path, answer)
		urls = append(urls, "http://example.com"+path)
	}
	return web, urls
}
