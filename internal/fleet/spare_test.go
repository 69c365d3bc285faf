package fleet

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a request has reserved ends with it: its start is given back if it was not used, and its slot in any case. The
// start of a caller who has left waits for another request first.
func TestFinish(t *testing.T) {
	for _, tt := range []struct {
		name         string
		edit         func(*reservation)
		unused, left bool
		gives        string // at once; "": nothing
		later        bool   // it is given back when nobody has taken it
	}{
		{"nothing was reserved", func(r *reservation) { r.token = "" }, true, false, "", false},
		{"a start was used", func(*reservation) {}, false, false, "", false},
		{"a start was not used", func(*reservation) {}, true, false, "true", false},
		{"a slot was used", func(r *reservation) { r.request.Slots = 1 }, false, false, "false", false},
		{"a slot was not used", func(r *reservation) { r.request.Slots = 1 }, true, false, "true", false},
		{"the caller has left", func(*reservation) {}, true, true, "", true},
		{"after it was used", func(*reservation) {}, false, true, "", false},
		{"before there was a start", func(r *reservation) { r.heldInStore = false }, true, true, "true", false},
		{"without a gap", func(r *reservation) { r.request.Gap = 0 }, true, true, "true", false},
		{"after its start", func(r *reservation) { r.ends = time.Now() }, true, true, "true", false},
		{"after a loss", func(r *reservation) { r.lostThen = 1 }, true, true, "true", false},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newScript()
			r := newReservation(s, lane.StartRequest{Gap: second})
			r.token, r.heldInStore, r.ends = "token", true, time.Now().Add(second)
			tt.edit(r)
			r.finish(tt.unused, tt.left)
			r.finish(tt.unused, tt.left)
			synctest.Wait()
			want := []string(nil)
			if tt.gives != "" {
				want = []string{"0s done a lane token " + tt.gives}
			}
			assert.Equal(t, want, s.called(), tt.name)
			want = nil
			if time.Sleep(99 * ms); tt.later {
				want = []string{"100ms done a lane token true"}
			}
			assert.Empty(t, s.called(), tt.name)
			time.Sleep(second)
			assert.Equal(t, want, s.called(), tt.name)
		})
	}
}

// If it is not sure that anything is reserved, nothing is given back while turns fail.
func TestFinishWhileTurnsFail(t *testing.T) {
	for name, edit := range map[string]func(*reservation){
		"":      func(*reservation) {},
		"start": func(r *reservation) { r.heldInStore = true },
		"slot":  func(r *reservation) { r.taken = time.Now() },
		"place": func(r *reservation) { r.queued = true },
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newScript()
			r := newReservation(s, lane.StartRequest{Gap: second})
			r.leases.health.turned(0, errAway)
			r.token = "token"
			edit(r)
			r.finish(true, false)
			time.Sleep(second)
			assert.Equal(t, name != "", len(s.called()) > 0, "%s", name)
		})
	}
}

// The start of a caller who has left is that of the next request of the lane which asks for the same, and can wait for it.
func TestSpares(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(spare, r *reservation)
		uses bool
	}{
		{"the same", func(_, _ *reservation) {}, true},
		{"another lane", func(_, r *reservation) { r.lane = "another" }, false},
		{"another gap", func(_, r *reservation) { r.request.Gap *= 2 }, false},
		{"other slots", func(_, r *reservation) { r.request.Slots = 1 }, false},
		{"its start is over", func(spare, _ *reservation) { spare.ends = time.Now() }, false},
		{"it may be lost", func(spare, _ *reservation) { spare.watch.lost.Add(1) }, false},
		{"it can wait", func(_, r *reservation) { r.request.Limit = time.Now().Add(second) }, true},
		{"it cannot wait", func(_, r *reservation) { r.request.Limit = time.Now().Add(second - 1) }, false},
		{"it cannot wait, and no start is known", func(spare, r *reservation) {
			spare.givenToTicket, r.request.Limit = false, time.Now().Add(second-1)
		}, true},
		{"not before its end", func(_, r *reservation) { r.floor = time.Now().Add(2 * second) }, true},
		{"not before later", func(_, r *reservation) { r.floor = time.Now().Add(2*second + 1) }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, all := newScript(), new(spares)
			spare, r := newReservation(s, lane.StartRequest{Gap: second}), newReservation(s, lane.StartRequest{Gap: second})
			spare.spares, spare.token, spare.heldInStore, spare.givenToTicket, spare.slackThen = all, "token", true, true, callSlack
			spare.ends, spare.start = time.Now().Add(second), lane.Start{From: time.Now().Add(second), Until: time.Now().Add(2 * second)}
			spare.taken = time.Now().Add(-second)
			kept := *spare
			spare.finish(true, true)
			tt.edit(all.of["a lane"][0], r)
			assert.Equal(t, tt.uses, all.take(r), tt.name)
			assert.False(t, tt.uses && all.take(r), "it has one user")
			time.Sleep(second)
			if assert.Equal(t, tt.uses, len(s.called()) == 0, tt.name); tt.uses {
				assert.Equal(t, "token", r.token)
				assert.True(t, r.heldInStore)
				assert.Equal(t, []any{kept.slackThen, kept.taken, kept.ends, kept.start.From}, []any{r.slackThen, r.taken, r.ends, r.start.From})
			}
			assert.Empty(t, all.of, tt.name)
		})
	}
}

