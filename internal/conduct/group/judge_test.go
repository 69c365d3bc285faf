package group

import (
	"testing"
	"time"

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
