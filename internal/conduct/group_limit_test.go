package conduct_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
)

// byLetter puts sites into a group of which only the key is known.
func byLetter(tr *polite.Transport) { tr.Pace.Group = &polite.Group{Key: firstLetter} }

// A machine with many sites refuses what is more than it bears, from all of them together. polite
// finds this limit, with one process and with several.
func TestGroupFindsALimit(t *testing.T) {
	const origins, long = 100, 10 * time.Minute
	for _, rate := range []int{5, 20} {
		for _, processes := range []int{1, 3} {
			t.Run(fmt.Sprintf("%d a second, %d processes", rate, processes), func(t *testing.T) {
				var served, refused atomic.Int64
				synctest.Test(t, func(t *testing.T) {
					c := newCrew(t)
					machine := &limiter{every: time.Second / time.Duration(rate)}
					answer := func(w http.ResponseWriter, r *http.Request) {
						answer := &noted{ResponseWriter: w}
						if machine.ServeHTTP(answer, r); answer.status >= 400 {
							refused.Add(1)
						} else {
							served.Add(1)
						}
					}
					for i := range origins {
						for m := range processes {
							c.web.Page(fmt.Sprintf("a%d.example.com", i), fmt.Sprint("/", m), answer)
						}
					}
					c.joins(processes, byLetter)
					ctx, cancel := context.WithTimeout(t.Context(), long)
					defer cancel()
					for i := range origins {
						for _, m := range c.members {
							m.crawl(ctx, 1, fmt.Sprintf("a%d.example.com", i))
						}
					}
					c.under.Wait()
				})
				good, bad := float64(served.Load()), float64(refused.Load())
				share := good / (float64(rate) * long.Seconds())
				t.Logf("%.1f%% of the limit; %.0f refused, %.1f%%", 100*share, bad, 100*bad/(good+bad))
				assert.GreaterOrEqual(t, share, 0.79)
			})
		}
	}
}
