package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// mixedGaps returns the pages that came too close to another after from. The larger gap of the
// two counts. A page tells its gap: "/3s/1".
func mixedGaps(t *testing.T, pages origintest.Log, from time.Time) (short []string) {
	gapOf := func(a origintest.Arrival) time.Duration {
		gap, err := time.ParseDuration(strings.Split(a.URI, "/")[1])
		require.NoError(t, err, a.URI)
		return gap
	}
	for i, later := range pages {
		for _, earlier := range pages[max(0, i-10):i] {
			apart := later.Time.Sub(earlier.Time)
			if earlier.Time.After(from) && apart < max(gapOf(earlier), gapOf(later)) {
				short = append(short, fmt.Sprintf("%s %v after %s, at %s", later.URI, apart, earlier.URI, later.Time.Format("04:05.000")))
			}
		}
	}
	return short
}

// After the store has lost its data, the longest gap that a lane has had in a process is kept,
// also by those of its requests that ask for a shorter one.
func TestFleetPausesForTheLongestGapAfterLostData(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { loseDataAgainAndAgain(t, seed) })
		})
	}
}

func loseDataAgainAndAgain(t *testing.T, seed uint64) {
	c := conduct.NewCrew(t)
	c.Joins(3, paced(3*time.Second, 0))
	ctx, stop := context.WithCancel(t.Context())
	for i, m := range c.Members {
		m.VisitEvery(ctx, m.Tr, "/3s/1", 9*time.Second, seed+uint64(i))
		m.VisitEvery(ctx, m.Sibling(t, c.Web, time.Second/2), "/.5s/1", 3*time.Second, seed+uint64(10+i))
	}
	time.Sleep(30 * time.Second) // until each process knows of both gaps
	random := rand.New(rand.NewPCG(seed, 9))
	var lost []string
	for range 20 {
		time.Sleep(8*time.Second + time.Duration(random.Int64N(int64(4*time.Second))))
		lost = append(lost, time.Now().Format("04:05.000"))
		c.LoseData(50 * time.Millisecond)
	}
	stop()
	c.Under.Wait()
	pages := c.Web.Log().Pages()
	assert.Greater(t, len(pages), 60)
	assert.Empty(t, mixedGaps(t, pages, c.Began), "pairs that are too close, of %d pages. Data was lost at %v", len(pages), lost)
}

// A process that asks for no gap keeps the gaps of others: two sends are never closer than the
// larger of their gaps.
func TestFleetKeepsAGapThatOneDoesNotAskFor(t *testing.T) {
	for _, first := range []string{"with a gap", "without"} {
		for _, slots := range []int{0, 2} {
			for _, dials := range []time.Duration{0, 300 * time.Millisecond} {
				t.Run(fmt.Sprintf("the first is %s, slots %d, dials %v", first, slots, dials), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { oneWithoutAGap(t, first == "without", slots, dials) })
				})
			}
		}
	}
}

func oneWithoutAGap(t *testing.T, withoutFirst bool, slots int, dials time.Duration) {
	c := conduct.NewCrew(t)
	c.Dials.Change(conduct.Upto(0, dials))
	with, without := c.Join(paced(2*time.Second, slots), conduct.Fresh), c.Join(paced(0, slots), conduct.Fresh)
	ctx, stop := context.WithCancel(t.Context())
	begin := []func(){
		func() { with.VisitEvery(ctx, with.Tr, "/2s/1", 5*time.Second, 1) },
		func() { without.VisitEvery(ctx, without.Tr, "/0s/1", 4*time.Second, 2) },
	}
	if withoutFirst {
		begin[0], begin[1] = begin[1], begin[0]
	}
	begin[0]()
	time.Sleep(10 * time.Second)
	begin[1]()
	from := time.Now()
	time.Sleep(3 * time.Minute)
	stop()
	c.Under.Wait()
	if withoutFirst { // until it has heard of a gap
		for _, a := range c.Web.Log().Pages() {
			if strings.HasPrefix(a.URI, "/2s") {
				from = a.Time.Add(message)
				break
			}
		}
	} else {
		from = c.Began
	}
	pages := c.Web.Log().Pages()
	assert.Empty(t, conduct.Few(mixedGaps(t, pages, from)), "pairs that are too close, of %d pages", len(pages))
	assert.Greater(t, len(pages), 40)
}
