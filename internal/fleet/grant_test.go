package fleet

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ms, second = time.Millisecond, time.Second

// What a request makes of the answer of Turns: it has a start, it tries again after a while, or it comes too late.
// All times count from the call, which takes callTakes.
func TestGrants(t *testing.T) {
	type wait struct{ least, below time.Duration } // below is 0 if chance has no part
	gap, slot := lane.StartRequest{Gap: second, Lead: 100 * ms}, lane.StartRequest{Slots: 1}
	both := lane.StartRequest{Gap: second, Slots: 1, Lead: 100 * ms}
	for _, tt := range []struct {
		name    string
		request lane.StartRequest
		limit   time.Duration
		grant   store.Grant
		held    bool // a start was reserved before
		queues  bool
		looked  int // how often all slots were taken

		start, until, beginBy time.Duration // of what is granted; until is 0 if nothing is
		again                 wait
		late                  time.Duration // the turn that comes too late
		keeps                 bool          // a start is reserved
		turn                  time.Duration // that is likely, in the queue
	}{
		{name: "a start", request: gap, grant: store.Grant{Wait: second}, start: second + callTakes, until: second + callSlack, keeps: true},
		{name: "others keep a gap", request: gap, grant: store.Grant{Wait: second, Gap: time.Hour}, start: second + callTakes, until: second + callSlack, keeps: true},
		{name: "others keep a gap that nobody believes", request: gap, grant: store.Grant{Wait: second, Gap: 1 << 62}, start: second + callTakes, until: second + callSlack, keeps: true},
		{name: "a start now", request: gap, start: callTakes, until: callSlack, keeps: true},
		{name: "a start of the past", request: gap, grant: store.Grant{Wait: -1 << 63}, start: callTakes, until: callSlack, keeps: true},
		{name: "a start that never comes", request: gap, limit: second, grant: store.Grant{Wait: 1<<63 - 1}, late: 10 * 365 * 24 * time.Hour},
		{name: "no start is needed", start: callTakes, until: 5 * second, keeps: true},
		{name: "a slot", request: slot, grant: store.Grant{Slot: true}, start: callTakes, until: 5 * second, beginBy: 5 * second, keeps: true},
		{name: "a slot, and no start yet", request: both, queues: true, grant: store.Grant{Slot: true, Startless: true}, start: callTakes, until: callSlack, beginBy: 5 * second},
		{name: "as late as it may be", request: gap, limit: second, grant: store.Grant{Wait: second}, start: second + callTakes, until: second + callSlack, keeps: true},
		{name: "later", request: gap, limit: second, grant: store.Grant{Wait: second + ms}, late: second + ms},
		{name: "later, as Turns says", request: gap, grant: store.Grant{Wait: second, Late: true}, late: second},
		{name: "a start that is far", request: both, grant: store.Grant{Wait: 10 * second}, again: wait{10*second - callSlack - 100*ms, 0}, keeps: true},
		{name: "a start that is near", request: both, grant: store.Grant{Wait: 50 * ms}, again: wait{50*ms - callSlack*3/4, 0}, keeps: true},
		{name: "all slots are taken", request: slot, grant: store.Grant{Busy: true}, again: wait{5 * ms, 10 * ms}},
		{name: "again and again", request: slot, grant: store.Grant{Busy: true}, looked: 5, again: wait{160 * ms, 320 * ms}},
		{name: "for long", request: slot, grant: store.Grant{Busy: true}, looked: 50, again: wait{200 * ms, 400 * ms}},
		{name: "for long, with a gap", request: both, grant: store.Grant{Busy: true}, looked: 50, again: wait{40 * ms, 80 * ms}},
		{name: "all slots are taken at the start", request: both, held: true, grant: store.Grant{Busy: true, Wait: 3 * ms}, again: wait{5 * ms, 10 * ms}, keeps: true},
		{name: "all slots are taken, and the start is lost", request: both, held: true, grant: store.Grant{Busy: true}, again: wait{5 * ms, 10 * ms}},
		{name: "all slots are taken, and there was no start", request: both, grant: store.Grant{Busy: true, Wait: 3 * ms}, again: wait{5 * ms, 10 * ms}},
		{name: "no slot at the start", request: both, held: true, grant: store.Grant{Wait: callSlack}, again: wait{5 * ms, 10 * ms}},
		{name: "it pauses", request: both, held: true, grant: store.Grant{Busy: true, Wait: second}, again: wait{second - callSlack - 100*ms, 0}},
		{name: "it pauses no more", request: both, held: true, grant: store.Grant{Busy: true, Wait: callSlack + 100*ms}, again: wait{5 * ms, 10 * ms}, keeps: true},
		{name: "it queues for a slot", request: both, held: true, queues: true, grant: store.Grant{Queued: true, Busy: true, Lease: 9 * second, Wait: second}, again: wait{10 * second, 20 * second}},
		{name: "it queues for long", request: both, queues: true, looked: 9, grant: store.Grant{Queued: true, Busy: true, Lease: 6500 * ms}, again: wait{11250 * ms, 22500 * ms}},
		{name: "it queues behind one that is gone", request: both, queues: true, grant: store.Grant{Queued: true, Busy: true, Lease: 6499 * ms}, again: wait{6504 * ms, 6554 * ms}},
		{name: "it queues for a start", request: both, queues: true, grant: store.Grant{Queued: true, Wait: 20 * second}, again: wait{15 * second, 0}, turn: 20 * second},
		{name: "it queues for a start that is near", request: both, queues: true, grant: store.Grant{Queued: true, Wait: 5 * second}, again: wait{5 * ms, 0}, turn: 5 * second},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newScript()
			s.grant = tt.grant
			r := newReservation(s, tt.request)
			if r.heldInStore, r.busy, r.turn = tt.held, tt.looked, time.Now(); tt.held {
				r.slackThen = callSlack
			}
			if tt.queues {
				r.queues = new(queues)
			}
			now := time.Now()
			since := func(at time.Time) time.Duration {
				if at.IsZero() {
					return 0
				}
				return at.Sub(now)
			}
			if tt.limit > 0 {
				r.request.Limit = now.Add(tt.limit)
			}
			start, again, err := r.reserve(t.Context())
			late, isLate := err.(*lane.LateError)
			if assert.Equal(t, tt.late > 0, isLate, "%s: %v", tt.name, err); isLate {
				assert.Equal(t, tt.late, since(late.Turn), tt.name)
				assert.Equal(t, lane.Deadline, late.Cause, tt.name)
			}
			if tt.again.below > 0 {
				assert.GreaterOrEqual(t, again, tt.again.least, tt.name)
				assert.Less(t, again, tt.again.below, tt.name)
			} else {
				assert.Equal(t, tt.again.least, again, tt.name)
			}
			assert.Equal(t, []time.Duration{tt.start, tt.until, tt.beginBy}, []time.Duration{since(start.From), since(start.Until), since(start.BeginBy)}, tt.name)
			assert.Equal(t, tt.keeps, r.heldInStore, tt.name)
			assert.Equal(t, tt.grant.Startless, start.Later, tt.name)
			assert.Zero(t, start.Early, tt.name)
			assert.Equal(t, min(tt.grant.Gap, 30*24*time.Hour), r.gap, tt.name)
			assert.Equal(t, tt.grant.Queued, r.queued, tt.name)
			assert.Equal(t, tt.grant.Queued, r.turnComes != nil, tt.name)
			if tt.grant.Queued {
				assert.Equal(t, tt.turn, since(r.turn), tt.name)
			}
		})
	}
}

