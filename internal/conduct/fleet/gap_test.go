package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// net/http sends a request again on a new connection, since the site has closed the one that it
// kept. Then the caller gives up. The site has seen the request, so its start is used.
func TestFleetCountsAStartThatWasSentTwice(t *testing.T) {
	for _, gap := range []time.Duration{500 * time.Millisecond, 2 * time.Second} {
		for _, slots := range []int{0, 1} {
			for _, gaveUp := range []time.Duration{0, 50 * time.Millisecond, 250 * time.Millisecond} {
				t.Run(fmt.Sprintf("gap %v, slots %d, gives up after %v", gap, slots, gaveUp), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { sendTwice(t, gap, slots, gaveUp) })
				})
			}
		}
	}
}

func sendTwice(t *testing.T, gap time.Duration, slots int, gaveUp time.Duration) {
	const rounds = 20
	c := conduct.NewCrew(t)
	c.Joins(3, paced(gap, slots))
	hasty := c.Members[0]
	ctx, stop := context.WithCancel(t.Context())
	for _, m := range c.Members[1:] {
		m.Crawl(ctx, 2, "example.com")
	}
	for i := range rounds {
		c.Dials.Change(conduct.Always(0))
		require.NoError(t, conduct.Read(t.Context(), conduct.Client(hasty.Tr), "http://example.com/warm")) // its connection stays
		time.Sleep(time.Duration(i) * 37 * time.Millisecond)
		c.Dials.Change(conduct.Always(300 * time.Millisecond))
		ctx, giveUp := context.WithCancel(t.Context())
		c.Web.Page("example.com", "/again", func(w http.ResponseWriter, r *http.Request) {
			time.AfterFunc(gaveUp, giveUp)
			origintest.Reset(w, r)
		})
		assert.ErrorIs(t, conduct.Read(ctx, conduct.Client(hasty.Tr), "http://example.com/again"), context.Canceled)
		giveUp()
	}
	stop()
	c.Under.Wait()
	assert.GreaterOrEqual(t, len(arrivalsOf(c.Web, "/again")), rounds, "requests that were written before the caller gave up")
	assert.Empty(t, conduct.TooClose(c.Web.Log().Pages(), gap), "gaps")
}

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

// A process that knows of no other gap than its own keeps this one after lost data, to what all
// others have sent.
func TestFleetKeepsItsOwnGapAfterLostData(t *testing.T) {
	for _, slots := range []int{0, 2} {
		for seed := range uint64(4) {
			synctest.Test(t, func(t *testing.T) {
				c := conduct.NewCrew(t)
				c.Dials.Change(conduct.Upto(0, 300*time.Millisecond))
				c.Joins(4, paced(700*time.Millisecond, slots), conduct.Fresh)
				var lost []string
				c.Under.Go(func() {
					for i := range 10 {
						time.Sleep(5*time.Second + time.Duration(seed*137+uint64(i)*71)*time.Millisecond)
						lost = append(lost, time.Now().Format("04:05.000"))
						c.LoseData(50 * time.Millisecond)
					}
				})
				c.CrawlAll(time.Minute, 4)
				assert.Empty(t, conduct.TooClose(c.Web.Log().Pages(), 700*time.Millisecond), "slots %d, seed %d. Connections ended at %v, data was lost 50ms later", slots, seed, lost)
			})
		}
	}
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

// A process that asks for no gap gets its part beside one that does, however long connecting takes.
func TestFleetSharesALane(t *testing.T) {
	for _, dials := range []time.Duration{20 * time.Millisecond, 500 * time.Millisecond} {
		synctest.Test(t, func(t *testing.T) {
			c := conduct.NewCrew(t)
			c.Dials.Change(conduct.Always(dials))
			without, with := c.Join(paced(0, polite.NoLimit), conduct.Fresh), c.Join(paced(50*time.Millisecond, polite.NoLimit), conduct.Fresh)
			c.CrawlAll(time.Minute, 8)
			pages := c.Pages(0, time.Minute)
			assert.GreaterOrEqual(t, len(without.Of(pages)), 400, "dials %v, without a gap", dials)
			assert.GreaterOrEqual(t, len(with.Of(pages)), 400, "dials %v, with a gap", dials)
		})
	}
}
