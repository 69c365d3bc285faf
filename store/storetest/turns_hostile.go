package storetest

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/store"
)

// Arguments that make no sense.
var turnsHostile = []turnsTest{
	{"numbers without sense do no harm to other lanes", func(one, two *asker) {
		for i, gap := range oddNumbers() {
			for j, other := range oddNumbers() {
				lane := fmt.Sprint("lane", i, j)
				two.turns.Take(two.Context(), lane, store.Ask{Token: "a", Gap: gap, Slack: other, NotBefore: other, MaxWait: other})
				two.turns.Take(two.Context(), lane, store.Ask{Token: "b", Gap: other, Slack: gap, MaxWait: other, Slots: int(gap), Lease: other, Lead: gap})
				two.turns.Take(two.Context(), lane, store.Ask{Token: "c", Slack: other, NotBefore: gap, Slots: int(other), Lease: gap})
				two.turns.Renew(two.Context(), gap, in(lane, []string{"a", "b", "c", ""}))
				two.turns.Break(two.Context(), lane, gap)
			}
		}
		a := one.take("lane", ask("a", long))
		one.isNow(a.moment)
		one.between(a.moment, one.take("lane", ask("b", long)).moment, long)
		one.slot("lane", oneOf(1, "c"))
		two.busy("lane", oneOf(1, "d"))
	}},
	{"a gap without end is a long one", func(one, two *asker) {
		one.take("lane", ask("a", math.MaxInt64))
		two.late("lane", store.Ask{Token: "b", Gap: long, MaxWait: long / 2})
		for i := range 3 { // they may add up to more than there is
			two.take("lane", store.Ask{Token: fmt.Sprint(i), Gap: math.MaxInt64, Slack: math.MaxInt64})
		}
		two.late("lane", store.Ask{Token: "c", Gap: long, MaxWait: long / 2})
	}},
	{"a slack without end is a long one", func(one, two *asker) {
		one.slot("lane", store.Ask{Token: "a", Gap: long, NotBefore: long, Slack: math.MaxInt64, Slots: 1, Lease: long})
		two.late("lane", store.Ask{Token: "b", Gap: 2 * long, MaxWait: 2 * long})
	}},
	{"a break without end is a long one", func(one, two *asker) {
		one.begins("lane", long)
		one.begins("lane", math.MaxInt64)
		two.late("lane", store.Ask{Token: "a", Gap: long, MaxWait: 2 * long})
		one.watch().all()
	}},
	{"a slack or a lead below zero is zero", func(one, two *asker) {
		a := one.take("lane", store.Ask{Token: "a", Gap: long, Slack: -long})
		b := two.take("lane", store.Ask{Token: "b", Gap: long, Slack: math.MinInt64, NotBefore: math.MinInt64})
		c := one.take("lane", ask("c", long))
		one.between(a.moment, b.moment, long)
		one.between(b.moment, c.moment, long)
		one.slot("slots", store.Ask{Token: "a", Slack: -long, Slots: 2, Lease: long})
		two.far("slots", store.Ask{Token: "b", Slack: math.MinInt64, Slots: 2, Lease: long, NotBefore: long})
		one.slot("leads", store.Ask{Token: "a", NotBefore: long, Slack: 2 * long, Lead: -2 * long, Slots: 2, Lease: long})
		two.slot("leads", store.Ask{Token: "b", Lead: math.MinInt64, Slots: 2, Lease: long})
	}},
	{"a lead without end is a long one", func(one, two *asker) {
		one.slot("lane", store.Ask{Token: "a", NotBefore: long, Slack: 2 * long, Lead: math.MaxInt64, Slots: 2, Lease: long})
		two.slot("lane", store.Ask{Token: "b", Slack: math.MaxInt64, Lead: math.MaxInt64, Slots: 2, Lease: long})
		two.busy("lane", oneOf(2, "c"))
	}},
	{"a gap below zero reserves nothing", func(one, two *asker) {
		for _, gap := range []time.Duration{-1, -long, math.MinInt64} {
			one.asks("lane", ask("a", gap))
		}
		one.isNow(two.take("lane", ask("b", long)).moment)
	}},
	{"slots below zero are none", func(one, two *asker) {
		for i, n := range []int{-1, -5, math.MinInt} {
			token := fmt.Sprint(i)
			one.asks("lane", oneOf(n, token))
			one.take("lane", store.Ask{Token: token, Gap: 1, Slots: n, Slack: long, Lease: long})
			two.loses("lane", long, token)
		}
		two.slot("lane", oneOf(1, "a"))
	}},
	{"slots without end are many", func(one, two *asker) {
		for i := range crowd {
			pick(i, one, two).slot("lane", oneOf(math.MaxInt-i%2, fmt.Sprint(i)))
		}
		one.busy("lane", oneOf(crowd, "a"))
	}},
	{"a lease below zero is over", func(one, two *asker) {
		for i, lease := range []time.Duration{0, -1, -long, math.MinInt64} {
			taken, renewed := fmt.Sprint("taken", i), fmt.Sprint("renewed", i)
			one.slot("lane", leased(1, taken, lease))
			one.slot("lane", leased(1, renewed, long))
			one.keeps("lane", lease, renewed)
			one.loses("lane", long, taken, renewed)
		}
		two.slot("lane", oneOf(1, "a"))
	}},
	{"a lease without end is a long one", func(one, two *asker) {
		one.slot("lane", leased(2, "a", math.MaxInt64))
		two.slot("lane", leased(2, "b", math.MaxInt64-1))
		one.pass(one.unit)
		two.keeps("lane", math.MaxInt64, "b")
		one.pass(one.unit)
		one.busy("lane", oneOf(2, "c"))
		two.keeps("lane", long, "a", "b")
	}},
	{"calls whose context has ended fail, or count", func(one, two *asker) {
		ctx, cancel := context.WithCancel(one.Context())
		cancel()
		a := one.take("lane", ask("a", long))
		if grant, err := one.turns.Take(ctx, "lane", ask("b", long)); err == nil && grant.Wait == 0 {
			one.Errorf("Take = %+v without an error", grant)
		}
		one.turns.Done(ctx, "lane", "b", true)
		if lost, err := one.turns.Renew(ctx, long, in("lane", []string{"b"})); err == nil && len(lost) == 0 {
			one.Errorf("Renew renews what was never taken")
		}
		began := one.moment()
		if err := one.turns.Break(ctx, "held", long); err == nil {
			one.between(began, two.left("held"), long)
		}
		one.apart(a, two.take("lane", ask("c", long)))
	}},
}

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
