package redisfleet_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
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
