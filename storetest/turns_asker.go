package storetest

import (
	"cmp"
	"slices"
	"time"

	"github.com/go-polite/polite"
)

// A turnsTest plays two processes that share turns.
type turnsTest struct {
	name string
	run  func(one, two *asker)
}

// An asker is a process that asks for turns.
type asker struct {
	*bench
	turns  polite.Turns
	reopen func()
}

// ask returns what an asker asks for who wants nothing but a gap.
func ask(token string, gap time.Duration) polite.Ask { return polite.Ask{Token: token, Gap: gap} }

// A start is a reserved one.
type start struct {
	moment
	ask polite.Ask
}

// take reserves a start, and must get it.
func (a *asker) take(lane string, ask polite.Ask) start {
	a.Helper()
	grant, at := a.asks(lane, ask)
	if grant.Late {
		a.Errorf("Take(%.40q, %+v) = %+v, want a start", lane, ask, grant)
	}
	return start{at, ask}
}

// late asks for a start that comes too late.
func (a *asker) late(lane string, ask polite.Ask) {
	a.Helper()
	if grant, _ := a.asks(lane, ask); !grant.Late {
		a.Errorf("Take(%.40q, %+v) = %+v, want Late", lane, ask, grant)
	}
}

// left returns the moment when the break of a lane is over.
func (a *asker) left(lane string) moment {
	a.Helper()
	_, at := a.asks(lane, polite.Ask{Token: "looks"})
	return at
}

// asks calls Take and checks what holds of all grants. It returns the moment that the
// grant is for.
func (a *asker) asks(lane string, ask polite.Ask) (polite.Grant, moment) {
	a.Helper()
	before := a.moment()
	grant, err := a.turns.Take(a.Context(), lane, ask)
	after := a.moment()
	if err != nil {
		a.Errorf("Take(%.40q, %+v): %v", lane, ask, err)
	} else if fault := fault(ask, grant); fault != "" {
		a.Errorf("Take(%.40q, %+v) = %+v: %s", lane, ask, grant, fault)
	}
	return grant, moment{before.from + grant.Wait, after.to + grant.Wait, before.passed + grant.Wait}
}

// fault says what no grant may be.
func fault(ask polite.Ask, grant polite.Grant) string {
	limited := ask.MaxWait > 0
	switch {
	case grant.Wait < 0:
		return "a negative Wait"
	case ask.Gap <= 0:
		return ""
	case grant.Wait < ask.NotBefore:
		return "a start before NotBefore"
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
	if err := a.turns.Done(a.Context(), lane, token); err != nil {
		a.Errorf("Done(%.40q, %q): %v", lane, token, err)
	}
}

// hold begins a break, and returns the moment from which it counts.
func (a *asker) hold(lane string, wait time.Duration) moment {
	a.Helper()
	at := a.moment()
	if err := a.turns.Hold(a.Context(), lane, wait); err != nil {
		a.Errorf("Hold(%.40q, %v): %v", lane, wait, err)
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
