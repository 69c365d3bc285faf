package redisfleet_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A Fleet that is closed while many call it stays closed.
func TestCloseWhileCalled(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	for round := range 4 {
		f := open(t, "redis://127.0.0.1:"+s.port, redisfleet.Options{})
		calls := make(chan struct{})
		ctx, stop := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					brief, cancel := context.WithTimeout(ctx, time.Duration(n%7)*time.Millisecond)
					f.Take(brief, lane, store.Ask{Token: fmt.Sprint(i, n), Gap: time.Millisecond})
					f.Watch(brief, func(store.Change) {})
					cancel()
					select {
					case calls <- struct{}{}:
					default:
					}
				}
			})
		}
		for range 200 {
			<-calls
		}
		f.Close()
		_, err := f.Take(t.Context(), lane, gapOf("late"))
		require.ErrorContains(t, err, "closed", round)
		stop()
		all.Wait()
	}
}

func TestZeroFleet(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	f := new(redisfleet.Fleet)
	for name, call := range map[string]func() error{
		"Take":         func() error { _, err := f.Take(ctx, lane, gapOf("a")); return err },
		"Done":         func() error { return f.Done(ctx, lane, "a", true) },
		"Renew":        func() error { _, err := f.Renew(ctx, lease, map[string]string{"a": lane}); return err },
		"Break":        func() error { return f.Break(ctx, lane, gap) },
		"Break of 0 s": func() error { return f.Break(ctx, lane, 0) },
		"Watch":        func() error { return f.Watch(ctx, func(store.Change) {}) },
		"Claim":        func() error { _, err := f.Claim(ctx, "key", "", gap); return err },
		"Put":          func() error { return f.Put(ctx, "key", "token", nil, gap) },
	} {
		assert.ErrorContains(t, call(), "open one with Open or New", name)
	}
	f.Close()
	f.Close()
	assert.ErrorContains(t, f.Break(ctx, lane, gap), "open one with Open or New")
}
