package group

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
)

// wellOf returns how many pages of the healthy origins come if no other is sick.
func wellOf(t *testing.T, well groupCrawl, healthy func(i int) bool) int {
	_, good := well.run(t).count(0, well.long, healthy)
	return good
}

// groupLoss returns how much fewer pages of the healthy origins came if others are sick.
func groupLoss(t *testing.T, before int, ill groupCrawl, healthy func(i int) bool) float64 {
	t.Helper()
	saw := ill.run(t)
	_, after := saw.count(0, ill.long, healthy)
	sick, _ := saw.count(0, ill.long, func(i int) bool { return !healthy(i) })
	loss := 1 - float64(after)/float64(before)
	t.Logf("%d pages of the healthy and %d without the sick: %.1f%% lost; %d requests to the sick", after, before, 100*loss, sick)
	return loss
}

// A tenth of the sites are sick. The others lose little: in a crawl with a queue for each site, and in
// one of a pool that takes them in random order.
func TestMannersOfAGroupWithATenthSick(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	healthy := func(i int) bool { return i%10 != 3 }
	for _, way := range []struct {
		name          string
		workers, pool int
		maxWait, long time.Duration
	}{
		{"a queue for each", 1, 0, 0, long.Or(20*time.Second, time.Minute)},
		{"a pool", 0, long.Or(10, 50), time.Second, time.Minute}, // what hangs holds a worker for 5 s at first
	} {
		well := groupCrawl{origins: long.Or(20, 100), site: groupWell, workers: way.workers, pool: way.pool, maxWait: way.maxWait, long: way.long}
		before := wellOf(t, well, healthy)
		for name, sickness := range groupSicknesses {
			t.Run(way.name+", "+name, func(t *testing.T) {
				ill := sickness.strike(well, func(_ time.Duration, i int) bool { return !healthy(i) })
				assert.LessOrEqual(t, groupLoss(t, before, ill, healthy), 0.1)
			})
		}
	}
}

// A third of the sites have limits of their own. The others lose little.
func TestMannersOfAGroupWithLimitsOfSites(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	healthy := func(i int) bool { return i%3 != 0 }
	well := groupCrawl{origins: long.Or(24, 60), site: groupWell, workers: 2, long: long.Or(20*time.Second, 10*time.Minute)}
	before := wellOf(t, well, healthy)
	for _, rate := range []float64{1, 2} {
		for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
			t.Run(fmt.Sprintf("%v a second, %d", rate, status), func(t *testing.T) {
				own, ill := make(map[int]groupSite), well
				ill.site = func(now time.Duration, i int) conduct.Reply {
					if healthy(i) {
						return groupWell(now, i)
					}
					if own[i] == nil {
						own[i] = groupLimit(rate, 0, status)
					}
					return own[i](now, i)
				}
				assert.LessOrEqual(t, groupLoss(t, before, ill, healthy), 0.1)
			})
		}
	}
}

// Healthy sites of very different speed are fetched as quickly as by a client that has six requests at most
// under way to a site, and no other manners.
func TestMannersOfAHealthyGroup(t *testing.T) {
	long.NotShort(t)
	t.Parallel()
	speeds := []time.Duration{5, 20, 50, 100, 200, 400, 800}
	for _, pool := range long.Or([]int{16, 64}, []int{16, 200}) {
		t.Run(fmt.Sprint(pool), func(t *testing.T) {
			c := groupCrawl{origins: 70, pool: pool, long: long.Or(15*time.Second, 5*time.Minute)}
			c.site = func(_ time.Duration, i int) conduct.Reply {
				return conduct.Reply{Takes: speeds[i%len(speeds)] * time.Millisecond}
			}
			with := c.run(t)
			c.pace.Backoff.Off, c.pace.Concurrency = true, 6
			without := c.run(t)
			const ramp = 5 * time.Second
			on, _ := with.count(ramp, c.long, all)
			off, _ := without.count(ramp, c.long, all)
			share := float64(on) / float64(off)
			first, firstOff := with.upTo(ramp), without.upTo(ramp)
			lost := (float64(firstOff-first) / float64(firstOff)) * ramp.Seconds()
			t.Logf("%d pages, %d without a backoff: %.1f%%; the start costs %.2f s", on, off, 100*share, lost)
			assert.LessOrEqual(t, lost, 1.5, "seconds")
			assert.GreaterOrEqual(t, share, 0.97)
		})
	}
}
