package redisfleet_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Processes that go on alone have no more under way than the limit allows, all together.
func TestAloneKeepsTheLimitOfTheFleet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ processes, slots int }{{6, 2}, {4, 1}, {3, 8}, {4, 4}} {
		t.Run(fmt.Sprintf("%d processes, slots %d", c.processes, c.slots), func(t *testing.T) {
			s := startServer(t)
			var fleets []*redisfleet.Fleet
			for range c.processes {
				fleets = append(fleets, open(t, s.url(), redisfleet.Options{Alone: c.processes}))
			}
			s.kill()
			under := 0
			for i, f := range fleets {
				for j := range c.slots {
					grant, err := f.Take(t.Context(), "alone", slot(fmt.Sprint(i, "-", j), c.slots))
					if c.slots < c.processes {
						assert.ErrorContains(t, err, "could not be reached")
					}
					if grant.Slot {
						under++
					}
				}
			}
			assert.LessOrEqual(t, under, c.slots, "slots that are taken at the same time")
		})
	}
}

// A server that begins to evict while a fleet runs may forget starts and breaks: turns fail,
// and the error says what to do.
func TestEvictionThatBeginsLaterIsNoticed(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	watch := make(chan error, 1)
	go func() { watch <- f.Watch(ctx, func(store.Change) {}) }()
	takes(t, f, lane, gapOf("a"))
	do(t, s.client(), "CONFIG SET maxmemory-policy allkeys-lru")
	require.Eventually(t, func() bool {
		_, err := f.Take(t.Context(), lane, gapOf("b"))
		return err != nil && assert.ErrorContains(t, err, "noeviction")
	}, 20*time.Second, 100*time.Millisecond, "turns fail")
}
