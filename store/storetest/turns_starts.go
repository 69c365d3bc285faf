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

// A token has one start in a lane.
var replaced = []turnsTest{
	{"a repeated Take returns the same start", func(one, two *asker) {
		a := one.take("lane", ask("a", long))
		for range 3 {
			one.between(a.moment, two.take("lane", ask("b", long)).moment, long)
		}
		one.between(a.moment, one.take("lane", ask("c", long)).moment, 2*long)
	}},
	{"a repeated Take returns the same start, also if a sooner one is free by now", func(one, two *asker) {
		one.take("lane", ask("a", long))
		two.take("lane", ask("b", 4*long))
		c := one.take("lane", ask("c", long))
		d := two.take("lane", ask("d", long))
		one.done("lane", "b")
		one.between(c.moment, one.take("lane", ask("c", long)).moment, 0)
		one.between(d.moment, two.take("lane", ask("d", long)).moment, 0)
		two.between(d.moment, two.take("lane", store.Ask{Token: "d", Gap: long, NotBefore: long}).moment, 0)
	}},
	{"a repeated Take returns the same start, also if others have reserved behind it", func(one, two *asker) {
		a := one.take("lane", ask("a", long))
		again := store.Ask{Token: "b", Gap: 2 * long, Slack: long}
		b := two.take("lane", again)
		for i := range 5 {
			one.take("lane", ask(fmt.Sprint(i), long))
			one.between(b.moment, two.take("lane", again).moment, 0)
		}
		again.NotBefore, again.MaxWait = long, 3*long
		one.between(b.moment, two.take("lane", again).moment, 0)
		one.between(a.moment, one.take("lane", ask("last", long)).moment, 10*long)
	}},
	{"a Take with other terms leaves its start to others", func(one, two *asker) {
		for lane, again := range map[string]store.Ask{
			"another gap":   {Token: "b", Gap: 2 * long},
			"another slack": {Token: "b", Gap: long, Slack: long},
			"later":         {Token: "b", Gap: long, NotBefore: 3 * long},
		} {
			a := one.take(lane, ask("a", long))
			two.take(lane, ask("b", long))
			c := one.take(lane, ask("c", long))
			b := two.take(lane, again)
			one.between(c.moment, b.moment, again.Gap)
			one.between(a.moment, one.take(lane, ask("d", long)).moment, long)
			one.between(b.moment, one.take(lane, ask("e", long)).moment, again.Gap+again.Slack)
		}
	}},
	{"a shorter gap moves those up who take again, the first of them first", func(one, two *asker) {
		before := one.take("lane", ask("before", 10*long))
		for i := range 4 {
			pick(i, one, two).take("lane", ask(fmt.Sprint(i), 10*long))
		}
		for i := range 4 {
			start := pick(i, two, one).take("lane", ask(fmt.Sprint(i), long))
			one.between(before.moment, start.moment, 10*long+time.Duration(i)*long)
		}
	}},
	{"who did not use his start may take another at once", func(one, _ *asker) {
		one.take("lane", ask("a", long))
		one.pass(one.unit)
		b := one.take("lane", ask("a", long))
		one.isNow(b.moment)
		one.between(b.moment, one.take("lane", ask("c", long)).moment, long)
	}},
	{"a start that has been is not returned: it would be later than its slack", func(one, two *asker) {
		again := store.Ask{Token: "a", Gap: long, Slack: long}
		one.take("lane", again)
		b := two.take("lane", ask("b", long))
		one.outlast(one.unit)
		a := one.take("lane", again)
		one.between(b.moment, a.moment, long)
	}},
	{"a token has a start in each lane", func(one, two *asker) {
		a := one.take("lane", ask("a", long))
		one.isNow(one.take("another", ask("a", long)).moment)
		one.between(a.moment, two.take("lane", ask("b", long)).moment, long)
	}},
}

