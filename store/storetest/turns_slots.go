package storetest

import (
	"fmt"
	"time"

	"github.com/go-polite/polite/store"
)

// How many requests may be under way.
var slotsTaken = []turnsTest{
	{"each lane has slots of its own", func(one, two *asker) {
		for i, lane := range oddNames() {
			one.slot(lane, oneOf(1, fmt.Sprint(i)))
			two.busy(lane, oneOf(1, "another"))
		}
	}},
	{"each asker's own Slots counts", func(one, two *asker) {
		one.slot("lane", oneOf(3, "a"))
		two.slot("lane", oneOf(3, "b"))
		one.busy("lane", oneOf(2, "c"))
		two.busy("lane", oneOf(1, "c"))
		one.slot("lane", oneOf(3, "c"))
		two.busy("lane", oneOf(3, "d"))
		two.slot("lane", oneOf(9, "d"))
	}},
	{"each token has a slot of its own", func(one, two *asker) {
		tokens := oddNames()
		for i, token := range tokens {
			pick(i, one, two).slot("lane", oneOf(len(tokens), token))
		}
		one.busy("lane", oneOf(len(tokens), "another"))
		two.keeps("lane", long, tokens...)
		for _, token := range tokens {
			one.ends("lane", token, false)
			two.loses("lane", long, token)
		}
	}},
	{"a slot does not count against the token that has it", func(one, two *asker) {
		for range 3 {
			one.slot("lane", oneOf(1, "a"))
		}
		two.slot("lane", oneOf(2, "b"))
		one.slot("lane", oneOf(2, "a"))
		two.busy("lane", oneOf(2, "c"))
	}},
	{"what is busy reserves no start", func(one, two *asker) {
		a := one.slot("lane", store.Ask{Token: "a", Gap: long, Slots: 1, Lease: long})
		two.busy("lane", store.Ask{Token: "b", Gap: 9 * long, Slack: 9 * long, Slots: 1, Lease: long})
		two.busy("lane", store.Ask{Token: "c", Gap: long, Slack: long, Slots: 1, Lease: long})
		one.between(a.moment, two.take("lane", ask("d", long)).moment, long)
	}},
	{"what is late takes no slot", func(one, two *asker) {
		one.late("lane", store.Ask{Token: "a", NotBefore: 2 * long, MaxWait: long, Slack: 3 * long, Slots: 1, Lease: long})
		one.late("lane", store.Ask{Token: "a", Gap: long, NotBefore: 2 * long, MaxWait: long, Slack: 3 * long, Slots: 1, Lease: long})
		two.loses("lane", long, "a")
		two.slot("lane", oneOf(1, "b"))
	}},
	{"a lane may have slots and no gap", func(one, two *asker) {
		for i := range 3 {
			a := oneOf(3, fmt.Sprint(i))
			a.Slack = long
			one.isNow(one.slot("lane", a).moment)
		}
		two.busy("lane", oneOf(3, "a"))
		now := one.moment()
		one.between(now, two.far("lane", store.Ask{Token: "b", Slots: 3, NotBefore: long}).moment, long)
	}},
}

