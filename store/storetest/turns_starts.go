package storetest

import (
	"fmt"
	"time"

	"github.com/go-polite/polite/store"
)

// longestGap is a gap that every engine keeps whole.
const longestGap = 30 * 24 * time.Hour

// How far starts are apart.
var gaps = []turnsTest{
	{"the gap counts from the start, also when time has passed", func(one, two *asker) {
		a := one.take("lane", ask("a", long))
		one.pass(one.unit)
		b := two.take("lane", ask("b", long))
		one.between(a.moment, b.moment, long)
		one.pass(one.unit)
		one.between(b.moment, one.take("lane", ask("c", long)).moment, long)
	}},
	{"a gap of 30 days is kept whole", func(one, two *asker) {
		a := one.take("lane", ask("a", longestGap))
		b := two.take("lane", ask("b", longestGap))
		one.between(a.moment, b.moment, longestGap)
		c := one.take("other", store.Ask{Token: "c", Gap: longestGap, NotBefore: longestGap})
		one.between(a.moment, c.moment, longestGap)
	}},
	{"a gap that is over does not count", func(one, two *asker) {
		one.take("lane", ask("a", one.unit))
		one.outlast(one.unit)
		one.isNow(two.take("lane", ask("b", one.unit)).moment)
	}},
	{"the longer gap of two askers counts, whoever comes first", func(one, two *asker) {
		a := one.take("lane", ask("a", long))
		b := two.take("lane", ask("b", 5*long))
		c := one.take("lane", ask("c", 2*long))
		d := two.take("lane", ask("d", long))
		one.between(a.moment, b.moment, 5*long)
		one.between(b.moment, c.moment, 5*long)
		one.notSooner(c.moment, d.moment, 2*long)
	}},
	{"a longer gap counts when the start before has been", func(one, two *asker) {
		a := one.take("lane", ask("a", one.unit))
		one.outlast(2 * one.unit)
		b := two.take("lane", ask("b", long))
		one.between(a.moment, b.moment, long)
	}},
	{"a start is so much later as the one before may be", func(one, two *asker) {
		a := one.take("lane", store.Ask{Token: "a", Gap: long, Slack: long / 2})
		b := two.take("lane", store.Ask{Token: "b", Gap: 2 * long, Slack: long})
		c := one.take("lane", ask("c", long))
		one.between(a.moment, b.moment, 2*long+long/2)
		one.between(b.moment, c.moment, 2*long+long)
	}},
	{"a lane may have any name", func(one, two *asker) {
		for i, lane := range oddNames() { // with tokens of its own, since a repeated Take returns the same
			a := one.take(lane, ask(fmt.Sprint("a", i), long))
			one.isNow(a.moment)
			one.between(a.moment, two.take(lane, ask(fmt.Sprint("b", i), long)).moment, long)
		}
	}},
	{"a token may be any text", func(one, two *asker) {
		last := one.take("lane", ask("first", long))
		for _, token := range oddNames() {
			next := two.take("lane", ask(token, long))
			one.between(last.moment, next.moment, long)
			last = next
		}
	}},
}

// Starts that come too late.
var tooLate = []turnsTest{
	{"a start after MaxWait is not reserved", func(one, two *asker) {
		a := one.take("lane", ask("a", long))
		two.late("lane", store.Ask{Token: "b", Gap: long, MaxWait: long / 2})
		two.late("lane", store.Ask{Token: "b", Gap: long, MaxWait: 1})
		two.late("lane", store.Ask{Token: "c", Gap: 9 * long, Slack: long, MaxWait: long})
		one.between(a.moment, one.take("lane", ask("d", long)).moment, long)
	}},
	{"what is late does not count, also in an empty lane", func(one, two *asker) {
		one.late("lane", store.Ask{Token: "a", Gap: long, NotBefore: 2 * long, MaxWait: long})
		one.isNow(two.take("lane", ask("b", 3*long)).moment)
	}},
	{"what is late leaves the starts of others", func(one, two *asker) {
		a := one.take("lane", ask("a", long))
		b := two.take("lane", ask("b", long))
		one.late("lane", store.Ask{Token: "c", Gap: long, MaxWait: long})
		one.done("lane", "c")
		one.late("lane", store.Ask{Token: "a", Gap: 2 * long, MaxWait: long})
		one.between(b.moment, two.take("lane", ask("d", long)).moment, long)
		one.apart(a, b)
	}},
}
