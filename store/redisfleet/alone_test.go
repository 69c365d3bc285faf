package redisfleet_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/go-polite/polite/store/redisfleet/internal/signals"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGoingOnAlone(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{Alone: 4})
	takes(t, f, lane, gapOf("a"))
	s.kill()
	near(t, 4*gap, takes(t, f, lane, gapOf("b")).Wait) // others may have started just before
	near(t, 8*gap, takes(t, f, lane, gapOf("c")).Wait)
	near(t, 8*gap, takes(t, f, lane, gapOf("c")).Wait)
	grant := takes(t, f, lane, store.Ask{Token: "d", Gap: gap, MaxWait: gap})
	assert.True(t, grant.Late)
	assert.Zero(t, takes(t, f, lane, store.Ask{}).Wait)

	assert.True(t, takes(t, f, "slots", slot("a", 8)).Slot)
	assert.True(t, takes(t, f, "slots", slot("b", 8)).Slot)
	assert.True(t, takes(t, f, "slots", slot("c", 8)).Busy, "a fourth of the slots")
	lost, err := f.Renew(t.Context(), lease, map[string]string{"a": "slots", "b": "slots"})
	require.NoError(t, err)
	assert.Empty(t, lost)
	f.Done(t.Context(), "slots", "a", false)
	assert.True(t, takes(t, f, "slots", slot("c", 8)).Slot)
	early := store.Ask{Token: "a", Gap: gap, Slots: 4, Lease: lease, Lead: 5 * gap}
	assert.True(t, takes(t, f, "early", early).Slot, "its start is four gaps away")
	early.Lead = 3 * gap
	assert.False(t, takes(t, f, "too early", early).Slot)

	s.start()
	time.Sleep(1100 * time.Millisecond)
	near(t, gap, takes(t, f, lane, gapOf("e")).Wait) // others may have gone on alone
	near(t, 2*gap, takes(t, f, lane, gapOf("f")).Wait)
}

func TestAloneWhenTheServerStandsStill(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := network.Start(t, s.address())
	f := open(t, p.URL()+"?write_timeout=1s", redisfleet.Options{Alone: 2})
	takes(t, f, lane, gapOf("a"))
	require.NoError(t, signals.Stop(s.process.Process))
	defer signals.Continue(s.process.Process)
	near(t, 2*gap, takes(t, f, lane, gapOf("b")).Wait)
	before := p.Count("EVALSHA")
	takes(t, f, lane, gapOf("b"))
	assert.Equal(t, before, p.Count("EVALSHA"), "the server is not asked each time")
}

// A server that refuses is not away.
func TestRefusedIsNotAlone(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{Alone: 2})
	d.says.Store(&says{command: "EVALSHA", failure: "OOM command not allowed"})
	_, err := f.Take(t.Context(), lane, gapOf("a"))
	require.ErrorContains(t, err, "out of memory")
}
