package fleet

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
)

// A fleet finds a limit that lets a burst through, of which the burst tells nothing.
func TestFleetFindsALimitWithABurst(t *testing.T) {
	long.NotShort(t)
	const rate, crawl = 5, 10 * time.Minute
	allowed := rate * crawl.Seconds()
	for _, size := range fleetSizes {
		t.Run(fmt.Sprintf("%d×%d", size[0], size[1]), func(t *testing.T) {
			site := func() http.Handler { return &limiter{every: time.Second / rate, burst: 10} }
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