// A request takes its slot when its start is near.
var slotsNear = []turnsTest{
	{"a start further away than its slack and lead has no slot", func(one, two *asker) {
		for i, lead := range []time.Duration{0, 2 * long} {
			lane := fmt.Sprint("lane", i)
			one.far(lane, store.Ask{Token: "a", Gap: long, NotBefore: 2*long + lead, Slack: long, Lead: lead, Slots: 1, Lease: long})
			one.far(lane, store.Ask{Token: "b", NotBefore: 2*long + lead, Slack: long, Lead: lead, Slots: 1, Lease: long})
			two.loses(lane, long, "a", "b")
			two.slot(lane, oneOf(1, "c"))
		}
	}},
	{"a start further away than its slack is reserved, also if all slots are taken", func(one, two *asker) {
		one.slot("lane", oneOf(1, "a"))
		b := two.far("lane", store.Ask{Token: "b", Gap: long, NotBefore: 2 * long, Slack: long, Slots: 1, Lease: long})
		one.between(b.moment, one.take("lane", ask("c", 3*long)).moment, 4*long)
	}},
	{"a start no further away than its slack takes a slot", func(one, two *asker) {
		now := one.moment()
		a := one.slot("lane", store.Ask{Token: "a", Gap: long, NotBefore: long, Slack: long, Slots: 2, Lease: long})
		b := two.slot("lane", store.Ask{Token: "b", Gap: long, Slack: 3 * long, Slots: 2, Lease: long})
		one.between(now, a.moment, long)
		one.between(a.moment, b.moment, 2*long)
		two.busy("lane", oneOf(2, "c"))
	}},
	{"a start no further away than its slack and lead may take a slot", func(one, two *asker) {
		_, slot := one.early("lane", store.Ask{Token: "a", Gap: long, NotBefore: 2 * long, Slack: long, Lead: 2 * long, Slots: 1, Lease: long})
		if slot {
			two.keeps("lane", long, "a")
			two.busy("lane", oneOf(1, "b"))
		} else {
			two.loses("lane", long, "a")
			two.slot("lane", oneOf(1, "b"))
		}
	}},
	{"a start no further away than its slack and lead may be busy, and is not reserved then", func(one, two *asker) {
		one.slot("lane", oneOf(1, "a"))
		early := store.Ask{Token: "b", Gap: long, NotBefore: 2 * long, Slack: long, Lead: 2 * long, Slots: 1, Lease: long}
		grant, b := two.asks("lane", early)
		c := one.take("lane", ask("c", 3*long))
		if grant.Busy {
			one.isNow(c.moment)
		} else {
			one.between(b, c.moment, 3*long+early.Slack)
		}
	}},
	{"a lead changes no start", func(one, two *asker) {
		again := store.Ask{Token: "a", Gap: long, Slack: long, Lead: 2 * long, Slots: 2, Lease: long}
		first := again
		first.NotBefore, first.Lead = 2*long, 0
		a := one.far("lane", first)
		b := two.take("lane", ask("b", 3*long))
		once, _ := one.early("lane", again)
		one.between(a.moment, once.moment, 0)
		one.between(a.moment, b.moment, 3*long+again.Slack)
		last, _ := two.early("lane", store.Ask{Token: "c", Gap: 3 * long, Lead: 9 * long, Slots: 2, Lease: long})
		one.between(b.moment, last.moment, 3*long)
		one.between(last.moment, two.take("lane", ask("d", 3*long)).moment, 3*long)
	}},
	{"who takes again when his start is near gets the same start and a slot", func(one, two *asker) {
		again := store.Ask{Token: "a", Gap: one.unit, Slack: 39 * one.unit / 2, Slots: 1, Lease: long}
		first := again
		first.NotBefore = 20 * one.unit
		a := one.far("lane", first)
		b := two.take("lane", ask("b", long))
		one.pass(one.unit)
		one.between(a.moment, one.slot("lane", again).moment, 0)
		two.busy("lane", oneOf(1, "c"))
		one.between(a.moment, b.moment, long+again.Slack)
	}},
	{"a break lets slots be taken when its end is near", func(one, two *asker) {
		began := one.begins("lane", 2*long)
		one.between(began, two.far("lane", oneOf(1, "a")).moment, 2*long)
		two.late("lane", store.Ask{Token: "a", Slots: 1, Lease: long, Slack: 3 * long, MaxWait: long})
		two.loses("lane", long, "a")
		near := store.Ask{Token: "a", Slots: 1, Lease: long, Slack: 3 * long}
		one.between(began, two.slot("lane", near).moment, 2*long)
		near.Token, near.Gap = "b", long
		one.busy("lane", near)
	}},
}
