package queue_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/queue"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A crowd is many sites of the web. A tenth of them ask for a delay of one to five seconds. They
// answer after 20 to 180 ms.
type crowd struct{ sites, pages int }

func (c crowd) site(host string) site {
	text, _, _ := strings.Cut(host, ".")
	i, _ := strconv.Atoi(text)
	s := site{takes: time.Duration(20+i%17*10) * time.Millisecond}
	if i%10 == 0 {
		s.robots = delayed(c.delay(i))
	}
	return s
}

func (c crowd) delay(i int) int { return 1 + i/10%5 }

// urls yields the pages in the order in which a crawl may find them: one of each site, and so on.
func (c crowd) urls(yield func(url string, site int) bool) {
	for page := range c.pages {
		for i := range c.sites {
			if !yield(fmt.Sprintf("http://%d.example/%d", i, page), i) {
				return
			}
		}
	}
}

// ideal returns the least time that so many workers need: all answers, one after the other, or the
// delays of the slowest site.
func (c crowd) ideal(workers int) time.Duration {
	var work, longest time.Duration
	for i := range c.sites {
		s := c.site(fmt.Sprint(i))
		work += time.Duration(1+c.pages) * s.takes // and robots.txt
		lane := 2 * s.takes
		if s.robots != "" {
			lane += time.Duration((c.pages-1)*c.delay(i)) * time.Second
		}
		longest = max(longest, lane)
	}
	return max(work/time.Duration(workers), longest)
}

// Many sites take hardly longer than the workers need for the answers alone. Each page is fetched
// once, in the order of its site.
func TestManySites(t *testing.T) {
	for _, workers := range []int{1, 16, 64} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := crowd{sites: long.Or(500, 10_000), pages: 30}
				w := &web{site: c.site}
				q := newQueue(w, polite.Pace{})
				for url, i := range c.urls {
					require.NoError(t, q.Push(url, i))
				}
				start := time.Now()
				require.NoError(t, q.Run(t.Context(), workers, nothing(t)))
				took := time.Since(start)
				assertOrder(t, w, c)
				assert.LessOrEqual(t, took.Seconds(), 1.05*c.ideal(workers).Seconds())
				assert.LessOrEqual(t, w.most, int64(workers))
				t.Logf("%v, and %v at best", took, c.ideal(workers))
			})
		})
	}
}

// assertOrder checks that each page arrived once, and those of a site in order.
func assertOrder(t *testing.T, w *web, c crowd) {
	last := make(map[string]int)
	for _, a := range w.inOrder() {
		page, err := strconv.Atoi(a.uri[1:])
		require.NoError(t, err)
		if page != last[a.host] {
			assert.Fail(t, "not in order", "page %d of %s comes before page %d", page, a.host, last[a.host])
			return
		}
		last[a.host]++
	}
	assert.Len(t, last, c.sites)
	assert.Len(t, w.arrivals, c.sites*c.pages)
}

// An item takes less than 300 octets, with its URL and all that is kept of its site: before the
// queue runs, and when all sites have been asked and wait for their turns.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := crowd{sites: long.Or(2000, 100_000), pages: 10}
		before := inUse()
		q := &queue.Queue[int]{}
		for url, i := range c.urls {
			require.NoError(t, q.Push(url, i))
		}
		pushed := float64(inUse()-before) / float64(c.sites*c.pages)
		assert.Less(t, pushed, 300.0)

		w := &web{site: func(string) site { return site{robots: delayed(30)} }}
		transport := &polite.Transport{UserAgent: "ExampleBot/1.0", Base: w, Cache: &polite.Cache{MaxBytes: 1 << 30}}
		q.Client = &http.Client{Transport: transport}
		ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
		defer stop()
		require.ErrorIs(t, q.Run(ctx, 16, nothing(t)), context.DeadlineExceeded)
		assert.Equal(t, queue.Progress{Done: c.sites, Left: 9 * c.sites, Parked: 9 * c.sites, Next: q.Progress().Next}, q.Progress())
		q.Client, transport, w = nil, nil, nil // leave the queue alone
		parked := float64(inUse()-before) / float64(9*c.sites)
		assert.Less(t, parked, 300.0)
		t.Logf("%.0f octets an item, and %.0f where the sites are known", pushed, parked)
		runtime.KeepAlive(q)
	})
}

// inUse returns the memory in use, after a garbage collection.
func inUse() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}

// A million pages of 100,000 sites take hardly longer than the workers need for the answers alone.
func TestMillion(t *testing.T) {
	long.Only(t)
	c := crowd{sites: 100_000, pages: 10}
	pages := c.sites * c.pages
	for _, workers := range []int{1, 16, 64, 1024} {
		synctest.Test(t, func(t *testing.T) {
			w := &web{site: c.site}
			q := newQueue(w, polite.Pace{})
			q.Client.Transport.(*polite.Transport).Cache = &polite.Cache{MaxBytes: 1 << 30, MaxFetches: workers}
			before := inUse()
			for url, i := range c.urls {
				require.NoError(t, q.Push(url, i))
			}
			each := float64(inUse()-before) / float64(pages)
			start := time.Now()
			require.NoError(t, q.Run(t.Context(), workers, nothing(t)))
			took, ideal := time.Since(start), c.ideal(workers)
			t.Logf("%d workers: %v, %.3f of the ideal; %.0f octets an item; %.2f vain tries a page", workers, took,
				took.Seconds()/ideal.Seconds(), each, float64(w.vain())/float64(pages))
			assert.LessOrEqual(t, took.Seconds(), 1.05*ideal.Seconds())
			assertOrder(t, w, c)
		})
	}
}
