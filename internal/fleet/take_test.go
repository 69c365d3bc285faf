package fleet

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ticketOf returns a ticket that is the first in its lane.
func ticketOf(t *testing.T) *lane.Ticket {
	ticket, err := New(1<<20, nil).Join(t.Context(), OfUser("a lane"), lane.Terms{Gap: second, Reserved: true, MaxWait: time.Hour, MaxQueue: 9})
	require.NoError(t, err)
	return ticket
}

// spareOf puts a start that is still to come among the spares.
func spareOf(r *reservation, given bool) {
	spare := *r
	spare.token, spare.heldInStore, spare.givenToTicket, spare.ends = "spare", true, given, time.Now().Add(time.Minute)
	spare.request = lane.StartRequest{Gap: second}
	spare.start = lane.Start{From: time.Now().Add(second), Until: time.Now().Add(2 * second)}
	spare.finish(true, true)
}

// What a ticket gets: a start, another try, or an error. A start of before that was of no use is counted.
func TestTake(t *testing.T) {
	for _, tt := range []struct {
		name   string
		grant  store.Grant
		err    error
		edit   func(r *reservation)
		given  bool
		calls  int
		late   bool
		losses uint64
		ahead  time.Duration // how far away the ticket's start, or its next try, is
	}{
		{name: "a start", grant: store.Grant{Wait: second}, given: true, calls: 1, ahead: second},
		{name: "all is taken", grant: store.Grant{Busy: true, Wait: second + 100*ms}, calls: 1, ahead: 800 * ms},
		{name: "too late", grant: store.Grant{Late: true, Wait: second}, calls: 1, late: true},
		{name: "Turns is away", err: errAway, calls: 1, late: true},
		{name: "the first call was slow", edit: func(r *reservation) { r.request.Gap, r.slack.unsure = second, 2*plainSlack }, given: true, calls: 2},
		{name: "the first call was slow, and Turns is away", err: errAway, edit: func(r *reservation) { r.request.Gap, r.slack.unsure = second, 2*plainSlack }, calls: 1, late: true},
		{name: "a start was of no use", edit: func(r *reservation) { r.givenToTicket = true }, given: true, calls: 1, losses: 1},
		{name: "it was lost before", edit: func(r *reservation) { r.givenToTicket, r.lostThen = true, 1 }, given: true, calls: 1},
		{name: "there was a slot, and no start", edit: func(r *reservation) { r.givenToTicket, r.startless = true, true }, given: true, calls: 1},
		{name: "a spare", edit: func(r *reservation) { spareOf(r, true) }, given: true, ahead: second},
		{name: "a spare that was not granted yet", edit: func(r *reservation) { spareOf(r, false) }, given: true, calls: 1},
		{name: "a start of its own", edit: func(r *reservation) { spareOf(r, true); r.token = "own" }, given: true, calls: 1},
		{name: "below a group, far", grant: store.Grant{Late: true, Wait: 10 * second}, edit: func(r *reservation) { r.inGroup = true }, calls: 1, ahead: 9600 * ms},
		{name: "below a group, near", grant: store.Grant{Wait: 200 * ms}, edit: func(r *reservation) { r.inGroup = true }, given: true, calls: 1, ahead: 200 * ms},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, ticket := newScript(), ticketOf(t)
			s.grants(tt.grant)
			s.fails(tt.err)
			r := newReservation(s, lane.StartRequest{})
			if tt.edit != nil {
				tt.edit(r)
			}
			err := r.take(t.Context(), ticket)
			_, late := err.(*lane.LateError)
			assert.Equal(t, [2]bool{tt.late, tt.late}, [2]bool{late, err != nil}, "%s: %v", tt.name, err)
			assert.Equal(t, tt.given, r.givenToTicket, tt.name)
			assert.Len(t, s.called(), tt.calls, tt.name)
			if tt.grant.Wait > 0 && tt.given {
				assert.True(t, r.ends.After(r.start.From), "%s: it is of use until it is over", tt.name)
			}
			assert.Equal(t, tt.losses, r.watch.health.get().LostStarts, tt.name)
			if ahead := ticket.ReservedAhead(); tt.ahead > 0 {
				assert.InDelta(t, tt.ahead.Seconds(), ahead.Seconds(), 0.35, tt.name)
			}
			time.Sleep(second) // until a spare is given back
		})
	}
}

