package conduct_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/long"
)

// A limit is found as soon where many wait, as where few do: a gap that becomes shorter holds
// for those who wait already.
func TestMannersLimitsOfAQueue(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{5, 20} {
		for _, workers := range long.Or([]int{200}, []int{64, 200, 1000}) {
			t.Run(fmt.Sprintf("%v a second, %d workers", rate, workers), func(t *testing.T) {
				saw := judgedCrawl{site: judgedBucket(judgedRate(rate), 0), workers: workers, pages: judgedPages, long: 10 * time.Hour}.run(t)
				t.Logf("%d requests in the first minute", saw.between(0, time.Minute))
				judgeLimit(t, saw, time.Duration(judgedPages/rate*float64(time.Second)), 0.75, 0.01)
			})
		}
	}
}
