package storetest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
)

// TestTurns tests whether e keeps to the contract of [store.Turns]. It runs a subtest
// for each rule. If E is a [store.Store], too, it also tests what Watch tells of entries. If
// E is a [store.Reporter] or wraps one, it tests Report, and Teach if it is or wraps a [store.Teacher]. If a token
// can wait in a queue, it tests the queue. If E has a Close, it also tests that Watch ends with it; then Close may be called twice.
func TestTurns[E store.Turns](t *testing.T, e Engine[E]) {
	tests := slices.Concat(gaps, tooLate, replaced, givenBack, slotsTaken, slotsNear, slotsFreed, renewals,
		queue, breaks, watching, turnsCrowds, turnsHostile)
	if _, ok := any(*new(E)).(store.Store); ok {
		tests = append(tests, telling...)
	}
	tests = append(tests, of[store.Reporter](reporting)...)
	tests = append(tests, of[store.Teacher](teaching)...)
	if e.Reopen != nil {
		tests = append(tests, turnsRestarts...)
	}
	for _, test := range tests {
		e.run(t, test.name, func(b *bench, first, second E) {
			one, two := &asker{bench: b, turns: first}, &asker{bench: b, turns: second}
			one.reopen = func() {
				first = e.Reopen(b.T, first)
				one.turns, b.restarted = first, true
			}
			test.run(one, two)
		})
	}
}

// of returns tests that do nothing unless Turns is a T, or wraps one.
func of[T store.Turns](tests []turnsTest) (all []turnsTest) {
	for _, test := range tests {
		all = append(all, turnsTest{test.name, func(one, two *asker) {
			if _, ok := store.As[T](one.turns); ok {
				test.run(one, two)
			}
		}})
	}
	return all
}

// A turnsTest plays two processes that share turns.
type turnsTest struct {
	name string
	run  func(one, two *asker)
}

// An asker is a process that asks for turns.
type asker struct {
	*bench
	turns  store.Turns
	reopen func()
}

// ask returns an Ask with nothing but a gap.
func ask(token string, gap time.Duration) store.Ask { return store.Ask{Token: token, Gap: gap} }

// oneOf returns an Ask for nothing but one of so many slots.
func oneOf(slots int, token string) store.Ask {
	return store.Ask{Token: token, Slots: slots, Lease: long}
}

// A start is a reserved one.
type start struct {
	moment
	ask store.Ask
}

// take reserves a start, and must get it.
func (a *asker) take(lane string, ask store.Ask) start {
	a.Helper()
	return a.gets("a start", lane, ask, func(g store.Grant) bool { return !g.Late && !g.Busy })
}

// late asks for a start that comes too late.
func (a *asker) late(lane string, ask store.Ask) {
	a.Helper()
	a.gets("Late", lane, ask, func(g store.Grant) bool { return g.Late })
}

// slot takes a slot, and must get it.
func (a *asker) slot(lane string, ask store.Ask) start {
	a.Helper()
	return a.gets("a slot", lane, ask, func(g store.Grant) bool { return g.Slot })
}

// busy asks for a slot when all are taken.
func (a *asker) busy(lane string, ask store.Ask) {
	a.Helper()
	a.gets("Busy", lane, ask, func(g store.Grant) bool { return g.Busy })
}

// far asks for a slot, and must get a start that is too far away for it.
func (a *asker) far(lane string, ask store.Ask) start {
	a.Helper()
	return a.gets("a start without a slot", lane, ask, func(g store.Grant) bool { return !g.Late && !g.Busy && !g.Slot })
}

// early asks for a slot, and must get a start. It reports whether this has its slot already.
func (a *asker) early(lane string, ask store.Ask) (s start, slot bool) {
	a.Helper()
	s = a.gets("a start", lane, ask, func(g store.Grant) bool {
		slot = g.Slot
		return !g.Late && !g.Busy
	})
	return s, slot
}

// gets asks, and must get a grant as wanted.
func (a *asker) gets(want, lane string, ask store.Ask, is func(store.Grant) bool) start {
	a.Helper()
	grant, at := a.asks(lane, ask)
	if !is(grant) {
		a.Errorf("Take(%.40q, %+v) = %+v, want %s", lane, ask, grant, want)
	}
	return start{at, ask}
}

// left returns the moment when the break of a lane is over.
func (a *asker) left(lane string) moment {
	a.Helper()
	_, at := a.asks(lane, store.Ask{Token: "looks"})
	return at
}

// asks calls Take and checks what holds of all grants. It returns the moment that the
// grant is for.
func (a *asker) asks(lane string, ask store.Ask) (store.Grant, moment) {
	a.Helper()
	before := a.moment()
	grant, err := a.turns.Take(a.Context(), lane, ask)
	after := a.moment()
	if err != nil {
		a.Errorf("Take(%.40q, %+v): %v", lane, ask, err)
	} else if fault := fault(ask, grant); fault != "" {
		a.Errorf("Take(%.40q, %+v) = %+v: %s", lane, ask, grant, fault)
	}
	return grant, moment{before.from, after.to, before.passed}.plus(grant.Wait)
}