// In the queue, a ticket waits for its call.
func TestTakeInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, ticket := newScript(), ticketOf(t)
		s.grants(store.Grant{Queued: true, Wait: 20 * second})
		r := newReservation(s, lane.StartRequest{})
		r.queues = new(queues)
		r.turnComes = r.queues.join("token")
		r.taken, r.token = time.Now(), "token"
		require.NoError(t, r.take(t.Context(), ticket))
		assert.False(t, r.givenToTicket)
	})
}

// A start that was reserved below a group moves to the start above, or is given up.
func TestFit(t *testing.T) {
	for _, tt := range []struct {
		name  string
		grant store.Grant
		err   error
		edit  func(r *reservation)
		ok    bool
		calls int
		keeps bool // the ticket has a start
	}{
		{name: "it moves", grant: store.Grant{Wait: second}, ok: true, calls: 1, keeps: true},
		{name: "nothing is reserved", edit: func(r *reservation) { r.token = "" }, ok: true, keeps: true},
		{name: "the ticket has nothing", edit: func(r *reservation) { r.givenToTicket = false }, ok: true},
		{name: "it would come too late", grant: store.Grant{Late: true, Wait: 2 * second}, calls: 1},
		{name: "not yet", grant: store.Grant{Busy: true, Wait: 2 * second}, calls: 1},
		{name: "Turns is away", err: errAway, calls: 1, keeps: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s, ticket := newScript(), ticketOf(t)
			s.grants(tt.grant)
			s.fails(tt.err)
			r := newReservation(s, lane.StartRequest{})
			r.token, r.givenToTicket, r.heldInStore, r.inGroup, r.extraSlack = "token", true, true, true, 3*ms
			if tt.edit != nil {
				tt.edit(r)
			}
			above := lane.Start{From: time.Now().Add(second), Until: time.Now().Add(second + 100*ms)}
			ok, err := r.fit(t.Context(), ticket, above)
			assert.Equal(t, tt.err != nil, err != nil, tt.name)
			assert.Equal(t, tt.ok, ok, tt.name)
			assert.Equal(t, tt.keeps, r.givenToTicket, tt.name)
			assert.Len(t, s.called(), tt.calls, tt.name)
			assert.Equal(t, 3*ms, r.extraSlack, tt.name)
			if tt.calls > 0 {
				assert.Equal(t, above.From.Add(-2*callTakes), r.request.From, tt.name)
				assert.Equal(t, above.Until, r.request.Limit, tt.name)
			}
			if !tt.ok && tt.err == nil {
				assert.False(t, r.heldInStore, tt.name)
			}
			if tt.ok && tt.calls > 0 {
				moved := time.Now()
				step, err := ticket.Wait(t.Context(), nil, 0)
				require.NoError(t, err)
				assert.Equal(t, lane.Connect, step)
				assert.Zero(t, time.Since(moved), "it connects when the turn above does")
			}
		})
	}
}

// A caller who goes while Turns is asked may have a start all the same. It is given back, or another's.
func TestCallerThatGoesDuringACall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		r := newReservation(s, lane.StartRequest{Gap: second})
		s.fails(context.Canceled)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(ms, cancel)
		_, _, err := r.reserve(ctx)
		assert.ErrorIs(t, err, context.Canceled)
		assert.True(t, r.heldInStore)
		assert.False(t, r.givenToTicket)
		assert.Nil(t, r.watch.health.get().Failing, "Turns has not failed")
		s.called()
		s.fails(nil)
		r.giveBack()
		time.Sleep(second)
		assert.Len(t, s.called(), 1)
		(*reservation)(nil).giveBack()
	})
}
