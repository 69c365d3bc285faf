package group

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// byLetter puts sites into a group of which only the key is known.
func byLetter(tr *polite.Transport) { tr.Pace.Group = &polite.Group{Key: firstLetter} }

// A group that is down is told as a site that is down, and says that it is a group.
func TestGroupThatIsDownIsTold(t *testing.T) {
	var mu sync.Mutex
	var found []polite.Limit
	c := groupCrawl{origins: 20, site: groupWell, workers: 1, long: 2 * time.Minute}
	c = groupSicknesses["503"].strike(c, func(now time.Duration, _ int) bool { return now > 30*time.Second && now < time.Minute })
	c.limited = func(l polite.Limit) {
		mu.Lock()
		defer mu.Unlock()
		if l.Group {
			found = append(found, l)
		}
	}
	c.run(t)
	require.NotEmpty(t, found)
	first, last := found[0], found[len(found)-1]
	assert.Equal(t, polite.TroubleBusy, first.Trouble)
	assert.Equal(t, "the group of the site is busy", first.String())
	assert.False(t, first.Until.IsZero())
	assert.Empty(t, last.Trouble)
	assert.Equal(t, "the group of the site is well", last.String())
}

// A machine that bears five requests a second, of all its forty sites together, is found: with 429 and with 503,
// with a worker for each site and with a pool of them.
func TestMachineWithALimit(t *testing.T) {
	const perSecond, burst, from = 5.0, 5.0, 2 * time.Minute
	for _, status := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		for _, pool := range []int{0, 16} {
			var mu sync.Mutex
			tokens, last := burst, time.Duration(0)
			c := groupCrawl{origins: 40, workers: 1, pool: pool, long: 5 * time.Minute, maxWait: polite.Forever}
			c.site = func(now time.Duration, _ int) conduct.Reply {
				mu.Lock()
				defer mu.Unlock()
				tokens, last = min(burst, tokens+perSecond*(now-last).Seconds()), now
				if tokens < 1 {
					return conduct.Reply{Status: status, Takes: 5 * time.Millisecond}
				}
				tokens--
				return conduct.Reply{Takes: 100 * time.Millisecond}
			}
			saw := c.run(t)
			n, good := saw.count(0, c.long, all)
			assert.LessOrEqual(t, float64(n-good), 0.25*float64(n), "refused, status %d, pool %d", status, pool)
			n, good = saw.count(from, c.long, all)
			assert.LessOrEqual(t, float64(n-good), 0.05*float64(n), "refused, status %d, pool %d", status, pool)
			assert.GreaterOrEqual(t, float64(good), 0.9*perSecond*(c.long-from).Seconds(), "status %d, pool %d", status, pool)
		}
	}
}
