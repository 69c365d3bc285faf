package conduct_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

// What a group bears is told as what a site bears, and says so.
func TestGroupLimitIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newCrew(t)
		machine := &limiter{every: time.Second / 5}
		var mu sync.Mutex
		var found []polite.Limit
		tr := c.join(alone, byLetter, func(tr *polite.Transport) {
			tr.Trace.Limited = func(l polite.Limit) {
				mu.Lock()
				defer mu.Unlock()
				found = append(found, l)
			}
		}).tr
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		for i := range 30 {
			host := fmt.Sprintf("a%d.example.com", i)
			c.web.Page(host, "/0", machine.ServeHTTP)
			c.members[0].crawl(ctx, 1, host)
		}
		c.under.Wait()
		ofGroup := slices.DeleteFunc(slices.Clone(found), func(l polite.Limit) bool { return !l.Group })
		require.NotEmpty(t, ofGroup)
		assert.Equal(t, polite.TroubleBusy, ofGroup[0].Trouble)
		assert.Contains(t, ofGroup[0].String(), "the group of the site is busy")
		d, err := tr.Check(t.Context(), mustParse(t, "http://a30.example.com/"))
		require.NoError(t, err)
		assert.True(t, d.Limit.Group, "%+v", d.Limit)
		assert.Greater(t, d.Limit.Gap, 100*time.Millisecond)
	})
}
