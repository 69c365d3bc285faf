package limit

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
)

// judgedPages is the number of pages in which a limit is to be found.
const judgedPages = 3000

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
