package limit

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/long"
	"github.com/stretchr/testify/assert"
)

// judgedPages is the number of pages in which a limit is to be found.
const judgedPages = 3000

// A limit is found from its refusals, and most of it is used. The bound leaves some room, since
// breaks have a random part.
func TestMannersLimits(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	for _, rate := range long.Or([]float64{1, 20}, []float64{1, 5, 20}) { // 5 by a model, in internal/manners
		for _, burst := range []float64{0, 10} {
			workersOf := []int{16}
			if rate == 20 {
				workersOf = []int{1, 16}
			}
			for _, workers := range long.Or(workersOf, []int{1, 4, 16}) {
				t.Run(fmt.Sprintf("%v a second, burst %v, %d workers", rate, burst, workers), func(t *testing.T) {
					saw := judgedCrawl{site: conduct.Bucket(conduct.Steady(rate), burst), workers: workers, pages: judgedPages, long: 10 * time.Hour}.run(t)
					judgeLimit(t, saw, time.Duration(judgedPages/rate*float64(time.Second)), 0.75, 0.01)
				})
			}
		}
	}
}

// A limit that is lowered for a minute is found again.
func TestMannersALimitThatDrops(t *testing.T) {
	rate := func(now time.Duration) float64 {
		if now >= time.Minute && now < 2*time.Minute {
			return 2
		}
		return 20
	}
	saw := judgedCrawl{site: conduct.Bucket(rate, 0), workers: 16, pages: judgedPages, long: 10 * time.Hour}.run(t)
	judgeLimit(t, saw, 204*time.Second, 0.25, 0.01)
}

// A network that bans who sends more than 300 requests in 30 seconds, for ten minutes.
func TestMannersABan(t *testing.T) {
	for _, status := range []int{http.StatusForbidden, http.StatusTooManyRequests} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			var recent []time.Duration
			var until time.Duration
			site := func(now time.Duration, _ string) conduct.Reply {
				for len(recent) > 0 && now-recent[0] >= 30*time.Second {
					recent = recent[1:]
				}
				if recent = append(recent, now); len(recent) > 300 && now >= until {
					until = now + 10*time.Minute
				}
				if now < until {
					return conduct.Reply{Status: status}
				}
				return conduct.Reply{}
			}
			saw := judgedCrawl{site: site, workers: 16, pages: judgedPages, long: 10 * time.Hour}.run(t)
			judgeLimit(t, saw, judgedPages/10*time.Second, map[int]float64{403: 0.24, 429: 0.20}[status], 0.02)
		})
	}
}

// An incident costs one bad answer beside those that were under way: in the break of a second
// and more that follows a bad answer, nothing arrives, and then one request alone.
func TestMannersABreakAfterEachBadAnswer(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		for _, after := range []string{"", "0", "soon", "-5", "NaN"} {
			t.Run(fmt.Sprintf("%d, Retry-After %q", status, after), func(t *testing.T) {
				reply := conduct.Reply{Status: status}
				if reply.Header = []string{"RateLimit", `"a";r=1000000;t=1`}; after != "" { // which promises too much
					reply.Header = append(reply.Header, "Retry-After", after)
				}
				saw := judgedCrawl{site: func(time.Duration, string) conduct.Reply { return reply }, workers: 16, again: 10 * time.Second, long: 30 * time.Minute}.run(t)
				first := saw.arrivals[0].answered
				assert.LessOrEqual(t, saw.between(0, first), 3, "under way at first")
				assert.Zero(t, saw.between(first, first+time.Second), "in the first break")
				var probes []judgedArrival
				for _, a := range saw.arrivals {
					if a.at >= first {
						probes = append(probes, a)
					}
				}
				least, longest := time.Second, time.Duration(0)
				for i := 1; i < len(probes); i++ {
					gap := probes[i].at - probes[i-1].answered
					assert.GreaterOrEqual(t, gap, least, "break %d", i)
					least = min(2*least, 5*time.Minute)
					longest = max(longest, gap)
				}
				assert.LessOrEqual(t, longest, 330*time.Second)
				assert.GreaterOrEqual(t, len(probes), 8, "asked again in half an hour")
			})
		}
	}
}

// A way to the site takes up to so long, at random, as on the internet or from a busy machine.
// A limit without a burst is used all the same.
func TestMannersLimitsBehindAWayThatShakes(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	for _, rate := range []float64{1, 5, 20} {
		for _, shakes := range long.Or([]time.Duration{30}, []time.Duration{2, 30}) {
			t.Run(fmt.Sprintf("%v a second, %d ms", rate, shakes), func(t *testing.T) {
				saw := judgedCrawl{site: conduct.Bucket(conduct.Steady(rate), 0), shakes: shakes * time.Millisecond, workers: 16, pages: judgedPages, long: 10 * time.Hour}.run(t)
				// As many as if each gap were longer by half of what the way may take.
				best := 1 / (1/rate + (shakes*time.Millisecond).Seconds()/2)
				judgeLimit(t, saw, time.Duration(judgedPages/best*float64(time.Second)), 0.5, 0.02)
			})
		}
	}
}

// A limit is found as soon where many wait, as where few do: a gap that becomes shorter holds
// for those who wait already.
func TestMannersLimitsOfAQueue(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	for _, rate := range []float64{5, 20} {
		for _, workers := range long.Or([]int{200}, []int{64, 200, 1000}) {
			t.Run(fmt.Sprintf("%v a second, %d workers", rate, workers), func(t *testing.T) {
				saw := judgedCrawl{site: conduct.Bucket(conduct.Steady(rate), 0), workers: workers, pages: judgedPages, long: 10 * time.Hour}.run(t)
				t.Logf("%d requests in the first minute", saw.between(0, time.Minute))
				judgeLimit(t, saw, time.Duration(judgedPages/rate*float64(time.Second)), 0.75, 0.01)
			})
		}
	}
}
