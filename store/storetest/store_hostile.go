package storetest

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/go-polite/polite/store"
)

// Arguments that make no sense.
var hostileStore = []storeTest{
	{"a lease without end does no harm", func(one, two *client) {
		token := one.winsFor("key", "", math.MaxInt64)
		one.pass(one.unit)
		if got := two.claim("key", "", math.MaxInt64); got.Wait <= 0 {
			one.Errorf("Claim = %+v, want a Wait", short(got))
		}
		one.puts("key", token, oldFile)
		two.reads("key", "", token, oldFile)
	}},
	{"an entry without end is kept", func(one, two *client) {
		version := one.stores("key", "", oldFile, math.MaxInt64)
		one.pass(one.unit)
		two.reads("key", "", version, oldFile)
		two.wins("key", version)
	}},
	{"an entry to be kept for no time does no harm", func(one, two *client) {
		version := ""
		for _, keep := range []time.Duration{0, -1, math.MinInt64} {
			version = one.stores("key", version, oldFile, keep)
		}
		two.stores("key", version, newFile, long)
	}},
	{"a Claim whose context has ended fails, or counts", func(one, two *client) {
		ctx, cancel := context.WithCancel(one.Context())
		cancel()
		got, err := one.store.Claim(ctx, "key", "", one.unit)
		if err == nil && got.Token == "" {
			one.Errorf("Claim = %+v without an error, want a Token", short(got))
		}
		for range 10 { // the claim may begin after Claim has returned
			one.outlast(one.unit)
			if two.claim("key", "", long).Token != "" {
				return
			}
		}
		one.Errorf("the claim does not end")
	}},
	{"a Put whose context has ended fails, or counts", func(one, two *client) {
		token := one.wins("key", "")
		ctx, cancel := context.WithCancel(one.Context())
		cancel()
		if err := one.store.Put(ctx, "key", token, oldFile, long); err != nil {
			err = one.store.Put(one.Context(), "key", token, oldFile, long) // again
			if err != nil && !errors.Is(err, store.ErrLost) {
				one.Errorf("Put again: %v", err)
			}
		}
		two.reads("key", "", token, oldFile)
		two.wins("key", token)
	}},
}
