package redisfleet_test

import (
	"context"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/go-polite/polite/store/redisfleet/internal/signals"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func gapOf(token string) store.Ask { return store.Ask{Token: token, Gap: gap} }

// learns lets the server learn the scripts, and f the server's clock.
func learns(t testing.TB, f *redisfleet.Fleet) {
	takes(t, f, "learns", gapOf("a"))
	claim, err := f.Claim(t.Context(), "learns", "", gap)
	require.NoError(t, err)
	require.NoError(t, f.Put(t.Context(), "learns", claim.Token, nil, gap))
	require.NoError(t, f.Done(t.Context(), "learns", "a", true))
	require.NoError(t, f.Break(t.Context(), "learns", time.Millisecond))
}

func TestReplyIsLost(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := network.Start(t, s.address())
	f := open(t, p.URL(), redisfleet.Options{})
	drop := func() { p.Set(func(d *network.Does) { d.Drops = true }) }
	learns(t, open(t, s.url(), redisfleet.Options{}))

	drop()
	near(t, gap, takes(t, f, lane, gapOf("a")).Wait) // the connection has changed: a pause
	beside := open(t, s.url(), redisfleet.Options{})
	near(t, 2*gap, takes(t, beside, lane, gapOf("b")).Wait)

	drop()
	claim, err := f.Claim(t.Context(), "key", "", gap)
	require.NoError(t, err)
	require.NotEmpty(t, claim.Token, "the claim is one's own")
	drop()
	require.NoError(t, f.Put(t.Context(), "key", claim.Token, []byte("entry"), gap))
	assert.ErrorIs(t, f.Put(t.Context(), "key", claim.Token, []byte("entry"), gap), store.ErrLost)
	drop()
	require.NoError(t, f.Break(t.Context(), lane, gap))
	drop()
	require.NoError(t, f.Done(t.Context(), lane, "b", true))
	near(t, 2*gap, takes(t, beside, lane, gapOf("c")).Wait)
}

func TestCommandsComeTwice(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := network.Start(t, s.address())
	p.Set(func(d *network.Does) { d.Twice = true })
	f := open(t, p.URL(), redisfleet.Options{})
	last := time.Duration(0)
	for _, token := range []string{"a", "b", "c", "d"} {
		wait := takes(t, f, lane, gapOf(token)).Wait
		near(t, last, wait)
		last += gap
	}
	require.NoError(t, f.Done(t.Context(), lane, "d", true))
	assert.GreaterOrEqual(t, takes(t, f, lane, gapOf("e")).Wait, 2*gap+gap/2)
}

func TestConnectionsAreKilled(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{})
	c := s.client()
	takes(t, f, lane, store.Ask{Token: "a", Gap: time.Millisecond})
	watched := watch(t, f)
	do(t, c, "CLIENT KILL TYPE normal SKIPME yes")
	require.Error(t, watched.ends(t), "what was reserved is not used any more")
	grant := takes(t, f, lane, gapOf("b"))
	near(t, gap, grant.Wait)
	near(t, gap, takes(t, f, "another", gapOf("b")).Wait)
	assert.True(t, takes(t, f, "third", slot("c", 1)).Slot, "the server is the same, and knows all slots")
	assert.Zero(t, takes(t, f, lane, store.Ask{}).Wait)
	again := watch(t, f)
	again.zero(t)
}

func TestServerRestarts(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{})
	takes(t, f, lane, gapOf("a"))
	require.NoError(t, f.Break(t.Context(), "break", gap))
	watched := watch(t, f)
	s.kill()
	require.Error(t, watched.ends(t))
	_, err := f.Take(t.Context(), lane, gapOf("b"))
	require.ErrorContains(t, err, "could not be reached")
	require.Error(t, f.Watch(t.Context(), func(store.Change) {}))
	s.start()
	near(t, gap, takes(t, f, lane, gapOf("b")).Wait)
	watch(t, f).zero(t)

	joined := open(t, s.url(), redisfleet.Options{})
	near(t, gap, takes(t, joined, "another", gapOf("c")).Wait) // who joins learns of the loss
}

func TestDatabaseIsFlushed(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{})
	other := open(t, s.url(), redisfleet.Options{})
	watched, others := watch(t, f), watch(t, other)
	watched.zero(t)
	others.zero(t)
	do(t, s.client(), "FLUSHALL")
	require.ErrorContains(t, watched.ends(t), "lost data")
	require.ErrorContains(t, others.ends(t), "lost data")
	near(t, gap, takes(t, f, lane, gapOf("a")).Wait)
	near(t, gap, takes(t, other, "another", gapOf("a")).Wait)
	joined := open(t, s.url(), redisfleet.Options{})
	near(t, gap, takes(t, joined, "third", gapOf("a")).Wait)
}

