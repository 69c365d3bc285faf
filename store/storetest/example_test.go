package storetest_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/store/memstore"
	"github.com/go-polite/polite/store/storetest"
)

// A test of an engine of your own looks like this one, which tests package memstore.
func ExampleTestStore() {
	_ = func(t *testing.T) { // TestStore, in a file of yours
		storetest.TestStore(t, storetest.Engine[*memstore.Entries]{
			Open:   func(t *testing.T) *memstore.Entries { return new(memstore.Entries) },
			Bubble: true, // its clock is time.Now
		})
	}
}

// An engine on another machine has a clock of its own, and cannot be in a bubble.
func ExampleTestTurns() {
	open := func(t *testing.T) *memstore.Turns { return new(memstore.Turns) } // connects, and calls t.Cleanup
	_ = func(t *testing.T) {                                                  // TestTurns, in a file of yours
		storetest.TestTurns(t, storetest.Engine[*memstore.Turns]{
			Open: open,
			Join: func(_ *testing.T, l *memstore.Turns) *memstore.Turns { return l }, // connects again
			Unit: 2 * time.Second,                                                    // if its clock is coarse
		})
	}
}
