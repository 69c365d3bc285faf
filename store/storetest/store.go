package storetest

import (
	"slices"
	"testing"

	"github.com/go-polite/polite/store"
)

// TestStore tests whether e keeps to the contract of [store.Store]. It runs a subtest
// for each rule.
func TestStore[E store.Store](t *testing.T, e Engine[E]) {
	tests := slices.Concat(claims, fencing, entries, keys, crowds, hostileStore)
	if e.Reopen != nil {
		tests = append(tests, storeRestarts...)
	}
	for _, test := range tests {
		e.run(t, test.name, func(b *bench, first, second E) {
			one, two := &client{bench: b, store: first}, &client{bench: b, store: second}
			one.reopen = func() {
				first = e.Reopen(b.T, first)
				one.store, b.restarted = first, true
			}
			test.run(one, two)
		})
	}
}
