package storetest

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-polite/polite/store"
)

// queueing returns tests that do nothing if Turns has no queue.
func queueing(tests []turnsTest) (all []turnsTest) {
	for _, test := range tests {
		all = append(all, turnsTest{test.name, func(one, two *asker) {
			one.slot("probe", oneOf(1, "a"))
			if grant, _ := two.asks("probe", inQueue(1, "b")); grant.Queued {
				test.run(one, two)
			}
		}})
	}
	return all
}

// inQueue returns an Ask for one of so many slots that waits for it.
func inQueue(slots int, token string) store.Ask {
	ask := oneOf(slots, token)
	ask.Queue = true
	return ask
}

// queues asks for a slot when all are taken, and must get a place in the queue.
func (a *asker) queues(lane string, asks ...store.Ask) {
	a.Helper()
	for _, ask := range asks {
		a.gets("a place in the queue", lane, ask, func(g store.Grant) bool { return g.Queued && g.Busy })
	}
}

// calls waits until it is told that slots are kept for tokens of a lane, in any order, and for no others meanwhile.
func (w *watcher) calls(lane string, tokens ...string) {
	w.Helper()
	for left := slices.Clone(tokens); len(left) > 0; {
		told := w.upTo("a token", func(c store.Change) bool { return c.Token != "" })
		got := told[len(told)-1].Change
		i := slices.Index(left, got.Token)
		if got.Lane != lane || i < 0 {
			w.Fatalf("Watch told of %+v, want the tokens %q of %q", got, left, lane)
		}
		left = slices.Delete(left, i, i+1)
	}
}

