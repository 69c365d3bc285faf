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

// urlsRefused are how many workers ask, and for which of each so many pages.
var urlsRefused = []struct{ workers, each int }{{1, 8}, {4, 8}, {1, 50}, {4, 50}, {1, 200}, {4, 200}, {16, 8}, {16, 50}, {16, 200}}

// A URL that is always refused is no limit of the site, also if it is asked for often, or by one
// worker alone.
func TestMannersOneURLThatIsAlwaysRefused(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		for _, tt := range urlsRefused[:long.Or(5, len(urlsRefused))] {
			t.Run(fmt.Sprintf("%d, %d workers, each %d", status, tt.workers, tt.each), func(t *testing.T) {
				crawl := judgedCrawl{
					site: judgedBroken(map[string]conduct.Reply{"c": judgedStatus(status)}), parts: []string{"a", "c"},
					path: func(n int) string {
						if n%tt.each == 0 {
							return "/c/page"
						}
						return fmt.Sprint("/a/page?n=", n)
					},
					workers: tt.workers, long: long.Or(time.Minute, 3*time.Minute),
				}
				saw := crawl.run(t)
				all := float64(tt.workers) * crawl.long.Seconds() / judgedUsual.Takes.Seconds()
				good := all * float64(tt.each-1) / float64(tt.each)
				t.Logf("%d pages, %.0f without breaks; %d refused", saw.good, good, saw.bad)
				assert.GreaterOrEqual(t, float64(saw.good), 0.8*good)
			})
		}
	}
}
