package fleet

import (
	"context"
	"hash/maphash"
	"math"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A lane has the same name in all processes, from which its key can be had.
func TestKeys(t *testing.T) {
	u, err := url.Parse("https://Example.com:8443/a")
	require.NoError(t, err)
	o, err := origin.OfURL(u)
	require.NoError(t, err)
	long := strings.Repeat("x", 257)
	for _, tt := range []struct {
		key        Key
		name, told string
		size       int
		isGroup    bool
		origin     string
	}{
		{OfOrigin(o), "origin " + o.Key(), o.Key(), o.Size(), false, "https://example.com:8443"},
		{OfUser("a key"), "key a key", "a key", 5, false, ""},
		{OfGroup("a key"), "group a key", "a key", 5, true, ""},
		{OfUser(long[1:]), "key " + long[1:], long[1:], 256, false, ""},
	} {
		assert.Equal(t, tt.name, tt.key.Name())
		assert.Equal(t, tt.told, Told(tt.name))
		assert.Equal(t, tt.size, tt.key.size(), tt.name)
		assert.Equal(t, tt.isGroup, tt.key.IsGroup(), tt.name)
		assert.Equal(t, tt.origin, tt.key.Origin(), tt.name)
		assert.Equal(t, tt.key, tt.key.own(), tt.name)
		key, ok := keyNamed(tt.name)
		assert.True(t, ok, tt.name)
		assert.Equal(t, tt.key, key)
	}
	assert.Len(t, OfUser(long).Name(), len("key sha256 ")+64)
	for _, name := range []string{"", "lane a", "origin x"} {
		_, ok := keyNamed(name)
		assert.False(t, ok, name)
	}
	assert.Equal(t, "a", Told("a"))
	seed := maphash.MakeSeed()
	assert.NotEqual(t, OfUser("a").hash(seed), OfUser("b").hash(seed))
	assert.Equal(t, OfOrigin(o).hash(seed), OfOrigin(o.Own()).hash(seed))
}

// A request that has a ticket waits above for as long as below, and behind as many as come: unless it queues nowhere.
func TestTermsAbove(t *testing.T) {
	group := &Group{OfGroup("g"), lane.Terms{Gap: second, Limit: true, MaxWait: time.Hour, MaxQueue: 7}}
	assert.Equal(t, second, group.Gap())
	assert.True(t, group.FindsLimit())
	for _, tt := range []struct {
		ticket   *lane.Ticket
		maxQueue int // below
		want     lane.Terms
	}{
		{nil, 0, lane.Terms{MaxQueue: math.MaxInt}},
		{new(lane.Ticket), -1, lane.Terms{MaxWait: time.Minute, MaxQueue: -1}},
		{new(lane.Ticket), 0, lane.Terms{MaxWait: time.Minute}},
		{new(lane.Ticket), 1, lane.Terms{MaxWait: time.Minute, MaxQueue: math.MaxInt}},
	} {
		tt.want.Gap, tt.want.Limit, tt.want.Joins, tt.want.Many, tt.want.Silent = second, true, true, true, true
		w := New(1<<20, nil).Way(OfUser("a"), lane.Terms{MaxWait: time.Minute, MaxQueue: tt.maxQueue, Silent: true}, tt.ticket, group, quiet)
		assert.Equal(t, tt.want, w.terms)
	}
	for gap, reserves := range map[time.Duration]bool{0: false, second: true} {
		l := New(1<<20, newScript())
		l.watch.turns = nil // it hears all
		w := l.Way(OfUser("a"), lane.Terms{}, ticketOf(t), &Group{OfGroup("g"), lane.Terms{Gap: gap}}, quiet)
		assert.Equal(t, reserves, w.below.inGroup, gap)
	}
}

// If Turns fails, so does a request that takes a turn above only.
func TestTurnAboveThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		s.fails(errAway)
		l := New(1<<20, s)
		defer time.Sleep(time.Minute) // until nobody listens
		defer l.StopWatching()
		for name, waits := range map[string]func(w *Way) error{
			"Take":  func(w *Way) error { _, err := w.Take(t.Context()); return err },
			"First": func(w *Way) error { defer w.Leave(); return w.First(t.Context()) },
		} {
			err := waits(l.Way(OfUser("a"), lane.Terms{}, nil, &Group{OfGroup("g"), lane.Terms{Gap: second, MaxQueue: 9}}, quiet))
			if late, ok := err.(*lane.LateError); assert.Equal(t, name == "Take", ok, name) && ok {
				assert.Equal(t, errAway, late.Err)
			}
		}
	})
}

