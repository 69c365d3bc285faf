package lane_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// learned are the terms of a request that keeps to what the site bears.
var learned = lane.Terms{Limit: true, MaxQueue: 1000}

// visit takes a turn, and tells what came of it at once.
func visit(ctx context.Context, p *lane.Lanes[int], terms lane.Terms, a lane.Answer) error {
	turn, err := p.Take(ctx, 1, terms)
	if err != nil {
		return err
	}
	a.Answered = true
	turn.Answered(a)
	turn.Done()
	return nil
}

// wait lets so many wait for their turns by terms.
func wait(t *testing.T, p *lane.Lanes[int], terms lane.Terms, many int) (all *sync.WaitGroup) {
	all = new(sync.WaitGroup)
	for range many {
		all.Go(func() { assert.NoError(t, visit(t.Context(), p, terms, lane.Answer{Kind: limit.Good})) })
	}
	synctest.Wait()
	return all
}

// After a bad answer the gap becomes shorter with each turn, also for those who wait already.
// With the first gap of about a second, the last would go after 200 s.
func TestWaitersFollowAShorterGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, begun := newPacer(), time.Now()
		holder, err := p.Take(t.Context(), 1, lane.Terms{Limit: true, MaxQueue: 1000, Slots: 1})
		require.NoError(t, err)
		holder.Answered(lane.Answer{Kind: limit.Busy, Answered: true})
		holder.Done()
		all := wait(t, p, learned, 200)
		first, _ := p.Next(1, learned)
		assert.Greater(t, first.Sub(begun), 100*time.Second, "as it is known now")
		time.Sleep(10 * time.Second)
		later, gap := p.Next(1, learned)
		assert.Less(t, gap, time.Second/4)
		assert.Less(t, time.Until(later), 200*gap+time.Second, "what is told follows, too")
		all.Wait()
		assert.Less(t, time.Since(begun), 25*time.Second)
	})
}

// A gap that becomes longer is too long for some who wait: they are told at once.
func TestWaitersHearOfALongerGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, begun := newPacer(), time.Now()
		all := wait(t, p, lane.Terms{Gap: time.Second, MaxQueue: 1000}, 4)
		terms := lane.Terms{Gap: time.Second, Limit: true, MaxQueue: 1000, MaxWait: 20 * time.Second}
		for range 8 {
			all.Go(func() {
				var late *lane.LateError
				if err := visit(t.Context(), p, terms, lane.Answer{Kind: limit.Good, QuotaGap: 15 * time.Second, QuotaLeft: time.Hour}); err != nil {
					assert.ErrorAs(t, err, &late)
					assert.Equal(t, 4*time.Second, time.Since(begun), "when the first of them hears of it")
					assert.Greater(t, late.Turn.Sub(begun), 20*time.Second)
				}
			})
		}
		all.Wait()
		assert.Equal(t, 19*time.Second, time.Since(begun), "when the second of them goes")
	})
}

// Who waits for long is not forgotten: as long as one does, the process hears what others tell.
func TestBusyWhileRequestsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, terms := newPacer(), lane.Terms{Gap: time.Minute, MaxQueue: 10}
		require.NoError(t, visit(t.Context(), p, terms, lane.Answer{}))
		assert.False(t, p.Busy())
		all := wait(t, p, terms, 1)
		time.Sleep(30 * time.Second)
		assert.True(t, p.Busy())
		all.Wait()
		assert.False(t, p.Busy())
	})
}

// Who has heard another does not take itself for alone, or what it has sent itself would be all that the
// site bears.
func TestWhoHearsOthersIsNotAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer()
		p.Learn(1, limit.Lesson{Gap: time.Second, Plain: time.Minute})
		for range 3 {
			require.NoError(t, visit(t.Context(), p, learned, lane.Answer{Kind: limit.Good}))
			time.Sleep(10 * time.Second) // the others send meanwhile
		}
		_, before := p.Next(1, learned)
		require.NoError(t, visit(t.Context(), p, learned, lane.Answer{Kind: limit.Busy}))
		_, after := p.Next(1, learned)
		assert.LessOrEqual(t, after, before*8/5)
	})
}

// Those who wait go as the site bears more: two at first, and one more with each good answer.
func TestWaitersFollowTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, answers := newPacer(), make(chan struct{})
		defer p.Enter(1).Done() // so that the first is not alone
		var under atomic.Int32
		var all sync.WaitGroup
		for range 9 {
			all.Go(func() {
				turn, err := p.Take(t.Context(), 1, learned)
				assert.NoError(t, err)
				under.Add(1)
				<-answers
				under.Add(-1)
				turn.Answered(lane.Answer{Kind: limit.Good, Answered: true})
				turn.Done()
			})
		}
		for answered := range 4 {
			synctest.Wait()
			assert.EqualValues(t, 2+answered, under.Load())
			answers <- struct{}{}
		}
		close(answers)
		all.Wait()
	})
}

// What a site has answered well is not taken for what another site has, though sites share counters: one that
// refuses from its first page on has a break soon.
func TestSectionsOfAnotherSite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, terms := newPacer(), lane.Terms{Limit: true}
		const well, other = 1, 2
		for key := range 5000 { // a thousand counters
			admission, ok := p.Begin(key, terms, lane.Arrival{At: time.Second})
			require.True(t, ok)
			admission.Well(well)
			admission.Done()
		}
		for key := range 20 {
			key += 5000
			for range 5 {
				admission, ok := p.Begin(key, terms, lane.Arrival{At: 2 * time.Second})
				require.True(t, ok)
				p.Answered(key, terms, lane.Answer{Kind: limit.Barred, Answered: true, Section: other})
				admission.Done()
			}
			next, _ := p.Next(key, terms)
			assert.True(t, next.After(time.Now()), "a row of five is a break")
		}
	})
}