// Who waits for a slot.
var queue = queueing([]turnsTest{
	{"a start is reserved together with its slot", func(one, two *asker) {
		first, second := inQueue(2, "a"), inQueue(2, "b")
		first.Gap, second.Gap = one.unit, one.unit
		a, b := one.slot("lane", first), two.slot("lane", second)
		one.between(a.moment, b.moment, one.unit)
		one.keeps("lane", long, "a", "b")
	}},
	{"a start further away than QueueAhead waits for its slot in the queue", func(one, two *asker) {
		first, far := inQueue(2, "a"), inQueue(2, "b")
		first.Gap, far.Gap = long, long
		a := one.slot("lane", first)
		grant, at := two.asks("lane", far)
		if !grant.Queued || grant.Busy {
			one.Errorf("Take of a start that is far = %+v, want a place in the queue, and not Busy", grant)
		}
		one.between(a.moment, at, long)
		two.loses("lane", long, "b")
		one.between(a.moment, one.take("lane", ask("c", long)).moment, long)
	}},
	{"who waits is told when the first lease ends", func(one, two *asker) {
		now := one.moment()
		one.slot("lane", leased(2, "a", 2*long))
		one.slot("lane", leased(2, "b", long))
		grant, at := two.asks("lane", inQueue(2, "c"))
		one.between(now, at.plus(grant.Lease-grant.Wait), long)
	}},
	{"a slot that is freed is kept for the first in the queue", func(one, two *asker) {
		one.slot("lane", oneOf(1, "a"))
		two.queues("lane", inQueue(1, "b"), inQueue(1, "c"))
		one.ends("lane", "a", false)
		one.queues("lane", inQueue(1, "c"), inQueue(1, "d"))
		two.slot("lane", inQueue(1, "b"))
	}},
	{"the Watch of who waits tells whose slot is kept", func(one, two *asker) {
		w := two.watch()
		w.all()
		for i, lane := range oddNames() {
			first, second := fmt.Sprint("a", i), fmt.Sprint("b", i)
			one.slot(lane, oneOf(1, first))
			two.queues(lane, inQueue(1, second))
			one.ends(lane, first, false)
			w.calls(lane, second)
		}
	}},
	{"who takes again keeps its place in the queue", func(one, two *asker) {
		w := two.watch()
		w.all()
		one.slot("lane", oneOf(1, "a"))
		two.queues("lane", inQueue(1, "b"), inQueue(1, "c"), inQueue(1, "b"))
		one.ends("lane", "a", false)
		w.calls("lane", "b")
	}},
	{"Done leaves the queue", func(one, two *asker) {
		w := two.watch()
		w.all()
		one.slot("lane", oneOf(1, "a"))
		two.queues("lane", inQueue(1, "b"), inQueue(1, "c"))
		two.done("lane", "b")
		one.ends("lane", "a", false)
		w.calls("lane", "c")
	}},
	{"a repeated Done keeps one slot", func(one, two *asker) {
		one.slot("lane", oneOf(1, "a"))
		two.queues("lane", inQueue(1, "b"), inQueue(1, "c"))
		one.ends("lane", "a", false)
		one.ends("lane", "a", true)
		two.queues("lane", inQueue(1, "c"))
		two.slot("lane", inQueue(1, "b"))
		one.ends("lane", "a", true)
		two.queues("lane", inQueue(1, "c"))
	}},
	{"several slots are kept for several", func(one, two *asker) {
		w := two.watch()
		w.all()
		one.slot("lane", oneOf(2, "a"))
		one.slot("lane", oneOf(2, "b"))
		two.queues("lane", inQueue(2, "c"), inQueue(2, "d"), inQueue(2, "e"))
		one.ends("lane", "a", false)
		one.ends("lane", "b", false)
		w.calls("lane", "c", "d")
		two.queues("lane", inQueue(2, "e"))
		two.slot("lane", inQueue(2, "c"))
		two.slot("lane", inQueue(2, "d"))
	}},
	{"the Slots of who waits count", func(one, two *asker) {
		one.slot("lane", oneOf(3, "a"))
		one.slot("lane", oneOf(3, "b"))
		two.queues("lane", inQueue(1, "c"), inQueue(2, "d"))
		one.ends("lane", "a", false)
		two.queues("lane", inQueue(1, "c"), inQueue(2, "d"))
		one.ends("lane", "b", false)
		two.slot("lane", inQueue(1, "c"))
		two.slot("lane", inQueue(2, "d"))
	}},
	{"the end of a lease frees a slot for the first in the queue", func(one, two *asker) {
		one.slot("lane", leased(1, "a", one.unit))
		two.queues("lane", inQueue(1, "b"), inQueue(1, "c"))
		one.outlast(one.unit)
		two.queues("lane", inQueue(1, "c"))
		two.slot("lane", inQueue(1, "b"))
	}},
	{"a slot is kept for no longer than QueueHold", func(one, two *asker) {
		one.slot("lane", oneOf(1, "a"))
		two.queues("lane", inQueue(1, "b"), inQueue(1, "c"))
		one.ends("lane", "a", false)
		one.outlast(store.QueueHold)
		two.slot("lane", inQueue(1, "c"))
		two.queues("lane", inQueue(1, "b"))
	}},
	{"who does not wait in the queue gets no slot that is kept", func(one, two *asker) {
		one.slot("lane", oneOf(1, "a"))
		two.queues("lane", inQueue(1, "b"))
		one.busy("lane", oneOf(1, "c"))
		one.ends("lane", "a", false)
		one.busy("lane", oneOf(1, "c"))
		two.slot("lane", inQueue(1, "b"))
	}},
	{"who has a slot keeps it while others wait", func(one, two *asker) {
		has := inQueue(1, "a")
		has.Gap = one.unit
		a := one.slot("lane", has)
		two.queues("lane", inQueue(1, "b"))
		has.NotBefore = 2 * one.unit
		one.between(a.moment, one.slot("lane", has).moment, 2*one.unit)
		two.queues("lane", inQueue(1, "b"))
	}},
	{"who would come too late does not wait", func(one, two *asker) {
		one.slot("lane", oneOf(1, "a"))
		b, c, late := inQueue(1, "b"), inQueue(1, "c"), inQueue(1, "d")
		b.Gap, c.Gap, late.Gap, late.MaxWait = time.Second, time.Second, time.Second, time.Second
		two.queues("lane", b, c)
		two.late("lane", late)
		two.done("lane", "b")
		two.queues("lane", late)
		late.NotBefore = 2 * time.Second
		two.late("lane", late)
		w := two.watch()
		w.all()
		two.done("lane", "c")
		two.queues("lane", inQueue(1, "e"))
		one.ends("lane", "a", false)
		w.calls("lane", "e")
	}},
	{"a slot without a start reserves none", func(one, two *asker) {
		bare := inQueue(1, "a")
		bare.Gap, bare.Lead, bare.Startless = long, long, true
		one.gets("a slot without a start", "lane", bare, func(g store.Grant) bool { return g.Slot && g.Startless })
		first := two.take("lane", ask("b", one.unit))
		one.isNow(first.moment)
		bare.Gap, bare.Startless = one.unit, false
		one.between(first.moment, one.slot("lane", bare).moment, one.unit)
		two.queues("lane", inQueue(1, "c"))
	}},
})
