package memstore_test

import (
	"context"
	"fmt"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
)

// One caller fetches an entry. All others wait, and then have it, too.
func ExampleEntries() {
	var store store.Store = new(memstore.Entries)
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
func ExampleTurns() {
	var turns store.Turns = new(memstore.Turns)
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