// The next start of all is asked for, and given back.
func TestNextOfAll(t *testing.T) {
	for _, tt := range []struct {
		name  string
		gap   time.Duration
		grant store.Grant
		err   error
		next  time.Duration // 0: now
		gives bool
	}{
		{"now", second, store.Grant{}, nil, 0, true},
		{"later", second, store.Grant{Wait: second}, nil, second, true},
		{"later, and nothing was reserved", second, store.Grant{Wait: second, Late: true}, nil, second, false},
		{"in a break", 0, store.Grant{Wait: second}, nil, second, false},
		{"Turns is away", second, store.Grant{Wait: second}, errAway, 0, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newScript()
			s.grants(tt.grant)
			s.fails(tt.err)
			l := New(1<<20, s)
			began := time.Now()
			next := l.NextOfAll(t.Context(), OfUser("a"), tt.gap, quiet)
			if tt.next == 0 {
				assert.Zero(t, next, tt.name)
			} else {
				assert.Equal(t, tt.next, next.Sub(began), tt.name)
			}
			calls := s.called()
			if assert.Equal(t, tt.gives, len(calls) == 2, tt.name); tt.gives {
				assert.Regexp(t, "^0s done key a [^ ]+ true$", calls[1])
			}
			assert.Zero(t, New(1<<20, nil).NextOfAll(t.Context(), OfUser("a"), tt.gap, quiet))
		})
	}
}

// While a process may not know of all breaks, it asks Turns, and keeps what it hears.
func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		s.grants(store.Grant{Wait: 10 * second})
		l, a := New(1<<20, s), OfUser("a")
		defer time.Sleep(time.Minute) // until nobody listens
		defer l.StopWatching()
		assert.False(t, l.Knows(a))
		s.fails(errAway)
		assert.Error(t, l.Refresh(t.Context(), a, quiet))
		assert.False(t, l.InBreak(a))
		s.fails(nil)
		assert.NoError(t, l.Refresh(t.Context(), a, quiet))
		assert.True(t, l.InBreak(a))
		terms := lane.Terms{Gap: second}
		l.Complete(&terms)
		assert.Equal(t, lane.Terms{Gap: second, Reserved: true}, terms)
		terms = lane.Terms{}
		l.Complete(&terms)
		assert.Equal(t, lane.Terms{Gap: leastGap, Reserved: true}, terms)
		s.called()
		l.watch.hear(int64(time.Since(l.watch.born)) + 1)
		assert.True(t, l.Knows(a))
		assert.NoError(t, l.Refresh(t.Context(), a, quiet))
		assert.Empty(t, s.called())
		terms = lane.Terms{}
		l.Complete(&terms)
		assert.Equal(t, lane.Terms{Reserved: true}, terms)
		l.peers.until.Store(time.Now().Add(second).UnixNano())
		l.Complete(&terms)
		assert.Equal(t, lane.Terms{Gap: leastGap, Reserved: true}, terms, "others have other gaps")

		alone := New(1<<20, nil)
		assert.True(t, alone.Knows(a))
		terms = lane.Terms{}
		alone.Complete(&terms)
		assert.Zero(t, terms)
		assert.False(t, alone.Shared())
		assert.True(t, l.Shared())
		assert.Nil(t, alone.Guard(a, nil).Connected)
		assert.NotNil(t, l.Guard(a, nil).Connected)
	})
}

// Who gets the right to go first after a break holds it as a slot. Who does not tries again.
func TestRightThatIsNotGranted(t *testing.T) {
	for _, tt := range []struct {
		name        string
		grant       store.Grant
		err         error
		queues      bool
		least, most time.Duration
		has         bool
	}{
		{name: "granted", grant: store.Grant{Slot: true}, has: true},
		{name: "granted, in the queue", grant: store.Grant{Slot: true}, queues: true, has: true},
		{name: "taken", least: 5 * ms, most: 10 * ms},
		{name: "queued", queues: true, grant: store.Grant{Queued: true, Busy: true, Lease: 9 * second}, least: 10 * second, most: 20 * second},
		{name: "Turns is away", err: errAway},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newScript()
			s.grants(tt.grant)
			s.fails(tt.err)
			r := newReservation(s, lane.StartRequest{First: true})
			if r.token, r.taken = "token", time.Now(); tt.queues {
				r.queues = new(queues)
			}
			wait, err := r.goFirst(t.Context())
			assert.Equal(t, tt.err != nil, err != nil, tt.name)
			assert.GreaterOrEqual(t, wait, tt.least, tt.name)
			assert.LessOrEqual(t, wait, tt.most, tt.name)
			assert.Equal(t, tt.has, r.first.has, tt.name)
			assert.Equal(t, !tt.has, r.first.waits(), tt.name)
			assert.Equal(t, tt.queues && !tt.has, r.turnComes != nil, tt.name)
			if tt.has {
				assert.Equal(t, map[string]string{r.first.token: "first a lane"}, r.leases.lanes(), tt.name)
			}
			time.Sleep(10 * ms)
			assert.ElementsMatch(t, []string{"0s take first a lane", "0s done a lane token true"}, s.called(), tt.name)
			r.first.end()
			r.first.end()
			time.Sleep(10 * ms)
			assert.Len(t, s.called(), 1, tt.name)
			assert.Empty(t, r.leases.lanes(), tt.name)
			var none *first
			none.end()
			assert.False(t, none.waits())
		})
	}
}

