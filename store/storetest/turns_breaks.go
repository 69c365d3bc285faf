package storetest

import (
	"time"

	"github.com/go-polite/polite/store"
)

// Breaks of a lane.
var breaks = []turnsTest{
	{"no start is in a break", func(one, two *asker) {
		began := one.begins("lane", 2*long)
		a := two.take("lane", ask("a", long))
		one.between(began, a.moment, 2*long)
		one.between(a.moment, one.take("lane", ask("b", long)).moment, long)
	}},
	{"a break keeps the gap to the start before", func(one, two *asker) {
		a := one.take("lane", ask("a", 3*long))
		two.begins("lane", long)
		one.between(a.moment, two.take("lane", ask("b", long)).moment, 3*long)
	}},
	{"a break counts after the starts that were reserved before it", func(one, two *asker) {
		one.take("lane", ask("a", long))
		one.take("lane", ask("b", long))
		began := two.begins("lane", 5*long)
		one.between(began, one.take("lane", ask("c", long)).moment, 5*long)
	}},
	{"who takes again in a break is put off", func(one, two *asker) {
		one.take("lane", ask("a", long))
		began := two.begins("lane", 2*long)
		one.between(began, one.take("lane", ask("a", long)).moment, 2*long)
	}},
	{"a break is not shortened", func(one, two *asker) {
		began := one.begins("lane", 5*long)
		for _, wait := range []time.Duration{long, time.Nanosecond, 0, -long} {
			two.begins("lane", wait)
			one.between(began, two.left("lane"), 5*long)
		}
		one.between(began, two.take("lane", ask("a", long)).moment, 5*long)
	}},
	{"a break ends", func(one, two *asker) {
		one.begins("lane", one.unit)
		one.outlast(one.unit)
		one.isNow(two.left("lane"))
		one.isNow(two.take("lane", ask("a", long)).moment)
	}},
	{"a start that a break puts off may be late", func(one, two *asker) {
		began := one.begins("lane", 2*long)
		two.late("lane", store.Ask{Token: "a", Gap: long, MaxWait: long})
		one.between(began, two.take("lane", store.Ask{Token: "a", Gap: long, MaxWait: 2 * long}).moment, 2*long)
	}},
	{"who asks without a gap is told the break alone", func(one, two *asker) {
		one.take("lane", ask("a", long))
		later := store.Ask{Token: "b", NotBefore: 5 * long, MaxWait: long, Slack: long, Lease: long}
		one.isNow(two.take("lane", later).moment)
		began := one.begins("lane", 3*long)
		one.between(began, two.take("lane", later).moment, 3*long)
	}},
	{"who asks without a gap reserves nothing", func(one, two *asker) {
		one.left("lane")
		a := one.take("lane", ask("a", long))
		one.isNow(a.moment)
		one.left("lane")
		one.isNow(two.left("lane")) // no break: the gap does not count
		one.between(a.moment, two.take("lane", ask("b", long)).moment, long)
	}},
	{"lanes have breaks of their own", func(one, two *asker) {
		names := oddNames()
		for _, lane := range names[:len(names)/2] {
			one.begins(lane, long)
		}
		for i, lane := range names {
			want := time.Duration(0)
			if i < len(names)/2 {
				want = long
			}
			if got, _ := two.asks(lane, store.Ask{}); got.Wait > want || got.Wait < want/2 {
				one.Errorf("%v is left of the break of %.40q, want %v", got.Wait, lane, want)
			}
		}
	}},
}

// Starts and breaks that outlive a process.
var turnsRestarts = []turnsTest{
	{"a break outlives the process", func(one, _ *asker) {
		began := one.begins("lane", long)
		one.pass(one.unit)
		one.reopen()
		one.between(began, one.left("lane"), long)
		one.pass(one.unit)
		one.between(began, one.left("lane"), long)
		one.between(began, one.take("lane", ask("a", one.unit)).moment, long)
	}},
	{"each lane's break outlives the process", func(one, _ *asker) {
		for i, lane := range oddNames() {
			one.begins(lane, time.Duration(i+1)*long)
		}
		one.reopen()
		for i, lane := range oddNames() {
			if got, _ := one.asks(lane, store.Ask{}); got.Wait > time.Duration(i+1)*long || got.Wait < time.Duration(i)*long {
				one.Errorf("%v is left of the break of %.40q, want %v", got.Wait, lane, time.Duration(i+1)*long)
			}
		}
	}},
	{"a break that is over has ended for the next process too", func(one, _ *asker) {
		one.begins("lane", one.unit)
		one.outlast(one.unit)
		one.reopen()
		one.isNow(one.left("lane"))
	}},
	{"the next process keeps the gap to the last start", func(one, _ *asker) {
		a := one.take("lane", ask("a", long))
		one.pass(one.unit)
		one.reopen()
		b := one.take("lane", ask("b", long))
		one.notSooner(a.moment, b.moment, long)
		one.between(b.moment, one.take("lane", ask("c", long)).moment, long)
	}},
	{"the next process hears of the breaks under way", func(one, _ *asker) {
		began := one.begins("lane", long)
		one.reopen()
		one.watch().tells(began, "lane", long)
	}},
}
