package queue_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/long"
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
				c := crowd{sites: long.Or(1000, 20_000), pages: 30}
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
