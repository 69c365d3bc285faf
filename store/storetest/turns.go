package storetest

import (
	"slices"
	"testing"

	"github.com/go-polite/polite/store"
)

// TestTurns tests whether e keeps to the contract of [store.Turns]. It runs a subtest
// for each rule. If E is a [store.Store], too, it also tests what Watch tells of entries. If
// E is a [store.Reporter] or wraps one, it tests Report, and Teach if it is or wraps a [store.Teacher]. If E has
// a Close, it also tests that Watch ends with it; then Close may be called twice.
func TestTurns[E store.Turns](t *testing.T, e Engine[E]) {
	tests := slices.Concat(gaps, tooLate, replaced, givenBack, slotsTaken, slotsNear, slotsFreed, renewals,
		breaks, watching, turnsCrowds, turnsHostile)
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