// A token in the queue looks again as often as its place is worth.
func TestLooksAgain(t *testing.T) {
	kept := store.Grant{Queued: true, Busy: true, Lease: 9 * second}
	for _, tt := range []struct {
		looked      int
		deaf        bool
		least, most time.Duration
	}{
		{0, false, 10 * second, 20 * second},
		{1, false, 11250 * ms, 22500 * ms},
		{9, false, 11250 * ms, 22500 * ms},
		{0, true, 5 * ms, 10 * ms},
		{9, true, 200 * ms, 400 * ms},
	} {
		r := newReservation(newScript(), lane.StartRequest{Slots: 1})
		if r.watch.end = func() {}; tt.deaf { // it listens already
			r.watch.turns = r.turns
		}
		for range 50 {
			r.busy = tt.looked
			look := r.lookAgain(kept)
			assert.GreaterOrEqual(t, look, tt.least, "%+v", tt)
			assert.Less(t, look, tt.most, "%+v", tt)
		}
	}
}

// What is asked of Turns for a request.
func TestAsks(t *testing.T) {
	both := lane.StartRequest{Gap: second, Slots: 2, Lead: 100 * ms, Longest: 3 * second, Varies: true}
	plain := store.Ask{Token: "a token", Gap: second, Slots: 2, Lease: 10 * second, Lead: 100 * ms, Longest: 3 * second, Slack: callSlack}
	with := func(edit func(*store.Ask)) store.Ask {
		a := plain
		edit(&a)
		return a
	}
	for _, tt := range []struct {
		name string
		edit func(r *reservation, now time.Time)
		want store.Ask
	}{
		{"a start and a slot", func(*reservation, time.Time) {}, plain},
		{"not before", func(r *reservation, now time.Time) { r.request.From = now.Add(second) }, with(func(a *store.Ask) { a.NotBefore = second })},
		{"not before the turn above", func(r *reservation, now time.Time) { r.request.From, r.floor = now.Add(second), now.Add(2*second) }, with(func(a *store.Ask) { a.NotBefore = 2 * second })},
		{"what is over", func(r *reservation, now time.Time) { r.request.From = now.Add(-second) }, plain},
		{"with a limit", func(r *reservation, now time.Time) { r.request.Limit = now.Add(second) }, with(func(a *store.Ask) { a.MaxWait = second })},
		{"with a limit that is over", func(r *reservation, now time.Time) { r.request.Limit = now.Add(-second) }, with(func(a *store.Ask) { a.MaxWait = 1 })},
		{"with more slack", func(r *reservation, _ time.Time) { r.extraSlack = second }, with(func(a *store.Ask) { a.Slack = callSlack + second })},
		{"for a start that it has", func(r *reservation, now time.Time) {
			r.heldInStore, r.slackThen, r.extraSlack, r.request.From = true, 20*ms, second, now.Add(second)
		}, with(func(a *store.Ask) { a.Slack = 20 * ms })},
		{"in the queue", func(r *reservation, _ time.Time) { r.queues = new(queues) }, with(func(a *store.Ask) { a.Queue, a.Startless = true, true })},
		{"in the queue, where connecting takes as long as ever", func(r *reservation, _ time.Time) { r.queues, r.request.Varies = new(queues), false }, with(func(a *store.Ask) { a.Queue = true })},
		{"there is no queue without slots", func(r *reservation, _ time.Time) { r.queues, r.request.Slots = new(queues), 0 }, with(func(a *store.Ask) { a.Slots = 0 })},
		{"in the queue, by a process that does not hear", func(r *reservation, _ time.Time) { r.queues, r.watch.turns = new(queues), r.turns }, with(func(a *store.Ask) {
			a.Queue, a.Startless, a.NotBefore = true, true, 2*callTakes
		})},
		{"by a process that does not hear", func(r *reservation, _ time.Time) { r.watch.turns = r.turns }, plain},
		{"for a start that it has, by a process that does not hear", func(r *reservation, _ time.Time) {
			r.queues, r.watch.turns, r.heldInStore, r.slackThen = new(queues), r.turns, true, callSlack
		}, with(func(a *store.Ask) { a.Queue, a.Startless = true, true })},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newReservation(newScript(), both)
			r.watch.end = func() {} // it listens already
			r.token = "a token"
			tt.edit(r, time.Now())
			assert.Equal(t, tt.want, r.ask(time.Now()), tt.name)
		})
	}
}

// A call that fails says when to try again, with the cause. One whose caller has gone may have reserved a start, which
// is given back.
func TestCallsThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScript()
		r := newReservation(s, lane.StartRequest{Gap: second})
		s.fails(errors.New("away"))
		began := time.Now()
		_, _, err := r.reserve(t.Context())
		late, ok := errors.AsType[*lane.LateError](err)
		require.True(t, ok)
		assert.Equal(t, began.Add(second+callTakes), late.Turn)
		assert.Equal(t, lane.Failed, late.Cause)
		assert.Equal(t, s.err, late.Err)
		assert.Equal(t, s.err, r.watch.health.get().Failing)
		assert.False(t, r.heldInStore)
		s.fails(nil)
		s.lasts(2 * second)
		var told []string
		r.watch.health.observe(Observer{Happened: func(e store.HealthEvent) { told = append(told, fmt.Sprint(e.Kind, e.Err)) }})
		_, _, err = r.reserve(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"turns-work<nil>", "slowa call of Turns took 2s"}, told)
	})
}
