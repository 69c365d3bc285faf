package group

import (
	"fmt"
	"net/http"
	"runtime"
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

// Without a backoff, nothing of it happens.
func TestMannersOfAGroupWithoutABackoff(t *testing.T) {
	long.NotShort(t)
	for _, name := range []string{"503", "refuses"} {
		well := groupCrawl{origins: 20, site: groupWell, workers: 1, long: 20 * time.Second, pace: polite.Pace{Backoff: polite.Backoff{Off: true}}}
		saw := groupSicknesses[name].strike(well, func(time.Duration, int) bool { return true }).run(t)
		n, _ := saw.count(0, well.long, all)
		t.Logf("%s: %d requests", name, n)
		assert.GreaterOrEqual(t, n, 380, name)
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

// groupAttacks are what one site of a machine answers, in turn.
var groupAttacks = map[string][]conduct.Reply{
	"in turn":           {{}, {Status: 429}, {Status: 503}, {Status: statusReset}, {Status: 500}},
	"mostly good":       {{}, {}, {}, {}, {}, {}, {}, {}, {}, {Status: 429}},
	"far away":          {{Status: 429, Header: []string{"Retry-After", "86400"}}},
	"no quota":          {{Header: []string{"RateLimit-Limit", "1", "RateLimit-Remaining", "0", "RateLimit-Reset", "86400"}}},
	"a quota below 0":   {{Header: []string{"RateLimit-Limit", "-1", "RateLimit-Remaining", "-9223372036854775808", "RateLimit-Reset", "99999999999999999999"}}},
	"another quota":     {{Header: []string{"X-RateLimit-Limit", "1e308", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "9223372036854775807"}}},
	"a structured one":  {{Header: []string{"RateLimit", `"a";r=0;t=999999999`, "RateLimit-Policy", `"a";q=1;w=999999999`}}},
	"quick, then slow":  {{Takes: 10 * time.Millisecond}, {Takes: 10 * time.Millisecond}, {Takes: 4 * time.Second}},
	"always very quick": {{Takes: 10 * time.Millisecond}},
}

// What one site answers, whatever it is, stops no other.
func TestMannersOfAGroupUnderAttack(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	healthy := func(i int) bool { return i != 7 }
	well := groupCrawl{origins: long.Or(20, 50), site: groupWell, workers: long.Or(1, 2), long: long.Or(20*time.Second, time.Minute)}
	before := wellOf(t, well, healthy)
	for name, script := range groupAttacks {
		t.Run(name, func(t *testing.T) {
			ill, n := well, 0
			ill.site = func(now time.Duration, i int) conduct.Reply {
				if healthy(i) {
					return groupWell(now, i)
				}
				n++
				reply := script[n%len(script)]
				if reply.Takes == 0 {
					reply.Takes = 20 * time.Millisecond
				}
				return reply
			}
			assert.LessOrEqual(t, groupLoss(t, before, ill, healthy), 0.03)
		})
	}
}

// Ten thousand names of one machine need hardly more memory than without a Group.
func TestMannersOfAGroupOfManyNames(t *testing.T) {
	long.NotShort(t)
	names := long.Or(3_000, 10_000)
	use := func(noGroup bool) float64 {
		c := groupCrawl{origins: names, pool: 16, noGroup: noGroup, long: 5 * time.Second}
		c.site = func(time.Duration, int) conduct.Reply { return conduct.Reply{} }
		c.refuses = func(time.Duration, int) bool { return false } // no connection is kept
		var before, after runtime.MemStats
		c.ended = func() {
			runtime.GC()
			runtime.ReadMemStats(&after)
		}
		runtime.GC()
		runtime.ReadMemStats(&before)
		c.run(t)
		return (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / float64(names)
	}
	grouped, without := use(false), use(true)
	t.Logf("%.0f octets for each name in a group, %.0f without", grouped, without)
	assert.LessOrEqual(t, grouped, without+1024)
}
