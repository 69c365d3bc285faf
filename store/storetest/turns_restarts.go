package storetest

import (
	"time"

	"github.com/go-polite/polite/store"
)

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
