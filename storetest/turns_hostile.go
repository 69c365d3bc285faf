package storetest

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/go-polite/polite"
)

// What should not come, and comes.
var turnsHostile = []turnsTest{
	{"numbers without sense do no harm to other lanes", func(one, two *asker) {
		for i, gap := range oddNumbers() {
			for j, other := range oddNumbers() {
				lane := fmt.Sprint("lane", i, j)
				two.turns.Take(two.Context(), lane, polite.Ask{Token: "a", Gap: gap, Slack: other, NotBefore: other, MaxWait: other})
				two.turns.Take(two.Context(), lane, polite.Ask{Token: "b", Gap: other, Slack: gap, MaxWait: other})
				two.turns.Hold(two.Context(), lane, gap)
			}
		}
		a := one.take("lane", ask("a", long))
		one.isNow(a.moment)
		one.between(a.moment, one.take("lane", ask("b", long)).moment, long)
	}},
	{"a gap without end is a long one", func(one, two *asker) {
		one.take("lane", ask("a", math.MaxInt64))
		two.late("lane", polite.Ask{Token: "b", Gap: long, MaxWait: long / 2})
		for i := range 3 { // they may add up to more than there is
			two.take("lane", polite.Ask{Token: fmt.Sprint(i), Gap: math.MaxInt64, Slack: math.MaxInt64})
		}
		two.late("lane", polite.Ask{Token: "c", Gap: long, MaxWait: long / 2})
	}},
	{"a break without end is a long one", func(one, two *asker) {
		one.hold("lane", long)
		one.hold("lane", math.MaxInt64)
		two.late("lane", polite.Ask{Token: "a", Gap: long, MaxWait: 2 * long})
		one.watch().all()
	}},
	{"a slack below zero is zero", func(one, two *asker) {
		a := one.take("lane", polite.Ask{Token: "a", Gap: long, Slack: -long})
		b := two.take("lane", polite.Ask{Token: "b", Gap: long, Slack: math.MinInt64, NotBefore: math.MinInt64})
		c := one.take("lane", ask("c", long))
		one.between(a.moment, b.moment, long)
		one.between(b.moment, c.moment, long)
	}},
	{"a gap below zero reserves nothing", func(one, two *asker) {
		for _, gap := range []time.Duration{-1, -long, math.MinInt64} {
			one.asks("lane", ask("a", gap))
		}
		one.isNow(two.take("lane", ask("b", long)).moment)
	}},
	{"calls whose context has ended fail, or count", func(one, two *asker) {
		ctx, cancel := context.WithCancel(one.Context())
		cancel()
		a := one.take("lane", ask("a", long))
		if grant, err := one.turns.Take(ctx, "lane", ask("b", long)); err == nil && grant.Wait == 0 {
			one.Errorf("Take = %+v without an error", grant)
		}
		one.turns.Done(ctx, "lane", "b")
		held := one.moment()
		if err := one.turns.Hold(ctx, "held", long); err == nil {
			one.between(held, two.left("held"), long)
		}
		one.apart(a, two.take("lane", ask("c", long)))
	}},
}
