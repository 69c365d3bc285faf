package storetest

import (
	"fmt"
	"time"

	"github.com/go-polite/polite/store"
)

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