// Whoever misses news since data was lost knows of the loss when its Watch returns.
func TestNewsAreMissedByAFlush(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{})
	for range 5 {
		require.NoError(t, f.Break(t.Context(), "break", gap))
		watched := watch(t, f)
		watched.zero(t)
		takes(t, f, lane, gapOf("a"))
		do(t, s.client(), "FLUSHALL")
		require.Error(t, watched.ends(t))
		near(t, gap, takes(t, f, lane, gapOf("b")).Wait)
	}
}

// Who comes to an empty database first does not hide that data was lost.
func TestStrangerAfterFlush(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{})
	watched := watch(t, f)
	watched.zero(t)
	do(t, s.client(), "FLUSHALL")
	stranger := open(t, s.url(), redisfleet.Options{})
	require.ErrorContains(t, watched.ends(t), "lost data")
	near(t, gap, takes(t, f, lane, gapOf("a")).Wait)
	strangers := watch(t, stranger)
	strangers.zero(t)
	near(t, gap, takes(t, stranger, "another", gapOf("a")).Wait)
}

// A Take that nobody waits for any more reserves nothing when it comes to its turn.
func TestAbandonedTakeIsVoid(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{})
	learns(t, f)
	require.NoError(t, signals.Stop(s.process.Process))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := f.Take(ctx, lane, gapOf("a"))
	require.ErrorIs(t, err, context.DeadlineExceeded)
	claiming, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = f.Claim(claiming, "key", "", gap)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	assert.Less(t, time.Since(began), lease)
	time.Sleep(100 * time.Millisecond)
	require.NoError(t, signals.Continue(s.process.Process))
	assert.Zero(t, takes(t, f, lane, gapOf("b")).Wait)
	claim, err := f.Claim(t.Context(), "key", "", gap)
	require.NoError(t, err)
	assert.NotEmpty(t, claim.Token)
}

func TestLatency(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := network.Start(t, s.address())
	f := open(t, p.URL(), redisfleet.Options{})
	w := watch(t, f)
	w.zero(t)
	p.Set(func(d *network.Does) { d.Delay = 300 * time.Millisecond })
	near(t, 0, takes(t, f, lane, gapOf("a")).Wait)
	near(t, gap, takes(t, f, lane, gapOf("b")).Wait)
	for range 5 {
		w.zero(t)
	}
}

// watched is a Watch that is under way.
type watched struct {
	changes chan store.Change
	err     chan error
}

func watch(t testing.TB, f *redisfleet.Fleet) *watched {
	w := &watched{make(chan store.Change, 1<<16), make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		w.err <- f.Watch(ctx, func(c store.Change) { w.changes <- c })
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return w
}

// ends returns the error of Watch, which must end soon.
func (w *watched) ends(t testing.TB) error {
	t.Helper()
	select {
	case err := <-w.err:
		return err
	case <-time.After(10 * time.Second):
		t.Fatal("Watch does not end")
		return nil
	}
}

// zero waits for the zero Change, and returns what was told before.
func (w *watched) zero(t testing.TB) (told []store.Change) {
	t.Helper()
	for {
		select {
		case c := <-w.changes:
			if c == (store.Change{}) {
				return told
			}
			told = append(told, c)
		case err := <-w.err:
			t.Fatalf("Watch returned: %v", err)
		case <-time.After(10 * time.Second):
			t.Fatal("Watch tells nothing")
		}
	}
}

// A subscription that is half open is noticed.
func TestSubscriptionIsHalfOpen(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	p := network.Start(t, s.address())
	f := open(t, p.URL(), redisfleet.Options{})
	w := watch(t, f)
	w.zero(t)
	p.Set(func(d *network.Does) { d.Deaf = true })
	require.ErrorContains(t, w.ends(t), "no news")
}

// That a message was lost is noticed by the next beat, or by the next message. The next Watch
// tells of its break.
func TestMessageIsLost(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	f := open(t, s.url(), redisfleet.Options{})
	c := s.client()
	for _, noticed := range []func(){
		func() {},
		func() {
			do(t, c, "EVAL", `redis.call("PUBLISH", "test:{breaks}:news", redis.call("HINCRBY", "test:{breaks}:generation", "n", 1) .. " entry key")`, "0")
		},
	} {
		w := watch(t, f)
		w.zero(t)
		now := do(t, c, "TIME")
		seconds, err := now.AsIntSlice()
		require.NoError(t, err)
		c.Do(t.Context(), c.B().Zadd().Key("test:{breaks}").ScoreMember().ScoreMember(float64(seconds[0]+60)*1e6, lane).Build())
		do(t, c, "HINCRBY test:{breaks}:generation n 1")
		noticed()
		require.ErrorContains(t, w.ends(t), "lost")
		told := watch(t, f).zero(t)
		require.Len(t, told, 1)
		assert.Equal(t, lane, told[0].Lane)
		near(t, time.Minute, told[0].Break)
		do(t, c, "DEL test:{breaks}")
	}
}
