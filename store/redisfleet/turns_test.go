package redisfleet_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	lane  = "origin http://example.org:80"
	gap   = time.Minute
	lease = 10 * time.Second
)

// takes takes a turn that must be granted without an error.
func takes(t testing.TB, f *redisfleet.Fleet, lane string, ask store.Ask) store.Grant {
	t.Helper()
	grant, err := f.Take(t.Context(), lane, ask)
	require.NoError(t, err)
	return grant
}

// slot asks for one of n slots.
func slot(token string, n int) store.Ask { return store.Ask{Token: token, Slots: n, Lease: lease} }

// near checks that a wait is want, or less by what the test took: on a busy machine some seconds.
func near(t testing.TB, want, got time.Duration) {
	t.Helper()
	assert.LessOrEqual(t, got, want)
	assert.GreaterOrEqual(t, got, max(want/2, want-gap/2))
}

func TestSlots(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{})
	assert.True(t, takes(t, f, lane, slot("a", 2)).Slot)
	assert.True(t, takes(t, f, lane, slot("b", 2)).Slot)
	assert.Equal(t, store.Grant{Busy: true}, takes(t, f, lane, slot("c", 2)))
	assert.True(t, takes(t, f, lane, slot("a", 2)).Slot, "who has one keeps it")

	require.NoError(t, f.Done(t.Context(), lane, "a", false))
	require.NoError(t, f.Done(t.Context(), lane, "a", false))
	assert.True(t, takes(t, f, lane, slot("c", 2)).Slot, "a was done")
	assert.True(t, takes(t, f, lane, slot("d", 2)).Busy)

	d.pass(lease / 2)
	lost, err := f.Renew(t.Context(), lease, map[string]string{"b": lane, "a": lane, "x": "another"})
	require.NoError(t, err)
	assert.ElementsMatch(t, []string{"a", "x"}, lost)
	d.pass(lease/2 + time.Second)
	assert.True(t, takes(t, f, lane, slot("d", 2)).Slot, "the lease of c has ended")
	assert.True(t, takes(t, f, lane, slot("e", 2)).Busy, "b was renewed")
	lost, _ = f.Renew(t.Context(), lease, map[string]string{"c": lane})
	assert.Equal(t, []string{"c"}, lost)
	d.pass(lease)
	lost, _ = f.Renew(t.Context(), lease, map[string]string{"d": lane})
	assert.Equal(t, []string{"d"}, lost, "nobody has it, but its lease has ended")
}

// A slot is taken for as long as it is renewed, also if there are no turns meanwhile.
func TestSlotIsHeldForLong(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{})
	require.True(t, takes(t, f, lane, slot("a", 1)).Slot)
	for range 200 {
		d.pass(lease / 2)
		lost, err := f.Renew(t.Context(), lease, map[string]string{"a": lane})
		require.NoError(t, err)
		require.Empty(t, lost)
	}
	assert.True(t, takes(t, f, lane, slot("b", 1)).Busy)
}

func TestSlotNearTheStart(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{})
	ask := func(token string) store.Ask {
		return store.Ask{Token: token, Gap: gap, Slack: time.Second, Slots: 1, Lease: lease}
	}
	assert.True(t, takes(t, f, lane, ask("a")).Slot)
	far := takes(t, f, lane, ask("b"))
	assert.False(t, far.Slot || far.Busy, "a start that is far away has no slot")
	near(t, gap+time.Second, far.Wait)
	d.pass(far.Wait - time.Second/2)
	again := takes(t, f, lane, ask("b"))
	assert.True(t, again.Slot, "the lease of a has ended")
	near(t, time.Second/2, again.Wait)

	d.pass(lease - time.Second)
	assert.False(t, takes(t, f, lane, ask("c")).Busy)
	d.pass(gap)
	require.True(t, takes(t, f, lane, ask("c")).Slot)
	busy := takes(t, f, lane, store.Ask{Token: "d", Slots: 1, Lease: lease})
	assert.True(t, busy.Busy)
	near(t, gap+time.Second, takes(t, f, lane, ask("e")).Wait)
}

func TestSlotAheadOfTheStart(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{})
	ask := func(token string, lead time.Duration) store.Ask {
		return store.Ask{Token: token, Gap: gap, Slack: time.Second, Slots: 1, Lease: lease, Lead: lead}
	}
	takes(t, f, lane, gapOf("a"))
	far := takes(t, f, lane, ask("b", gap-5*time.Second))
	assert.False(t, far.Slot || far.Busy, "the start is further away than the slack and the lead")
	d.pass(10 * time.Second)
	again := takes(t, f, lane, ask("b", gap-5*time.Second))
	assert.True(t, again.Slot)
	near(t, far.Wait-10*time.Second, again.Wait)
	assert.True(t, takes(t, f, lane, slot("c", 1)).Busy)
	assert.True(t, takes(t, f, lane, ask("d", 1000*time.Hour)).Busy, "a lead of a day is the longest")
	near(t, again.Wait+gap+time.Second, takes(t, f, lane, ask("e", -time.Hour)).Wait)
}

