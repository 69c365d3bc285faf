package storetest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/storetest"
)

// A test of an engine of your own looks like this one, which tests Memory.
func ExampleTestStore() {
	_ = func(t *testing.T) { // TestStore, in a file of yours
		storetest.TestStore(t, storetest.Engine[*storetest.Memory]{
			Open:   func(t *testing.T) *storetest.Memory { return new(storetest.Memory) },
			Bubble: true, // its clock is time.Now
		})
	}
}

// An engine on another machine has a clock of its own, and cannot be in a bubble.
func ExampleTestTurns() {
	open := func(t *testing.T) *storetest.Lanes { return new(storetest.Lanes) } // connects, and calls t.Cleanup
	_ = func(t *testing.T) {                                                    // TestTurns, in a file of yours
		storetest.TestTurns(t, storetest.Engine[*storetest.Lanes]{
			Open: open,
			Join: func(_ *testing.T, l *storetest.Lanes) *storetest.Lanes { return l }, // connects again
			Unit: 2 * time.Second,                                                      // if its clock is coarse
		})
	}
}

// Who has no entry fetches it. All others wait, and then have it too.
func ExampleMemory() {
	var store store.Store = new(storetest.Memory)
	ctx := context.Background()
	first, _ := store.Claim(ctx, "https://example.org", "", time.Minute)
	second, _ := store.Claim(ctx, "https://example.org", "", time.Minute)
	fmt.Println("the first may fetch:", first.Token != "")
	fmt.Println("the second may wait:", second.Wait > 0)

	err := store.Put(ctx, "https://example.org", first.Token, []byte("what the site answered"), time.Hour)
	second, _ = store.Claim(ctx, "https://example.org", "", time.Minute)
	fmt.Println(err, string(second.Entry))
	// Output:
	// the first may fetch: true
	// the second may wait: true
	// <nil> what the site answered
}

// Two processes take turns at a site, until it asks for a break.
func ExampleLanes() {
	var turns store.Turns = new(storetest.Lanes)
	ctx := context.Background()
	take := func(token string) {
		grant, _ := turns.Take(ctx, "https://example.org", store.Ask{Token: token, Gap: 10 * time.Second})
		fmt.Println(token, "waits", grant.Wait.Round(time.Second))
	}
	take("one")
	take("another")
	turns.Break(ctx, "https://example.org", time.Hour)
	take("one more")
	// Output:
	// one waits 0s
	// another waits 10s
	// one more waits 1h0m0s
}
