package storetest

import (
	"context"
	"fmt"
	"math"
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