// fault says which rule of all grants is broken.
func fault(ask store.Ask, grant store.Grant) string {
	limited, slots := ask.MaxWait > 0, ask.Slots > 0
	ahead := grant.Wait - max(ask.Slack, 0) // of the time by which it needs its slot
	near, early := slots && ahead <= 0, slots && (ahead <= max(ask.Lead, 0) || ask.Queue)
	switch {
	case (grant.Queued || grant.Startless) && !(slots && ask.Queue):
		return "an answer of the queue for who does not wait in it"
	case grant.Queued && (grant.Slot || grant.Late), grant.Startless && !grant.Slot:
		return "more than one answer"
	case grant.Lease != 0 && !(grant.Queued && grant.Busy):
		return "a Lease for who waits for no slot"
	case grant.Queued && grant.Wait >= 0:
		return ""
	case grant.Wait < 0:
		return "a negative Wait"
	case ask.Gap <= 0 && !slots && (grant.Slot || grant.Late || grant.Busy):
		return "more than a Wait for who asks for nothing"
	case ask.Gap <= 0 && !slots:
		return ""
	case grant.Wait < ask.NotBefore:
		return "a start before NotBefore"
	case grant.Busy && grant.Slot, grant.Late && grant.Slot, grant.Late && grant.Busy:
		return "more than one answer"
	case !early && (grant.Slot || grant.Busy):
		return "a slot that is not needed yet"
	case near && !grant.Slot && !grant.Busy && !grant.Late:
		return "no slot, and not Busy"
	case limited && !grant.Late && grant.Wait > ask.MaxWait:
		return "a start after MaxWait that is not Late"
	case !limited && grant.Late:
		return "Late without a MaxWait"
	case grant.Late && grant.Wait <= ask.MaxWait:
		return "Late for a start before MaxWait"
	}
	return ""
}

// done gives a start back.
func (a *asker) done(lane, token string) {
	a.Helper()
	a.ends(lane, token, true)
}

// ends ends what a token has. unused says that the start was not used.
func (a *asker) ends(lane, token string, unused bool) {
	a.Helper()
	if err := a.turns.Done(a.Context(), lane, token, unused); err != nil {
		a.Errorf("Done(%.40q, %.40q, %v): %v", lane, token, unused, err)
	}
}

// keeps renews slots of a lane, and must not find them lost.
func (a *asker) keeps(lane string, lease time.Duration, tokens ...string) {
	a.Helper()
	a.renews(lease, in(lane, tokens))
}

// loses renews slots of a lane, and must find them lost.
func (a *asker) loses(lane string, lease time.Duration, tokens ...string) {
	a.Helper()
	a.renews(lease, in(lane, tokens), tokens...)
}

// in returns tokens of a lane, as Renew wants them.
func in(lane string, tokens []string) map[string]string {
	turns := make(map[string]string, len(tokens))
	for _, token := range tokens {
		turns[token] = lane
	}
	return turns
}

// renews renews slots, and must find some of them lost.
func (a *asker) renews(lease time.Duration, turns map[string]string, lost ...string) {
	a.Helper()
	got, err := a.turns.Renew(a.Context(), lease, turns)
	if err != nil {
		a.Errorf("Renew(%v): %v", lease, err)
	}
	got, lost = slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(lost))
	if !slices.Equal(got, lost) {
		a.Errorf("Renew tells that %.80q of %d are lost, want %.80q", got, len(turns), lost)
	}
}

// begins begins a break, and returns the moment from which it counts.
func (a *asker) begins(lane string, wait time.Duration) moment {
	a.Helper()
	at := a.moment()
	if err := a.turns.Break(a.Context(), lane, wait); err != nil {
		a.Errorf("Break(%.40q, %v): %v", lane, wait, err)
	}
	return at
}

// between checks that from one moment to another is some time, as far as the tests can
// tell.
func (b *bench) between(first, second moment, want time.Duration) {
	b.Helper()
	b.notSooner(first, second, want)
	if got := second.passed - first.passed; got > want+b.tick() {
		b.Errorf("the time between is %v, want %v", got, want)
	}
}

// notSooner checks that from one moment to another is some time or more.
func (b *bench) notSooner(first, second moment, want time.Duration) {
	b.Helper()
	got, least := second.to-first.from, want
	if b.restarted {
		least -= b.tick()
	}
	if got < least {
		b.Errorf("the time between is %v, want no less than %v", got, want)
	}
}

// isNow checks that nobody has to wait for a moment.
func (b *bench) isNow(m moment) {
	b.Helper()
	if left := m.passed - b.moment().passed; left > b.tick() {
		b.Errorf("%v are left, want none", left)
	}
}

// apart checks that starts keep the gaps that were asked for, in whatever order they
// were reserved.
func (b *bench) apart(starts ...start) {
	b.Helper()
	slices.SortFunc(starts, func(a, b start) int { return cmp.Compare(a.from, b.from) })
	for i := range starts[1:] {
		first, second := starts[i], starts[i+1]
		b.notSooner(first.moment, second.moment, max(first.ask.Gap, second.ask.Gap)+first.ask.Slack)
	}
}