// Below a group, a request reserves a start that is near. For one that is far it tries again, if it can wait for it.
func TestNear(t *testing.T) {
	now := time.Now()
	at := func(d time.Duration) time.Time { return now.Add(d) }
	for _, tt := range []struct {
		gap, aboveWait time.Duration
		own            time.Time // the limit of the request
		slack          time.Duration
		limit          time.Time
	}{
		{gap: second, limit: at(second/10 + second/4 + 2*callSlack)},
		{gap: 100 * ms, limit: at(second/10 + 2*lane.LeastAhead + 2*callSlack)},
		{gap: second, own: at(200 * ms), limit: at(200 * ms)},
		{gap: second, own: at(second), limit: at(second/10 + second/4 + 2*callSlack)},
		{gap: second, aboveWait: second, limit: at(second/10 + second/4 + 2*callSlack)},
		{gap: second, aboveWait: 3 * second, slack: 2 * second, limit: at(second/10 + second/4 + 2*callSlack)},
	} {
		r := newReservation(newScript(), lane.StartRequest{Gap: tt.gap, Lead: second / 10, Limit: tt.own})
		r.aboveWait, r.extraSlack = tt.aboveWait, time.Hour
		r.near(now)
		assert.Equal(t, []any{tt.slack, tt.own, tt.limit}, []any{r.extraSlack, r.ownLimit, r.request.Limit}, "%+v", tt)
	}
}

func TestIsFar(t *testing.T) {
	turn := time.Now()
	late := &lane.LateError{Turn: turn}
	for _, tt := range []struct {
		name    string
		inGroup bool
		own     time.Time
		err     error
		far     bool
	}{
		{"no error", true, time.Time{}, nil, false},
		{"another", true, time.Time{}, errAway, false},
		{"without a group", false, time.Time{}, late, false},
		{"far", true, time.Time{}, late, true},
		{"it can wait", true, turn, late, true},
		{"it cannot wait", true, turn.Add(-1), late, false},
		{"Turns has failed", true, time.Time{}, &lane.LateError{Turn: turn, Err: errAway}, false},
	} {
		r := &reservation{inGroup: tt.inGroup, ownLimit: tt.own}
		start, far := r.isFar(tt.err)
		if assert.Equal(t, tt.far, far, tt.name); far {
			assert.Equal(t, turn, start, tt.name)
		}
	}
}

// A request whose connection is ready too late reserves another start, and waits until it has it. What its connection
// took says nothing of Turns: only the next start that is missed widens the slack.
func TestAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		r := newReservation(s, lane.StartRequest{Gap: second, Lead: second, Slots: 1, Varies: true})
		r.token, r.heldInStore, r.taken, r.aboveWait = "token", true, time.Now(), 20*ms
		r.lose = func(error) {}
		slack := r.slack.now(second)
		s.grant.Busy = true
		time.AfterFunc(second, func() { s.grants(store.Grant{Slot: true}) })
		from := time.Now().Add(time.Minute)
		start, err := r.again(t.Context(), 2*second, from)
		require.NoError(t, err)
		assert.Equal(t, start.From.Add(callSlack+20*ms-callTakes), start.Until)
		assert.Equal(t, slack, r.slack.now(second), "it says nothing of Turns")
		assert.Equal(t, lane.StartRequest{Gap: 2 * second, Slots: 1, From: from}, r.request)
		assert.EqualValues(t, 1, r.watch.health.get().LostStarts)
		assert.Equal(t, map[string]string{"token": "a lane"}, r.leases.lanes())
		_, err = r.again(t.Context(), second, from)
		require.NoError(t, err)
		assert.Equal(t, slack+leastOf(second)*7/8, r.slack.now(second), "the slack was too small, and a call was made since")
		r.startless, r.inGroup = true, true
		_, err = r.again(t.Context(), second, from)
		require.NoError(t, err)
		assert.Equal(t, from.Add(-2*callTakes), r.request.From)
		assert.EqualValues(t, 2, r.watch.health.get().LostStarts, "it had none")
		s.fails(errAway)
		_, err = r.again(t.Context(), second, from)
		assert.ErrorContains(t, err, "could not be reserved")
		r.finish(false, false)
		time.Sleep(second)
	})
}
