package fleet

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A search is a fleet, or one process, that finds what a site bears.
type search struct {
	site               func() http.Handler
	long               time.Duration
	processes, workers int
}

// pages returns how many pages the site has served, and how many it has refused.
func (s search) pages(t *testing.T) (good, bad int) {
	var served, refused atomic.Int64
	synctest.Test(t, func(t *testing.T) {
		c := conduct.NewCrew(t)
		site := s.site()
		for i := range s.processes {
			c.Web.Page("example.com", fmt.Sprint("/", i), func(w http.ResponseWriter, r *http.Request) {
				answer := &noted{ResponseWriter: w}
				if site.ServeHTTP(answer, r); answer.status >= 400 {
					refused.Add(1)
				} else {
					served.Add(1)
				}
			})
		}
		c.Joins(s.processes)
		c.CrawlAll(s.long, s.workers)
	})
	return int(served.Load()), int(refused.Load())
}

var fleetSizes = [][2]int{{8, 4}, {3, 16}}

// manySizes are those of fleets in which the starts of others take long.
var manySizes = [][2]int{{2, 64}, {16, 2}, {50, 1}}

// A fleet finds the limit of a site together. Nobody tells it how many processes it has.
func TestFleetFindsALimit(t *testing.T) {
	t.Parallel()
	const crawl = 10 * time.Minute
	for _, takes := range []time.Duration{0, 50 * time.Millisecond}[:long.Or(1, 2)] {
		for _, rate := range slices.Concat(long.Last(5, 1), long.Or(nil, []int{20})) {
			site := func() http.Handler {
				return origintest.Delay(takes, (&limiter{every: time.Second / time.Duration(rate)}).ServeHTTP)
			}
			allowed := float64(rate * int(crawl/time.Second))
			for _, size := range slices.Concat(long.Last(fleetSizes...), long.Or(nil, slices.Concat([][2]int{{1, 16}}, manySizes))) {
				t.Run(fmt.Sprintf("%d a second, pages take %v, %d×%d", rate, takes, size[0], size[1]), func(t *testing.T) {
					good, bad := search{site, crawl, size[0], size[1]}.pages(t)
					t.Logf("%.1f%% of the limit; %d refused", 100*float64(good)/allowed, bad)
					assert.GreaterOrEqual(t, float64(good), leastShare(size[0])*allowed)
					assert.LessOrEqual(t, float64(bad), 0.015*float64(good+bad)+float64(atFirst(size, takes)))
				})
			}
		}
	}
}

// leastShare is which part of a limit a fleet of so many processes gets at least in ten minutes. The
// more there are, the longer it takes until all know it.
func leastShare(processes int) float64 {
	switch {
	case processes > 16:
		return 0.8
	case processes > 8:
		return 0.84
	case processes > 1:
		return 0.885
	default:
		return 0.9
	}
}

// atFirst is how many pages are refused at once, before anybody knows of a limit. If they take a
// while, each process has two under way.
func atFirst(size [2]int, takes time.Duration) int {
	if takes == 0 {
		return 3
	}
	return 3 + size[0]*min(size[1], 2)
}

// A process that joins a fleet, or has heard nothing for a while, learns what the others have
// learned, and not by refusals of its own.
func TestFleetTeachesWhoComesLater(t *testing.T) {
	for name, late := range map[string]func(*conduct.Crew) *conduct.Member{
		"joins":    func(c *conduct.Crew) *conduct.Member { return c.Join() },
		"was away": func(c *conduct.Crew) *conduct.Member { c.Members[1].ComeBack(); return c.Members[1] },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, site := conduct.NewCrew(t), &limiter{every: 200 * time.Millisecond}
				c.Web.Page("example.com", "/0", site.ServeHTTP)
				c.Joins(2)
				c.Members[1].Leave()
				ctx, cancel := context.WithCancel(t.Context())
				c.Members[0].Crawl(ctx, 16, "example.com")
				time.Sleep(2 * time.Minute)
				cancel()
				c.Under.Wait()
				m := late(c)
				require.NoError(t, conduct.Visit(t.Context(), conduct.Client(m.Tr), "http://example.com/other")) // it begins to listen
				time.Sleep(time.Second)
				u, err := url.Parse("http://example.com/other")
				require.NoError(t, err)
				decision, err := m.Tr.Check(t.Context(), u)
				require.NoError(t, err)
				assert.InDelta(t, 0.2, decision.Gap.Seconds(), 0.06)
			})
		})
	}
}

// over lets a fleet crawl until some time after the fall. It returns how long after the fall four fifths
// of the usual pages come in ten seconds.
func (f fall) over(t *testing.T, size [2]int, more time.Duration) (again time.Duration) {
	var mu sync.Mutex
	var began time.Time
	var recent []time.Time
	again = more
	site := f.site()
	pages := func(w http.ResponseWriter, r *http.Request) {
		answer := &noted{ResponseWriter: w}
		site.ServeHTTP(answer, r)
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if began.IsZero() {
			began = now
		}
		if answer.status >= 400 {
			return
		}
		recent = slices.DeleteFunc(append(recent, now), func(at time.Time) bool { return now.Sub(at) > 10*time.Second })
		if past := now.Sub(began) - f.from - f.lasts; past >= 0 && len(recent) >= 8*usualRate {
			again = min(again, past)
		}
	}
	search{func() http.Handler { return http.HandlerFunc(pages) }, f.from + f.lasts + more, size[0], size[1]}.pages(t)
	return again
}

// A fleet notices soon that a limit is gone which it has kept to for some minutes: within three minutes and a
// half, or one and a half times as long as one process.
func TestFleetNoticesThatALimitIsLifted(t *testing.T) {
	long.NotShort(t)
	lifted := fall{4 * time.Minute, 4 * time.Minute, 1}
	var one time.Duration
	t.Run("1×16", func(t *testing.T) {
		one = lifted.over(t, [2]int{1, 16}, 7*time.Minute)
		t.Log(one)
	})
	for _, size := range fleetSizes {
		t.Run(fmt.Sprintf("%d×%d", size[0], size[1]), func(t *testing.T) {
			took := lifted.over(t, size, 7*time.Minute)
			t.Logf("%v, and %v with one process", took, one)
			assert.LessOrEqual(t, took, max(one*3/2, 210*time.Second))
		})
	}
}