// Starts that are given back.
var givenBack = []turnsTest{
	{"a start that is given back is free again", func(one, two *asker) {
		a := one.take("lane", ask("a", long))
		two.take("lane", store.Ask{Token: "b", Gap: 9 * long, Slack: long})
		two.done("lane", "b")
		c := one.take("lane", ask("c", long))
		one.between(a.moment, c.moment, long)
		one.between(c.moment, two.take("lane", ask("b", long)).moment, long)
	}},
	{"a start that was used is not given back", func(one, two *asker) {
		a := one.take("lane", ask("a", long))
		one.ends("lane", "a", false)
		one.ends("lane", "a", false)
		one.between(a.moment, two.take("lane", ask("b", long)).moment, long)
	}},
	{"the only start can be given back", func(one, two *asker) {
		one.take("lane", store.Ask{Token: "a", Gap: long, NotBefore: long})
		one.done("lane", "a")
		one.isNow(two.take("lane", ask("b", 2*long)).moment)
	}},
	{"the longer gap of two counts, also to the start behind", func(one, two *asker) {
		a := one.take("lane", ask("a", long))
		b := two.take("lane", store.Ask{Token: "b", Gap: long, NotBefore: 4 * long})
		c := one.take("lane", ask("c", 3*long))
		one.between(b.moment, c.moment, 3*long)
		d := two.take("lane", ask("d", long))
		one.between(a.moment, d.moment, long)
		one.apart(a, b, c, d)
	}},
	{"a start between others that is given back is free for who keeps the gaps to both", func(one, two *asker) {
		a := one.take("lane", ask("a", long))
		two.take("lane", ask("b", long))
		c := one.take("lane", ask("c", 2*long))
		one.done("lane", "b")
		d := two.take("lane", store.Ask{Token: "d", Gap: long, Slack: long})
		one.between(c.moment, d.moment, 2*long)
		e := one.take("lane", ask("e", 3*long))
		one.between(d.moment, e.moment, 4*long)
		f := one.take("lane", ask("f", long))
		one.between(a.moment, f.moment, long)
		one.apart(a, f, c, d, e)
	}},
	{"a start that is given back is no sooner than NotBefore", func(one, two *asker) {
		a := one.take("lane", ask("a", long))
		two.take("lane", ask("b", 4*long))
		c := one.take("lane", ask("c", 4*long))
		two.done("lane", "b")
		one.between(c.moment, two.take("lane", store.Ask{Token: "d", Gap: long, NotBefore: 5 * long}).moment, 4*long)
		e := one.take("lane", store.Ask{Token: "e", Gap: long, NotBefore: 2 * long})
		one.between(a.moment, e.moment, 2*long)
		one.late("lane", store.Ask{Token: "f", Gap: 3 * long, MaxWait: 8 * long})
	}},
	{"each of many starts is free again if it is given back", func(one, two *asker) {
		var starts []start
		for i := range 30 {
			starts = append(starts, pick(i, one, two).take("lane", ask(fmt.Sprint(i), long)))
		}
		for _, i := range []int{3, 17, 28} {
			two.done("lane", fmt.Sprint(i))
			one.between(starts[i].moment, two.take("lane", ask(fmt.Sprint("again ", i), long)).moment, 0)
		}
		one.between(starts[29].moment, two.take("lane", ask("behind", long)).moment, long)
	}},
	{"a repeated Done harms nobody", func(one, two *asker) {
		a := one.take("lane", ask("a", long))
		two.take("lane", ask("b", long))
		two.done("lane", "b")
		c := one.take("lane", ask("c", long))
		two.done("lane", "b")
		two.done("lane", "b")
		d := two.take("lane", ask("d", long))
		one.between(c.moment, d.moment, long)
		one.apart(a, c, d)
	}},
	{"starts that are given back one after the other leave those before", func(one, two *asker) {
		const n = 10
		a := one.take("lane", ask("first", long))
		for i := range n {
			pick(i, one, two).take("lane", ask(fmt.Sprint(i), long))
		}
		for i := n - 1; i >= 0; i-- { // the engine may have forgotten some, and keep them
			one.done("lane", fmt.Sprint(i))
			one.done("lane", fmt.Sprint(i))
		}
		b := two.take("lane", ask("b", long))
		one.apart(a, b)
		one.between(b.moment, one.take("lane", ask("c", long)).moment, long)
	}},
	{"Done of what was not reserved does nothing", func(one, two *asker) {
		one.done("lane", "a")
		two.done("lane", "")
		a := one.take("lane", ask("a", long))
		one.isNow(a.moment)
		b := one.take("lane", ask("b", long))
		for _, wrong := range []string{"", "c", "A", "aa", "ab", "b ", "\x00"} {
			two.done("lane", wrong)
			two.done("another", "b")
		}
		c := two.take("lane", ask("c", long))
		one.apart(a, b, c)
		one.isNow(two.take("another", ask("b", long)).moment)
	}},
	{"Done leaves a break", func(one, two *asker) {
		began := one.begins("lane", long)
		one.take("lane", ask("a", long))
		one.done("lane", "a")
		one.between(began, two.take("lane", ask("b", long)).moment, long)
	}},
}
