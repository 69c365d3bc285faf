package fleet

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

const sharedTakes = 500 * time.Millisecond // of a page

// plain sets nothing: what is under way is bounded by the ceiling alone.
func plain(tr *polite.Transport) { tr.Pace = polite.Pace{} }

// sharedCrew returns a fleet without settings. Process i asks hosts[i] for its pages.
func sharedCrew(t *testing.T, hosts []string) *conduct.Crew {
	c := conduct.NewCrew(t)
	for i, host := range hosts {
		c.Web.Page(host, fmt.Sprint("/", i), origintest.Delay(sharedTakes, origintest.Text("a page\n")))
		c.Join(plain)
	}
	return c
}

// Without a setting, six requests of all processes are under way to a site, and one of each process at least.
func TestFleetSharesTheCeiling(t *testing.T) {
	for _, processes := range long.Or([]int{1, 4, 16}, []int{1, 2, 4, 8, 16, 50}) {
		for _, workers := range []int{2, 16} {
			synctest.Test(t, func(t *testing.T) {
				const crawl = 30 * time.Second
				hosts := make([]string, processes)
				for i := range hosts {
					hosts[i] = "example.com"
				}
				c := sharedCrew(t, hosts)
				c.CrawlAll(crawl, workers)
				pages := c.Pages(0, crawl)
				most := max(6, processes)
				assert.LessOrEqual(t, conduct.MostUnderWay(c.Pages(2*time.Second, crawl), sharedTakes), most, "%d processes of %d", processes, workers)
				fill := min(most, processes*workers)
				assert.GreaterOrEqual(t, float64(len(pages)), 0.9*float64(fill)*float64(crawl/sharedTakes), "%d processes of %d: pages", processes, workers)
			})
		}
	}
}

// A process with a site of its own has the whole ceiling there.
func TestFleetAtSitesOfTheirOwnHasTheWholeCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const crawl = 30 * time.Second
		var hosts []string
		for i := range 8 {
			hosts = append(hosts, fmt.Sprintf("s%d.example", i))
		}
		c := sharedCrew(t, hosts)
		ctx, cancel := context.WithTimeout(t.Context(), crawl)
		defer cancel()
		for i, m := range c.Members {
			m.Crawl(ctx, 16, hosts[i])
		}
		c.Under.Wait()
		for _, host := range hosts {
			pages := c.Pages(0, crawl).At(host)
			assert.Equal(t, 6, conduct.MostUnderWay(pages, sharedTakes), host)
			assert.GreaterOrEqual(t, len(pages), int(crawl/sharedTakes)*6*9/10, host)
		}
	})
}

// Those who stay have the shares of those who leave: at once if they say so, and else a minute later. Those who come
// get theirs.
func TestFleetSharesTheCeilingOfThoseWhoLeave(t *testing.T) {
	for _, says := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			hosts := []string{"example.com", "example.com", "example.com", "example.com"}
			c := sharedCrew(t, hosts)
			for _, page := range []string{"/4", "/5"} {
				c.Web.Page("example.com", page, origintest.Delay(sharedTakes, origintest.Text("a page\n")))
			}
			ctx, cancel := context.WithCancel(t.Context())
			some, leave := context.WithCancel(ctx)
			for i, m := range c.Members {
				m.Crawl([]context.Context{ctx, ctx, some, some}[i], 16, "example.com")
			}
			time.Sleep(20 * time.Second)
			leave()
			for _, m := range c.Members[2:] {
				if says {
					m.Tr.CloseIdleConnections()
				} else {
					m.Leave()
				}
			}
			left := time.Since(c.Began)
			time.Sleep(90 * time.Second)
			joined := time.Since(c.Began)
			for range 2 {
				c.Join(plain).Crawl(ctx, 16, "example.com")
			}
			time.Sleep(20 * time.Second)
			cancel()
			c.Under.Wait()
			whole := left + 2*time.Second
			if !says {
				whole = left + 63*time.Second
			}
			pages := c.Pages(whole, whole+10*time.Second)
			assert.GreaterOrEqual(t, len(pages), 6*20*9/10, "pages of those who stay, they say so %v", says)
			for _, from := range []time.Duration{2 * time.Second, left + time.Second, joined + 2*time.Second} {
				pages := c.Pages(from, from+15*time.Second)
				assert.LessOrEqual(t, conduct.MostUnderWay(pages, sharedTakes), 6, "under way from %v on, they say so %v", from, says)
			}
		})
	}
}
