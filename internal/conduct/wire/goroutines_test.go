package wire

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answering returns a Base whose sites answer after some time. Hosts that begin with slow
// ask for a crawl-delay of 10 seconds.
func answering(after time.Duration) origintest.RoundTripper {
	return func(req *http.Request) (*http.Response, error) {
		if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.GotConn != nil {
			trace.GotConn(httptrace.GotConnInfo{})
		}
		if err := context.Cause(req.Context()); err != nil {
			return nil, err
		}
		time.Sleep(after)
		body := "a page\n"
		if req.URL.Path == "/robots.txt" {
			body = "user-agent: *\ndisallow: /private\n"
			if strings.HasPrefix(req.URL.Host, "slow") {
				body += "crawl-delay: 10\n"
			}
		}
		return origintest.Response(req, http.StatusOK, body), nil
	}
}

// links returns the links of a crawl, in the order in which it finds them: 100 links each
// to 45 sites that are quick, and to 5 that ask for a crawl-delay.
func links() (all []string) {
	for site := range 50 {
		kind := "quick"
		if site%10 == 0 {
			kind = "slow"
		}
		for page := range 100 {
			all = append(all, fmt.Sprintf("http://%s%d.example/%d", kind, site, page))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// took returns how long a crawl takes that sends by fetchAll, for the quick pages and for all.
// fetchAll calls came when a page has come.
func took(t *testing.T, fetchAll func(t *testing.T, client *http.Client, links []string, came func(link string, err error))) (quick, all time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: &polite.Transport{
			UserAgent: conduct.UserAgent, Base: answering(100 * time.Millisecond), Pace: polite.Pace{Concurrency: 2},
		}}
		var mu sync.Mutex
		began := time.Now()
		fetchAll(t, client, links(), func(link string, err error) {
			assert.NoError(t, err)
			mu.Lock()
			defer mu.Unlock()
			if all = time.Since(began); strings.HasPrefix(link, "http://quick") {
				quick = all
			}
		})
	})
	return quick, all
}

// Workers who wait for slow sites hold the others up. Neither a goroutine for each request does so,
// nor workers of a queue.
func TestGoroutineForEachRequest(t *testing.T) {
	long.NotShort(t)
	quick, all := took(t, func(t *testing.T, client *http.Client, links []string, came func(string, error)) {
		var crowd sync.WaitGroup
		for _, link := range links {
			crowd.Go(func() {
				_, err := conduct.Get(client, link)
				came(link, err)
			})
		}
		crowd.Wait()
	})
	t.Logf("a goroutine for each: the quick sites after %v, all after %v", quick, all)
	assert.LessOrEqual(t, quick, 6*time.Second, "two at a time, of 100 that take 100 ms each")
	assert.LessOrEqual(t, all, 1000*time.Second, "100 with a gap of 10 s")

	for _, workers := range []int{16, 100} {
		quick, all = took(t, func(t *testing.T, client *http.Client, links []string, came func(string, error)) {
			conduct.Crawl(t, client, workers, 0, links, func(link string, _ *http.Response, err error) { came(link, err) })
		})
		t.Logf("%d workers of a queue: the quick sites after %v, all after %v", workers, quick, all)
		assert.LessOrEqual(t, quick, max(6*time.Second, 4600*100*time.Millisecond/time.Duration(workers)))
		assert.LessOrEqual(t, all, 1000*time.Second)
	}

	quick, all = took(t, func(t *testing.T, client *http.Client, links []string, came func(string, error)) {
		queue := make(chan string)
		var workers sync.WaitGroup
		for range 16 {
			workers.Go(func() {
				for link := range queue {
					_, err := conduct.Get(client, link)
					came(link, err)
				}
			})
		}
		for _, link := range links {
			queue <- link
		}
		close(queue)
		workers.Wait()
	})
	t.Logf("16 workers: the quick sites after %v, all after %v", quick, all)
	assert.Greater(t, quick, 500*time.Second, "or the comparison in docs/manners.md is out of date")
}

// A request that waits takes little memory: its goroutine, and what http.Client and polite
// keep of it. docs/speed.md has the figure for 100,000.
func TestMemoryOfRequestsThatWait(t *testing.T) {
	long.NotShort(t)
	n := long.Or(10_000, 100_000)
	synctest.Test(t, func(t *testing.T) {
		client := &http.Client{Transport: &polite.Transport{UserAgent: conduct.UserAgent, Base: answering(0)}}
		for site := range 100 {
			_, err := conduct.Get(client, fmt.Sprintf("http://slow%d.example/", site))
			require.NoError(t, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var crowd sync.WaitGroup
		heap, stacks := heapAndStacks()
		for i := range n {
			crowd.Go(func() {
				req, err := http.NewRequestWithContext(ctx, http.MethodGet, fmt.Sprintf("http://slow%d.example/%d", i%100, i), nil)
				if assert.NoError(t, err) {
					_, err = client.Do(req)
					assert.ErrorIs(t, err, context.Canceled)
				}
			})
		}
		synctest.Wait()
		heapThen, stacksThen := heapAndStacks()
		heap, stacks = (heapThen-heap)/n, (stacksThen-stacks)/n
		t.Logf("%d requests wait, and take %d bytes each: %d of stack, and %d more", n, heap+stacks, stacks, heap)
		assert.Less(t, heap+stacks/stackFactor, 16<<10)
		cancel()
		crowd.Wait()
	})
}

// heapAndStacks returns the memory that is in use.
func heapAndStacks() (heap, stacks int) {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int(stats.HeapAlloc), int(stats.StackInuse)
}
