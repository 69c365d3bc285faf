package group

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
)

// A machine that is down for two minutes gets few requests, all its sites together, and is quick again
// within the length of the outage.
func TestMannersOfAGroupThatIsDown(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	slow := func(time.Duration, int) conduct.Reply { return conduct.Reply{Takes: time.Second} }
	down := func(now time.Duration, _ int) bool { return now >= conduct.DownFrom && now < conduct.DownTo }
	for _, processes := range []int{1, 3} {
		for _, name := range []string{"hangs", "503", "refuses"}[:long.Or(4-processes, 3)] {
			t.Run(fmt.Sprintf("%s, %d processes", name, processes), func(t *testing.T) {
				well := groupCrawl{origins: 48, site: slow, pool: 16, processes: processes, long: conduct.DownTo + 3*time.Minute}
				saw := groupSicknesses[name].strike(well, down).run(t)
				during, _ := saw.count(conduct.DownFrom+500*time.Millisecond, conduct.DownTo, all)
				at, _ := saw.count(conduct.DownFrom, conduct.DownFrom+500*time.Millisecond, all)
				var minutes []int
				for i := range time.Duration(3) {
					_, good := saw.count(conduct.DownTo+i*time.Minute, conduct.DownTo+(i+1)*time.Minute, all)
					minutes = append(minutes, good)
				}
				full := 16 * processes * 60
				t.Logf("%d requests while it was down, after %d at its begin; good ones in each minute after: %v of %d", during, at, minutes, full)
				assert.LessOrEqual(t, during, 30*processes)
				assert.Greater(t, minutes[2], full*9/10)
			})
		}
	}
}

// Gaps and limits of the user hold, in both lanes, also at a machine that refuses and at sites that are
// sick. Requests for robots.txt have their turns.
func TestMannersOfAGroupWithSettings(t *testing.T) {
	const gap, own = 100 * time.Millisecond, time.Second
	for _, processes := range []int{1, 3} {
		for _, robots := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d processes, robots.txt too: %v", processes, robots), func(t *testing.T) {
				limit := groupLimit(7, 0, http.StatusTooManyRequests)
				c := groupCrawl{origins: 20, workers: 1, processes: processes, robots: robots, long: 2 * time.Minute}
				c.site = func(now time.Duration, i int) conduct.Reply {
					if i == 3 {
						return conduct.Reply{Status: http.StatusServiceUnavailable, Takes: 900 * time.Millisecond}
					}
					reply := limit(now, i)
					reply.Takes = 900 * time.Millisecond
					return reply
				}
				c.pace = polite.Pace{MinDelay: own, Group: &polite.Group{Key: firstLetter, MinDelay: gap, Concurrency: 4}}
				saw := c.run(t)
				assert.Empty(t, conduct.TooClose(saw.log, gap), "of the machine")
				for i := range c.origins {
					assert.Empty(t, conduct.TooClose(saw.log.At(groupHost(i)).Pages(), own), "of a site")
				}
				assert.LessOrEqual(t, conduct.MostUnderWay(saw.log.Pages(), 900*time.Millisecond), 4)
				last, _ := saw.count(time.Minute, c.long, all)
				t.Logf("%d requests, %d of them in the second minute", len(saw.log), last)
				assert.Greater(t, len(saw.log), 300)
			})
		}
	}
}