// What keeps a request for long is told of its own lane, or of that of its group if it waits there.
func TestLaneThatKeepsARequest(t *testing.T) {
	slots := lane.Terms{Slots: 1, MaxQueue: 9}
	for _, tt := range []struct {
		name  string
		terms lane.Terms
		upper bool // it has a ticket above, where a break is on
		cause lane.Cause
	}{
		{"it waits above", lane.Terms{Joins: true, MaxQueue: 9}, true, lane.InBreak},
		{"its start is reserved when the turn above comes", lane.Terms{Gap: second, Reserved: true, MaxQueue: 9}, true, lane.InBreak},
		{"its start is reserved", lane.Terms{Gap: second, Reserved: true, MaxQueue: 9}, false, lane.Reserved},
		{"its own lane keeps it", slots, true, lane.Slots},
		{"its own lane keeps it, and none is above", slots, false, lane.Slots},
	} {
		l, a, g := New(1<<20, nil), OfUser("a"), OfGroup("g")
		if tt.terms == slots {
			_, ok := l.Begin(a, slots, lane.Arrival{})
			require.True(t, ok)
		}
		ticket, err := l.Join(t.Context(), a, tt.terms)
		require.NoError(t, err)
		w := l.Way(a, tt.terms, ticket, &Group{g, lane.Terms{Gap: second}}, quiet)
		assert.Zero(t, w.takes(), tt.name)
		if tt.upper {
			require.NoError(t, w.join(t.Context()), tt.name)
			w.upper.Reserve(lane.Start{From: time.Now().Add(10 * time.Hour)})
			assert.InDelta(t, 15*time.Hour+second, w.takes(), float64(time.Minute), tt.name)
			l.Lanes.Break(g, time.Now().Add(time.Hour))
		}
		key, state, tell := w.Long()
		assert.True(t, tell, tt.name)
		assert.Equal(t, tt.cause, state.Cause, tt.name)
		assert.Equal(t, tt.cause == lane.InBreak, key.IsGroup(), tt.name)
		_, _, tell = w.Long()
		assert.False(t, tell, "%s: it is told once", tt.name)
		key, _, tell = w.Quiet()
		assert.Equal(t, tt.upper, key.IsGroup(), tt.name)
		assert.Equal(t, tt.cause == lane.Slots && !tt.upper, tell, tt.name)
		w.Leave()
		assert.False(t, l.Busy() && tt.terms != slots, tt.name)
	}
}

// A request connects once both turns have come, and only if it is known whether a break has begun.
func TestConnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, a := newScript(), OfUser("a")
		l := New(1<<20, s)
		defer time.Sleep(time.Minute) // until nobody listens
		defer l.StopWatching()
		ticket, err := l.Join(t.Context(), a, lane.Terms{MaxQueue: 1})
		require.NoError(t, err)
		w := l.Way(a, lane.Terms{}, ticket, nil, quiet)
		s.fails(errAway)
		ok, err := w.Connect(t.Context())
		assert.False(t, ok)
		assert.ErrorIs(t, err.(*lane.LateError).Err, errAway)
		s.fails(nil)
		s.grants(store.Grant{Wait: second})
		ok, err = w.Connect(t.Context())
		assert.False(t, ok || err != nil, "a break has begun")
		time.Sleep(second)
		s.grants(store.Grant{})
		ok, err = w.Connect(t.Context())
		assert.True(t, ok && err == nil)
	})
}

// A request that has to wait in its own lane again leaves the lane above. If its turn there would come too late, it is refused.
func TestWaitAbove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, a, g := New(1<<20, nil), OfUser("a"), OfGroup("g")
		terms := lane.Terms{Joins: true, MaxQueue: 9, MaxWait: 30 * second}
		way := func() *Way {
			ticket, err := l.Join(t.Context(), a, terms)
			require.NoError(t, err)
			return l.Way(a, terms, ticket, &Group{g, lane.Terms{Gap: second}}, quiet)
		}
		w := way()
		step, err := w.Wait(t.Context(), nil, 0)
		require.NoError(t, err)
		assert.Equal(t, lane.Connect, step)
		upper := w.upper
		step, err = w.Wait(t.Context(), nil, 0)
		require.NoError(t, err)
		assert.Equal(t, lane.Connect, step)
		assert.Same(t, upper, w.upper, "it keeps its place")
		l.Lanes.Break(a, time.Now().Add(10*second))
		step, err = w.Wait(t.Context(), nil, second)
		require.NoError(t, err)
		assert.Equal(t, lane.Look, step)
		assert.Nil(t, w.upper)
		w.Leave()
		time.Sleep(10 * second)
		l.Lanes.Break(g, time.Now().Add(time.Hour))
		w = way()
		_, err = w.Wait(t.Context(), nil, 0)
		late, ok := err.(*lane.LateError)
		require.True(t, ok)
		assert.Equal(t, time.Hour, time.Until(late.Turn))
		w.Leave()
		assert.False(t, l.Busy())
	})
}

// A request that takes another start tries again until it has one, or its caller has gone.
func TestAgainUntilTheCallerGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		s.grants(store.Grant{Busy: true})
		r := newReservation(s, lane.StartRequest{Slots: 1})
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(second, cancel)
		_, err := r.again(ctx, second, time.Time{})
		assert.ErrorIs(t, err, context.Canceled)
		assert.Greater(t, len(s.called()), 3)
	})
}
