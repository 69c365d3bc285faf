package fleet

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
)

// A stall is a time in which the store of a fleet answers nobody, after which all is as before.
type stall struct {
	long  time.Duration
	loses bool // the connections to the store are lost at its end
}

func (s stall) String() string { return fmt.Sprintf("%v, connections lost %v", s.long, s.loses) }

func stalls() []stall {
	return []stall{
		{300 * time.Millisecond, false}, {time.Second, false}, {3 * time.Second, false},
		{300 * time.Millisecond, true}, {time.Second, true}, {3 * time.Second, true},
	}
}

// of makes the store stand still now, and returns when it answers again.
func (s stall) of(c *conduct.Crew) {
	for _, m := range c.Members {
		m.Stall(s.long)
	}
	time.Sleep(s.long)
	if s.loses {
		for _, m := range c.Members {
			m.Leave()
			m.ComeBack()
		}
	}
}

const (
	warm      = 20 * time.Second // before a stall
	recovered = 4 * time.Second  // after it
	watched   = 20 * time.Second // from then on
)

// After a stall of the store, a fleet is as quick as before within 4 s of its end.
func TestFleetIsQuickAgainAfterAStall(t *testing.T) {
	long.NotShort(t)
	for _, gap := range []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second} {
		for _, slots := range []int{0, 2} {
			for _, s := range stalls() {
				t.Run(fmt.Sprintf("%v, gap %v, slots %d", s, gap, slots), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { s.test(t, gap, slots) })
				})
			}
		}
	}
}

func (s stall) test(t *testing.T, gap time.Duration, slots int) {
	c := conduct.NewCrew(t)
	c.Dials.Change(conduct.Upto(80*time.Millisecond, 120*time.Millisecond))
	c.Joins(4, paced(gap, slots), conduct.Fresh)
	c.Under.Go(func() {
		time.Sleep(warm)
		s.of(c)
	})
	from := warm + s.long + recovered
	c.CrawlAll(from+watched, 8)
	assert.Empty(t, conduct.TooClose(c.Web.Log().Pages(), gap), "gaps")
	ideal := int(watched / gap)
	got := len(c.Pages(from, from+watched))
	t.Logf("%d of %d pages from 4s after the stall; %d of %d before it", got, ideal, len(c.Pages(0, warm)), warm/gap)
	assert.GreaterOrEqual(t, float64(got), 0.85*float64(ideal), "pages from 4s after the stall on, of %d", ideal)
}

// So it is after one slow call of one process.
func TestFleetIsQuickAgainAfterASlowCall(t *testing.T) {
	const gap = 500 * time.Millisecond
	for _, long := range []time.Duration{300 * time.Millisecond, time.Second, 2500 * time.Millisecond} {
		for _, processes := range []int{1, 4} {
			for _, slots := range []int{0, 2} {
				t.Run(fmt.Sprintf("%v, %d processes, slots %d", long, processes, slots), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						c := conduct.NewCrew(t)
						c.Dials.Change(conduct.Upto(80*time.Millisecond, 120*time.Millisecond))
						c.Joins(processes, paced(gap, slots), conduct.Fresh)
						c.Under.Go(func() {
							time.Sleep(warm)
							c.Members[0].SlowOnce("take", long)
						})
						from := warm + long + recovered
						c.CrawlAll(from+watched, 8)
						assert.Empty(t, conduct.TooClose(c.Web.Log().Pages(), gap), "gaps")
						got, ideal := len(c.Pages(from, from+watched)), int(watched/gap)
						t.Logf("%d of %d pages", got, ideal)
						assert.GreaterOrEqual(t, float64(got), 0.85*float64(ideal), "pages from 4s after the call on, of %d", ideal)
					})
				})
			}
		}
	}
}

// A fleet that visits 200 sites is quick again at all of them.
func TestFleetAtManySitesIsQuickAgainAfterAStall(t *testing.T) {
	for _, test := range long.Last([]struct {
		stall
		slots int
	}{
		{stall{300 * time.Millisecond, false}, 0}, {stall{time.Second, false}, 0}, {stall{3 * time.Second, false}, 0},
		{stall{3 * time.Second, true}, 0}, {stall{time.Second, true}, 1}, {stall{3 * time.Second, true}, 1},
	}...) {
		t.Run(fmt.Sprintf("%v, slots %d", test.stall, test.slots), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { test.testMany(t, test.slots) })
		})
	}
}

// testMany connects anew for each page where there is a limit.
func (s stall) testMany(t *testing.T, slots int) {
	const sites, gap, warm, watched = 200, time.Second, 8 * time.Second, 6 * time.Second
	c := conduct.NewCrew(t)
	if c.Joins(3, paced(gap, slots)); slots > 0 {
		c.Dials.Change(conduct.Upto(80*time.Millisecond, 120*time.Millisecond))
		for _, m := range c.Members {
			conduct.Fresh(m.Tr)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	for _, m := range c.Members {
		for i := range sites {
			m.Crawl(ctx, 1, fmt.Sprintf("s%d.example", i))
		}
	}
	time.Sleep(warm)
	s.of(c)
	from := time.Since(c.Began) + recovered
	time.Sleep(recovered + watched)
	cancel()
	c.Under.Wait()
	late := c.Pages(from, from+watched)
	ideal := sites * int(watched/gap)
	t.Logf("%d of %d pages from 4s after the stall, %d in the 4s before that, %d of %d before the stall",
		len(late), ideal, len(c.Pages(from-recovered, from)), len(c.Pages(0, warm)), sites*int(warm/gap))
	assert.GreaterOrEqual(t, float64(len(late)), 0.85*float64(ideal), "pages of all sites from 4s after the stall on, of %d", ideal)
	slowest, short := ideal, []string(nil)
	all := c.Web.Log().Pages()
	for i := range sites {
		host := fmt.Sprintf("s%d.example", i)
		slowest = min(slowest, len(late.At(host)))
		short = append(short, conduct.TooClose(all.At(host), gap)...)
	}
	assert.Empty(t, conduct.Few(short), "gaps that are too short")
	assert.GreaterOrEqual(t, slowest, int(watched/gap)/2, "pages of the slowest site")
}
