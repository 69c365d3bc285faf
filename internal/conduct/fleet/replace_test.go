package fleet

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/stretchr/testify/assert"
)

// A process that is killed costs the fleet the start that it has reserved, and no more. A process that comes
// goes on at the rate that the others have found.
func TestFleetWhoseProcessesAreReplaced(t *testing.T) {
	const every, times = 15 * time.Second, 16
	for _, test := range []struct {
		name     string
		gap      time.Duration // that the site asks for
		limit    time.Duration // between two pages, that the site does not tell
		costs    int           // pages, for each that is replaced
		refusals int64         // at most
	}{
		{"a gap of 1s", time.Second, 0, 1, 0},
		{"a gap of 5s", 5 * time.Second, 0, 1, 0},
		{"a limit of one a second", 0, time.Second, 2, 10},
	} {
		t.Run(test.name, func(t *testing.T) {
			crawl := func(replaced bool) (pages int) {
				synctest.Test(t, func(t *testing.T) {
					c := conduct.NewCrew(t)
					site := &limiter{every: test.limit}
					var served, refused atomic.Int64
					for i := range 8 + times {
						c.Web.Page("example.com", fmt.Sprint("/", i), func(w http.ResponseWriter, r *http.Request) {
							answer := &noted{ResponseWriter: w}
							if site.ServeHTTP(answer, r); answer.status >= 400 {
								refused.Add(1)
							} else {
								served.Add(1)
							}
						})
					}
					var kill []context.CancelFunc
					join := func() {
						m := c.Join(func(tr *polite.Transport) { tr.Pace.MinDelay = test.gap })
						ctx, end := context.WithCancel(t.Context())
						kill = append(kill, func() { m.Leave(); end() })
						m.Crawl(ctx, 2, "example.com")
					}
					for range 8 {
						join()
					}
					time.Sleep(time.Minute) // on the bubble's clock
					before := served.Load()
					for i := range times {
						time.Sleep(every) // on the bubble's clock
						if replaced {
							kill[i]()
							join()
						}
					}
					pages = int(served.Load() - before)
					assert.LessOrEqual(t, refused.Load(), test.refusals)
					for _, end := range kill {
						end()
					}
					c.Under.Wait()
				})
				return pages
			}
			before, after := crawl(false), crawl(true)
			t.Logf("%d of %d pages", after, before)
			assert.GreaterOrEqual(t, after, before-times*test.costs)
		})
	}
}