func TestManySlotsAtOnce(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	fleets := []*redisfleet.Fleet{open(t, s.url(), redisfleet.Options{}), open(t, s.url(), redisfleet.Options{})}
	granted := make(chan bool, 100)
	for i := range cap(granted) {
		go func() {
			grant, err := fleets[i%2].Take(context.Background(), lane, slot(fmt.Sprint(i), 7))
			granted <- err == nil && grant.Slot
		}()
	}
	n := 0
	for range cap(granted) {
		if <-granted {
			n++
		}
	}
	assert.Equal(t, 7, n)
}

func TestRenewManyInOneRoundTrip(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := network.Start(t, s.address())
	f := open(t, p.URL(), redisfleet.Options{})
	turns := make(map[string]string)
	for i := range 50 {
		token, lane := fmt.Sprint("token", i), fmt.Sprint("lane", i/2)
		require.True(t, takes(t, f, lane, slot(token, 2)).Slot)
		turns[token] = lane
	}
	turns["lost"] = "lane0"
	_, err := f.Renew(t.Context(), lease, turns) // the server learns the script
	require.NoError(t, err)
	before := p.Count("EVALSHA")
	lost, err := f.Renew(t.Context(), lease, turns)
	require.NoError(t, err)
	assert.Equal(t, []string{"lost"}, lost)
	assert.Equal(t, 25, p.Count("EVALSHA")-before, "a command a lane")

	do(t, s.client(), "SCRIPT FLUSH")
	lost, err = f.Renew(t.Context(), lease, turns)
	require.NoError(t, err)
	assert.Equal(t, []string{"lost"}, lost)
}

func TestScriptsAreLoadedAgain(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{})
	takes(t, f, lane, store.Ask{Token: "a", Gap: gap})
	do(t, s.client(), "SCRIPT FLUSH")
	near(t, gap, takes(t, f, lane, store.Ask{Token: "b", Gap: gap}).Wait)
}

// A lane outlives the short gap of one for the long gap of another.
func TestLaneOutlivesItsTurns(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{})
	takes(t, f, lane, store.Ask{Token: "a", Gap: 100 * time.Millisecond})
	d.pass(9 * time.Minute)
	near(t, time.Minute, takes(t, f, lane, store.Ask{Token: "b", Gap: 10 * time.Minute}).Wait)
	d.pass(30 * time.Minute)
	assert.Empty(t, slices.DeleteFunc(d.Keys(), func(key string) bool { return key == "test:{breaks}:generation" }),
		"idle lanes are forgotten")
}

func TestLongBreakIsKept(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{})
	takes(t, f, lane, store.Ask{Token: "before", Gap: time.Second})
	require.NoError(t, f.Break(t.Context(), lane, 5*time.Hour))
	d.pass(4 * time.Hour)
	near(t, time.Hour, takes(t, f, lane, store.Ask{}).Wait)
	near(t, time.Hour, takes(t, f, lane, store.Ask{Token: "a", Gap: time.Second}).Wait)
}

// Many processes reserve far ahead: this is no damage.
func TestFarReservations(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{})
	const long = 40 * time.Minute
	for i := range 10 {
		near(t, time.Duration(i)*long, takes(t, f, lane, store.Ask{Token: fmt.Sprint(i), Gap: long}).Wait)
	}
}

func TestServerClockIsSet(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name        string
		step        time.Duration
		least, most time.Duration
	}{
		{"back by a minute: the lane stalls for it", -time.Minute, gap + gap/2, 2 * gap},
		{"back by two hours: the lane begins again", -2 * time.Hour, gap / 2, gap},
		{"forward by a minute", time.Minute, 0, 0},
		{"forward by two hours", 2 * time.Hour, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := startDouble(t)
			f := open(t, d.url(), redisfleet.Options{})
			takes(t, f, lane, store.Ask{Token: "a", Gap: gap})
			d.step(test.step)
			wait := takes(t, f, lane, store.Ask{Token: "b", Gap: gap}).Wait
			assert.GreaterOrEqual(t, wait, test.least)
			assert.LessOrEqual(t, wait, test.most)
		})
	}
}

// A start that is given back when it is over leaves the gap to the one before it.
func TestGivenBackWhenOver(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{})
	takes(t, f, lane, store.Ask{Token: "used", Gap: time.Second})
	takes(t, f, lane, store.Ask{Token: "unused", Gap: time.Second})
	d.pass(5 * time.Second)
	takes(t, f, lane, store.Ask{Token: "given back", Gap: time.Second, Slack: time.Second})
	require.NoError(t, f.Done(t.Context(), lane, "given back", true))
	require.NoError(t, f.Done(t.Context(), lane, "unused", true))
	near(t, gap-5*time.Second, takes(t, f, lane, gapOf("a")).Wait)
	d.pass(5 * time.Second)
	near(t, 2*gap-10*time.Second, takes(t, f, lane, gapOf("b")).Wait)
}
