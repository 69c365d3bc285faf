package fleet

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// A burstLimiter lets a page through every so often, and a burst of them at once.
type burstLimiter struct {
	every time.Duration
	burst int

	mu   sync.Mutex
	next time.Time // of the next page if there were no burst
}

func (l *burstLimiter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.next.Sub(now) > time.Duration(l.burst)*l.every {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	if l.next.Before(now) {
		l.next = now
	}
	l.next = l.next.Add(l.every)
}

// A fleet finds a limit that lets a burst through, of which the burst tells nothing.
func TestFleetFindsALimitWithABurst(t *testing.T) {
	long.NotShort(t)
	const rate, crawl = 5, 10 * time.Minute
	allowed := rate * crawl.Seconds()
	for _, size := range fleetSizes {
		t.Run(fmt.Sprintf("%d×%d", size[0], size[1]), func(t *testing.T) {
			site := func() http.Handler { return &burstLimiter{every: time.Second / rate, burst: 10} }
			good, bad := search{site, crawl, size[0], size[1]}.pages(t)
			t.Logf("%.1f%% of the limit; %d refused", 100*float64(good)/allowed, bad)
			assert.GreaterOrEqual(t, float64(good), leastShare(size[0])*allowed)
			assert.LessOrEqual(t, float64(bad), 0.015*float64(good+bad))
		})
	}
}

// A windowLimiter lets so many pages through in each period.
type windowLimiter struct {
	most   int
	period time.Duration

	mu    sync.Mutex
	since time.Time
	used  int
}

func (l *windowLimiter) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if period := time.Now().Truncate(l.period); !period.Equal(l.since) {
		l.since, l.used = period, 0
	}
	if l.used++; l.used > l.most {
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

// A fleet keeps to a limit that is told in windows: each begins with a burst, and ends with refusals.
func TestFleetAtWindows(t *testing.T) {
	long.NotShort(t)
	const crawl = 10 * time.Minute
	const allowed = 5 * float64(crawl/time.Second)
	for _, size := range [][2]int{{1, 16}, {2, 16}, {3, 16}, {8, 4}} {
		t.Run(fmt.Sprintf("%d×%d", size[0], size[1]), func(t *testing.T) {
			site := func() http.Handler {
				return origintest.Delay(30*time.Millisecond, (&windowLimiter{most: 50, period: 10 * time.Second}).ServeHTTP)
			}
			good, bad := search{site, crawl, size[0], size[1]}.pages(t)
			t.Logf("%.1f%% of the limit; %d refused", 100*float64(good)/allowed, bad)
			assert.GreaterOrEqual(t, float64(good), 0.9*allowed)
		})
	}
}

// Of a limit of many pages a second, a fleet gets most also in the time of 3,000 pages, of which
// it takes a minute to find it. With more processes it takes longer, since each has a start only
// after those of all others.
func TestFleetFindsALimitSoon(t *testing.T) {
	long.NotShort(t)
	const rate, crawl = 20, 190 * time.Second
	allowed := rate * crawl.Seconds()
	for _, test := range []struct {
		processes, workers int
		share              float64
	}{{3, 16, 0.79}, {8, 4, 0.75}} {
		t.Run(fmt.Sprintf("%d×%d", test.processes, test.workers), func(t *testing.T) {
			site := func() http.Handler { return &burstLimiter{every: time.Second / rate} }
			good, bad := search{site, crawl, test.processes, test.workers}.pages(t)
			t.Logf("%.1f%% of the limit; %d refused", 100*float64(good)/allowed, bad)
			assert.GreaterOrEqual(t, float64(good), test.share*allowed)
			assert.LessOrEqual(t, float64(bad), 0.015*float64(good+bad))
		})
	}
}

// A site that bans with 429 gives a fleet a fifth of what it allows by the time that 3,000 pages are
// there: the ban lasts for ten minutes, and for three times as long a third of the speed holds.
func TestFleetAtABanByTooManyRequests(t *testing.T) {
	long.NotShort(t)
	const pages, most, within = 3000, 300, 30 * time.Second
	const crawl = 5 * pages / most * within
	for _, size := range fleetSizes {
		t.Run(fmt.Sprintf("%d×%d", size[0], size[1]), func(t *testing.T) {
			site := &ban{status: http.StatusTooManyRequests, most: most, within: within, lasts: 10 * time.Minute}
			answers := origintest.Delay(30*time.Millisecond, site.ServeHTTP)
			good, bad := search{func() http.Handler { return answers }, crawl, size[0], size[1]}.pages(t)
			t.Logf("%d pages; %d refused in %d bans", good, bad, site.bans)
			assert.Equal(t, 1, site.bans)
			assert.GreaterOrEqual(t, good, pages)
			assert.LessOrEqual(t, float64(bad), 0.02*float64(good+bad))
		})
	}
}
