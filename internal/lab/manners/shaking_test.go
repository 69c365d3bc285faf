package manners

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// shakes is a way that takes longer by up to so much.
func shakes(most time.Duration) func(*rand.Rand) time.Duration {
	return func(chance *rand.Rand) time.Duration { return oneWay + time.Duration(chance.Int64N(int64(most))) }
}

// stalls is the way of a busy machine: longer by a millisecond or so, and for a part of the requests
// and answers by up to so much.
func stalls(part float64, most time.Duration) func(*rand.Rand) time.Duration {
	return func(chance *rand.Rand) time.Duration {
		longer := time.Duration(min(chance.ExpFloat64(), 4) * float64(time.Millisecond))
		if chance.Float64() < part {
			longer += time.Duration(chance.Int64N(int64(most)))
		}
		return oneWay + longer
	}
}

// loopback is the way to a real nginx on a machine that has time: a millisecond, and seldom up to
// seven more.
func loopback(chance *rand.Rand) time.Duration {
	longer := time.Duration(min(chance.ExpFloat64(), 8) * float64(250*time.Microsecond))
	if chance.Float64() < 0.01 {
		longer += time.Duration(chance.Int64N(int64(7 * time.Millisecond)))
	}
	return 200*time.Microsecond + longer
}

// A limit without a burst refuses what comes too early, if only by a millisecond. What a way that
// shakes brings together says little of the rate.
func TestWaysThatShake(t *testing.T) {
	for _, tt := range []struct {
		site    string
		way     string
		how     func(*rand.Rand) time.Duration
		allowed float64
	}{
		{"limit of 1/s", "10 ms", shakes(10 * time.Millisecond), 0.94},
		{"limit of 1/s", "stalls", stalls(0.01, 60*time.Millisecond), 0.935},
		{"limit of 5/s", "loopback", loopback, 0.93},
		{"limit of 5/s", "10 ms", shakes(10 * time.Millisecond), 0.905},
		{"limit of 5/s", "30 ms", shakes(30 * time.Millisecond), 0.82},
		{"limit of 5/s", "stalls", stalls(0.01, 60*time.Millisecond), 0.82},
		{"limit of 20/s", "loopback", loopback, 0.835},
		{"limit of 20/s", "5 ms", shakes(5 * time.Millisecond), 0.77},
		{"limit of 20/s", "10 ms", shakes(10 * time.Millisecond), 0.76},
		{"limit of 20/s", "30 ms", shakes(30 * time.Millisecond), 0.55},
		{"limit of 20/s", "stalls", stalls(0.01, 60*time.Millisecond), 0.54},
		{"20/s, burst 10, at once", "stalls", stalls(0.01, 60*time.Millisecond), 0.93},
	} {
		t.Run(fmt.Sprintf("%s, %s", tt.site, tt.way), func(t *testing.T) {
			k := find(t, tt.site)
			allowed, bad := 0.0, 0.0
			for seed := range uint64(seeds) {
				c := newCrawl(k.site(), newOurs(t), goroutines, allPages)
				c.seed, c.way = seed, tt.how
				r := c.run()
				allowed += k.ideal.Seconds() / r.took.Seconds() / seeds
				bad += r.badShare() / seeds
			}
			t.Logf("%.1f%%, %.2f%% bad", 100*allowed, 100*bad)
			assert.GreaterOrEqual(t, allowed, tt.allowed)
			assert.LessOrEqual(t, bad, 0.01)
		})
	}
}
