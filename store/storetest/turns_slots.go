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

// leased returns an Ask for one of so many slots for a time.
func leased(slots int, token string, lease time.Duration) store.Ask {
	return store.Ask{Token: token, Slots: slots, Lease: lease}
}

// When slots are free again.
var slotsFreed = []turnsTest{
	{"Done frees the slot, whether the start was used or not", func(one, two *asker) {
		for i, unused := range []bool{false, true, false} {
			token := fmt.Sprint(i)
			one.slot("lane", oneOf(1, token))
			two.busy("lane", oneOf(1, "another"))
			two.ends("lane", token, unused)
		}
		two.slot("lane", oneOf(1, "another"))
	}},
	{"Done frees the slot and leaves a start that was used", func(one, two *asker) {
		a := one.slot("lane", store.Ask{Token: "a", Gap: long, Slots: 1, Lease: long})
		one.ends("lane", "a", false)
		b := two.slot("lane", store.Ask{Token: "b", Gap: long, Slack: 2 * long, Slots: 1, Lease: long})
		one.between(a.moment, b.moment, long)
	}},
	{"Done of what has no slot frees none", func(one, two *asker) {
		one.slot("lane", oneOf(2, "a"))
		two.slot("lane", oneOf(2, "b"))
		for _, wrong := range []string{"", "c", "A", "aa", "ab", "b ", "\x00"} {
			two.ends("lane", wrong, false)
			two.ends("another", "b", true)
		}
		one.busy("lane", oneOf(2, "c"))
		one.keeps("lane", long, "a", "b")
	}},
	{"a repeated Done frees no slot of another", func(one, two *asker) {
		one.slot("lane", oneOf(1, "a"))
		one.ends("lane", "a", false)
		two.slot("lane", oneOf(1, "b"))
		one.ends("lane", "a", false)
		one.ends("lane", "a", true)
		one.busy("lane", oneOf(1, "c"))
		two.keeps("lane", long, "b")
	}},
	{"the end of its lease frees a slot", func(one, two *asker) {
		one.slot("lane", leased(1, "a", one.unit))
		one.outlast(one.unit)
		two.slot("lane", oneOf(1, "b"))
		one.busy("lane", oneOf(1, "a"))
	}},
	{"each slot has a lease of its own", func(one, two *asker) {
		one.slot("lane", leased(2, "a", long))
		two.slot("lane", leased(2, "b", one.unit))
		one.outlast(one.unit)
		two.slot("lane", leased(2, "c", long))
		one.busy("lane", leased(2, "d", one.unit))
		one.keeps("lane", long, "a", "c")
	}},
	{"only Done and the end of its lease free a slot", func(one, two *asker) {
		one.slot("lane", store.Ask{Token: "a", Gap: long, Slots: 2, Lease: long})
		two.slot("lane", oneOf(2, "b"))
		one.busy("lane", oneOf(1, "a"))
		one.late("lane", store.Ask{Token: "a", Gap: long, NotBefore: 2 * long, MaxWait: long, Slots: 2, Lease: long})
		one.far("lane", store.Ask{Token: "a", Gap: long, NotBefore: 2 * long, Slots: 2, Lease: long})
		one.take("lane", ask("a", long))
		two.begins("lane", long)
		two.left("lane")
		two.busy("lane", store.Ask{Token: "c", Slots: 2, Slack: 2 * long, Lease: long})
		one.keeps("lane", long, "a", "b")
	}},
	{"a repeated Take begins the lease anew", func(one, two *asker) {
		one.slot("lane", leased(1, "a", 3*one.unit))
		one.slot("lane", leased(1, "a", long))
		one.outlast(3 * one.unit)
		two.busy("lane", oneOf(1, "b"))
		one.keeps("lane", long, "a")
	}},
}

// Who has a slot renews its lease.
var renewals = []turnsTest{
	{"Renew lets a slot be taken for longer", func(one, two *asker) {
		one.slot("lane", leased(1, "a", 3*one.unit))
		one.keeps("lane", long, "a")
		two.keeps("lane", long, "a")
		one.outlast(3 * one.unit)
		two.busy("lane", oneOf(1, "b"))
		one.keeps("lane", long, "a")
	}},
	{"a lease that is renewed counts from then", func(one, two *asker) {
		one.slot("lane", leased(1, "a", long))
		one.keeps("lane", one.unit, "a")
		one.outlast(one.unit)
		two.loses("lane", long, "a")
		two.slot("lane", oneOf(1, "b"))
	}},
	{"Renew tells which slots are lost", func(one, two *asker) {
		one.slot("lane", leased(9, "ended", one.unit))
		one.slot("lane", oneOf(9, "freed"))
		one.slot("lane", oneOf(9, "held"))
		two.slot("lane", oneOf(9, "held too"))
		one.far("lane", store.Ask{Token: "to come", Gap: long, NotBefore: long, Slots: 9, Lease: long})
		one.take("lane", ask("without", long))
		one.ends("lane", "freed", false)
		one.outlast(one.unit)
		all := []string{"ended", "freed", "held", "held too", "never taken", "to come", "without"}
		two.renews(long, in("lane", all), "ended", "freed", "never taken", "to come", "without")
		two.renews(long, nil)
	}},
	{"a slot is renewed in its own lane", func(one, two *asker) {
		one.slot("lane", leased(1, "a", one.unit))
		two.slot("another", oneOf(1, "b"))
		two.loses("another", long, "a")
		two.loses("lane", long, "b")
		one.outlast(one.unit)
		two.slot("lane", oneOf(1, "c"))
		two.keeps("another", long, "b")
	}},
	{"Renew renews slots of many lanes", func(one, two *asker) {
		turns := make(map[string]string)
		for i, name := range oddNames() {
			pick(i, one, two).slot(name, oneOf(1, name))
			turns[name] = name
		}
		one.renews(long, turns)
	}},
	{"Renew revives nothing", func(one, two *asker) {
		one.slot("lane", leased(1, "a", one.unit))
		one.outlast(one.unit)
		one.loses("lane", long, "a")
		one.loses("lane", long, "a")
		two.slot("lane", oneOf(1, "b"))
		one.loses("lane", long, "a")
		two.keeps("lane", long, "b")
		one.busy("lane", oneOf(1, "a"))
	}},
}
