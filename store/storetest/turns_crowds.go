package storetest

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/store"
)

// brief is a gap: many of them take less than an hour, which is as far as some engines
// look ahead.
const brief = 5 * time.Second

// Many at once.
var turnsCrowds = []turnsTest{
	{"many who take, give back and take again keep the gaps", func(one, two *asker) {
		var mu sync.Mutex
		var starts []start
		together(crowd, func(i int) {
			a := pick(i, one, two)
			for round := range 5 {
				s := a.take("lane", store.Ask{
					Token: fmt.Sprint("token", i, " ", round), Gap: time.Duration(1+i%5) * brief, Slack: time.Duration(i%3) * time.Second})
				time.Sleep(time.Millisecond)
				if (i+round)%2 == 0 {
					a.done("lane", s.ask.Token)
					continue
				}
				mu.Lock()
				starts = append(starts, s)
				mu.Unlock()
			}
		})
		one.apart(starts...)
	}},
	{"many in lanes of their own do not wait for each other", func(one, two *asker) {
		together(crowd, func(i int) {
			a, lane := pick(i, one, two), fmt.Sprint("lane", i)
			before := a.moment()
			var starts []start
			for round := range 5 {
				starts = append(starts, a.take(lane, ask(fmt.Sprint(i, " ", round), long)))
			}
			a.apart(slices.Clone(starts)...)
			a.between(before, starts[4].moment, 4*long)
		})
	}},
	{"of many breaks that begin at once, the longest counts", func(one, two *asker) {
		for _, lane := range []string{"a", "b", "c", "d"} {
			before := one.moment()
			together(crowd, func(i int) {
				pick(i, one, two).begins(lane, time.Duration(1+i*7%crowd)*long)
			})
			one.between(before, two.left(lane), crowd*long)
		}
	}},
	{"many who take slots at once are never too many", func(one, two *asker) {
		var under atomic.Int64
		together(crowd, func(i int) {
			a := pick(i, one, two)
			if i%8 == 0 {
				a.dies("lane", leased(3, fmt.Sprint("dies", i), 4*one.unit), &under)
			}
			for round := range 3 {
				a.works("lane", oneOf(3, fmt.Sprint(i, " ", round)), 10*time.Millisecond, &under)
			}
		})
	}},
	{"many who take starts and slots keep the gaps and are never too many", func(one, two *asker) {
		var under atomic.Int64
		starts := make([]start, crowd/4)
		together(len(starts), func(i int) {
			starts[i] = pick(i, one, two).works("lane", store.Ask{
				Token: fmt.Sprint(i), Gap: one.tick(), Slack: one.unit / 2, Slots: 1, Lease: long}, one.unit/2, &under)
		})
		one.apart(starts...)
	}},
}

// works takes a slot, keeps it for a time and frees it. It repeats each call.
func (a *asker) works(lane string, ask store.Ask, busy time.Duration, under *atomic.Int64) start {
	start := a.waits(lane, ask)
	a.isUnder(ask, under.Add(1))
	a.slot(lane, oneOf(ask.Slots, ask.Token))
	a.keeps(lane, long, ask.Token)
	a.keeps(lane, long, ask.Token)
	time.Sleep(busy)
	under.Add(-1)
	a.ends(lane, ask.Token, false)
	a.ends(lane, ask.Token, false)
	return start
}

// dies takes a slot and never frees it. It counts for a part of its lease.
func (a *asker) dies(lane string, ask store.Ask, under *atomic.Int64) {
	a.waits(lane, ask)
	a.isUnder(ask, under.Add(1))
	time.Sleep(ask.Lease / 8)
	under.Add(-1)
}

func (a *asker) isUnder(ask store.Ask, n int64) {
	if n > int64(ask.Slots) {
		a.Errorf("%d are under way, want no more than %d", n, ask.Slots)
	}
}

// waits asks again and again until it has a slot.
func (a *asker) waits(lane string, ask store.Ask) start {
	for range 10_000 {
		grant, at := a.asks(lane, ask)
		if grant.Slot {
			return start{at, ask}
		}
		time.Sleep(max(grant.Wait-ask.Slack/2, time.Millisecond))
	}
	a.Errorf("%q gets no slot", ask.Token)
	return start{ask: ask}
}
