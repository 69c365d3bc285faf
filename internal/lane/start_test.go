package lane

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const ms = time.Millisecond

// join lets a request wait in the lane of key 1.
func join(t *testing.T, ls *Lanes[int], terms Terms) *Ticket {
	t.Helper()
	terms.MaxQueue = 99
	ticket, err := ls.Join(t.Context(), 1, terms)
	require.NoError(t, err)
	return ticket
}

// What to reserve for a request: a start that it can reach, as connecting usually takes, or half of what it can wait for.
func TestStartRequest(t *testing.T) {
	const most = 250 * ms // of one that has taken 200
	for _, tt := range []struct {
		name   string
		gap    time.Duration
		took   []time.Duration // of those before: 4 at least
		limit  time.Duration   // the longest wait
		last   time.Duration   // how long ago the last one connected
		lead   time.Duration
		from   time.Duration
		varies bool
	}{
		{"it is always the same", second, []time.Duration{100 * ms, 100 * ms, 100 * ms, 100 * ms}, 0, 0, 125 * ms, 125 * ms, false},
		{"it varies", second, []time.Duration{100 * ms, 100 * ms, 100 * ms, 200 * ms}, 0, 0, most, 156250 * time.Microsecond, true},
		{"it varies by less than a twentieth", 2 * second, []time.Duration{100 * ms, 100 * ms, 100 * ms, 200 * ms}, 0, 0, most, 156250 * time.Microsecond, false},
		{"by a little more", 1800 * ms, []time.Duration{100 * ms, 100 * ms, 100 * ms, 200 * ms}, 0, 0, most, 156250 * time.Microsecond, true},
		{"it varies by so much", ms, []time.Duration{4 * ms, 4 * ms, 4 * ms, 12 * ms}, 0, 0, 15 * ms, 7500 * time.Microsecond, false},
		{"it varies by more", ms, []time.Duration{4 * ms, 4 * ms, 4 * ms, 16 * ms}, 0, 0, 20 * ms, 8750 * time.Microsecond, true},
		{"it cannot wait for long", second, []time.Duration{100 * ms, 100 * ms, 100 * ms, 100 * ms}, 200 * ms, 0, 125 * ms, 100 * ms, false},
		{"it can wait for long", second, []time.Duration{100 * ms, 100 * ms, 100 * ms, 100 * ms}, time.Minute, 0, 125 * ms, 125 * ms, false},
		{"one has just begun", second, []time.Duration{100 * ms, 100 * ms, 100 * ms, 100 * ms}, 0, 300 * ms, 125 * ms, 700 * ms, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			ls, now := newLanes(), time.Now()
			ticket := join(t, ls, Terms{Gap: tt.gap, Reserved: true, Slots: 3, MaxWait: tt.limit})
			for _, took := range tt.took {
				ls.Connected(1, took)
			}
			if tt.last > 0 {
				under(ls).begun.at = now.Add(-tt.last)
			}
			ticket.Hear(time.Minute)
			r := ticket.StartRequest()
			limit := r.Limit
			assert.Equal(t, tt.limit > 0, limit.Equal(now.Add(tt.limit)), tt.name)
			assert.Equal(t, StartRequest{Gap: tt.gap, Slots: 3, Lead: tt.lead, From: now.Add(tt.from), Limit: limit, Varies: tt.varies, Longest: time.Minute}, r, tt.name)
			ticket.Reserve(Start{From: now, Until: now})
			assert.True(t, ticket.StartRequest().Keep)
		})
	}
}

// A lane knows how long before a start it was reserved of late, and of all processes only while it looks for a limit.
func TestReservedAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls, now := newLanes(), time.Now()
		for _, tt := range []struct {
			terms Terms
			start Start
			of    float32
		}{
			{Terms{Gap: second}, Start{From: now, Until: now}, 0},
			{Terms{Limit: true}, Start{From: now, Until: now}, 0},
			{Terms{Gap: second, Limit: true}, Start{}, 0},
			{Terms{Gap: second, Limit: true}, Start{From: now, Until: now}, 1},
		} {
			ticket := join(t, ls, tt.terms)
			ticket.StartRequest()
			ticket.Reserve(tt.start)
			assert.Equal(t, tt.of, ticket.lane.limit.turnsOfAll, "%+v", tt)
			ticket.Leave()
		}
		ticket := join(t, ls, Terms{Gap: second})
		for _, tt := range []struct {
			reserve, retry, want time.Duration
		}{
			{8 * second, 0, 8 * second},
			{second, 0, 7 * second},
			{0, 2 * second, 7 * second},
			{0, 9 * second, 9 * second},
		} {
			if tt.retry > 0 {
				ticket.Retry(now.Add(tt.retry))
				assert.Equal(t, [2]time.Time{now.Add(tt.retry), now.Add(tt.retry)}, [2]time.Time{ticket.retry, ticket.turn})
			} else {
				ticket.Reserve(Start{From: now.Add(tt.reserve)})
			}
			assert.Equal(t, tt.want, ticket.ReservedAhead(), "%+v", tt)
		}
	})
}

// What the first in a line does next: it reserves a start a little before it connects, and again if the start is over.
func TestNextInFront(t *testing.T) {
	const lead = 125 * ms
	for _, tt := range []struct {
		name        string
		gap         time.Duration
		joins       bool
		last        time.Duration // how long ago the last one connected; 0: none has
		start       time.Duration // that is reserved; it is 100 ms long
		early       time.Duration
		begin       time.Duration // BeginBy
		retry       time.Duration
		stopsAsking bool // it asked for the right to go first
		want        time.Duration
		step        Step
	}{
		{name: "at once", gap: second, want: -lead - 250*ms, step: Reserve},
		{name: "a gap after the last one", gap: second, last: 400 * ms, want: 600*ms - lead - 250*ms, step: Reserve},
		{name: "a small gap", gap: 10 * ms, last: ms, want: 9*ms - lead - LeastAhead, step: Reserve},
		{name: "below a group", gap: second, joins: true, last: 400 * ms, want: 600*ms - lead - LeastAhead, step: Reserve},
		{name: "not before it may", gap: second, retry: 3 * second, want: 3 * second, step: Reserve},
		{name: "unless the site is well again", gap: second, retry: 3 * second, stopsAsking: true, want: -lead - 250*ms, step: Reserve},
		{name: "a start", gap: second, start: 3 * second, want: 3*second - lead, step: Connect},
		{name: "a start for which it connects early", gap: second, start: 3 * second, early: second, want: 2*second - lead, step: Connect},
		{name: "a start that is to be reserved again", gap: second, start: 3 * second, begin: 2 * second, want: 2 * second, step: Reserve},
		{name: "a start that need not be", gap: second, start: 3 * second, begin: 3*second - lead, want: 3*second - lead, step: Connect},
		{name: "a start that is now", gap: second, start: -50 * ms, want: -50*ms - lead, step: Connect},
		{name: "a start that is over", gap: second, start: -101 * ms, want: -lead - 250*ms, step: Reserve},
	} {
		synctest.Test(t, func(t *testing.T) {
			ls, now := newLanes(), time.Now()
			for range leadTimes {
				ls.Connected(1, 100*ms)
			}
			ticket := join(t, ls, Terms{Gap: tt.gap, Reserved: true, Joins: tt.joins})
			if tt.last > 0 {
				ticket.lane.begun.at = now.Add(-tt.last)
			}
			if tt.start != 0 {
				ticket.start = Start{From: now.Add(tt.start), Until: now.Add(tt.start + 100*ms), Early: tt.early}
			}
			if tt.begin > 0 {
				ticket.start.BeginBy = now.Add(tt.begin)
			}
			if tt.retry > 0 {
				ticket.retry, ticket.first = now.Add(tt.retry), tt.stopsAsking
			}
			at, step := ticket.nextInFront(now)
			assert.Equal(t, tt.want, at.Sub(now), tt.name)
			assert.Equal(t, tt.step, step, tt.name)
		})
	}
}

// A start is reserved for one that waits with its connection, too. Those who came first have the first starts, if they are
// of the same kind.
func TestSettle(t *testing.T) {
	ls, now := newLanes(), time.Now()
	l := under(ls)
	ticket := func(number uint64, start time.Duration) *Ticket {
		r := &Reservation{lane: l}
		return &Ticket{lane: l, number: number, terms: Terms{Slots: 1}, start: Start{From: now.Add(start)}, underway: underway{reservation: r, ownGap: second}}
	}
	for _, tt := range []struct {
		name   string
		change func(*Ticket)
		likes  bool
	}{
		{"all is the same", func(*Ticket) {}, true},
		{"nothing is reserved", func(u *Ticket) { u.reservation = nil }, false},
		{"the start goes with another", func(u *Ticket) { u.tied = true }, false},
		{"it has failed", func(u *Ticket) { u.failure = ErrBreak }, false},
		{"another gap", func(u *Ticket) { u.ownGap = 2 * second }, false},
		{"another number of slots", func(u *Ticket) { u.terms.Slots = 2 }, false},
	} {
		own, other := ticket(1, second), ticket(2, 0)
		tt.change(other)
		assert.Equal(t, tt.likes, other.isLike(own), tt.name)
		l.wire.waiting = []*Ticket{other}
		own.settle()
		assert.Equal(t, tt.likes, own.start.From.Equal(now), tt.name)
		assert.Equal(t, tt.likes, other.start.From.Equal(now.Add(second)), tt.name)
		if tt.likes {
			assert.Same(t, own, own.reservation.ticket)
			assert.Same(t, other, other.reservation.ticket)
		}
	}
	three := []*Ticket{ticket(3, second), ticket(1, 3*second), ticket(2, 2*second)}
	l.wire.waiting = three
	three[1].settle()
	assert.Equal(t, []time.Time{now.Add(3 * second), now.Add(second), now.Add(2 * second)}, []time.Time{three[0].start.From, three[1].start.From, three[2].start.From})
	l.wire.waiting = nil
	ls.Break(1, time.Now().Add(second))
	before, after := ticket(1, 0), ticket(2, 0)
	after.counted = time.Hour
	assert.False(t, before.isLike(after), "one of them is the trial")
	assert.True(t, after.isLike(after))
}

// Of those with a connection, the trial goes first, then the one whose start is earlier, then the one that came first. One
// that has no room goes after the others.
func TestFirstAtTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls, now := newLanes(), time.Now()
		l := under(ls)
		ticket := func(number uint64, start, counted time.Duration) *Ticket {
			return &Ticket{lane: l, number: number, start: Start{From: now.Add(start)}, underway: underway{counted: counted}}
		}
		for _, tt := range []struct {
			name        string
			t, other    *Ticket
			first, back bool
		}{
			{"it came first", ticket(1, 0, 0), ticket(2, 0, 0), true, false},
			{"it is the same", ticket(1, 0, 0), ticket(1, 0, 0), false, false},
			{"its start is earlier", ticket(2, second, 0), ticket(1, 2*second, 0), true, false},
			{"both could start now", ticket(2, -second, 0), ticket(1, 0, 0), false, true},
			{"the other cannot", ticket(2, 0, 0), ticket(1, 1, 0), true, false},
		} {
			assert.Equal(t, tt.first, tt.t.goesBefore(tt.other, now), tt.name)
			assert.Equal(t, tt.back, tt.other.goesBefore(tt.t, now), tt.name)
		}
		w := &l.wire
		assert.True(t, w.isFirst(ticket(9, 0, 0), now), "nobody waits")
		assert.False(t, w.holdsLine(now))
		full := ticket(1, 0, 0)
		full.slot, full.terms.Slots = true, 1
		second, third, later := ticket(2, 0, 0), ticket(3, 0, 0), ticket(4, 0, 0)
		for _, u := range []*Ticket{third, full, second, later, second} {
			w.add(u)
		}
		assert.Equal(t, []*Ticket{full, second, third, later}, w.waiting, "each once, in order")
		(&Ticket{lane: l, underway: underway{onWire: true}}).link(&l.unanswered)
		assert.Same(t, full, w.first(now), "what is written has no slot")
		(&Ticket{lane: l, underway: underway{slot: true, onWire: true}}).link(&l.unanswered)
		assert.Same(t, second, w.first(now), "its slot is not free")
		assert.True(t, w.isFirst(second, now))
		assert.False(t, w.isFirst(third, now))
		assert.True(t, w.isFirst(ticket(1, 0, 0), now), "it would be")
		assert.False(t, w.holdsLine(now), "there was no break")
		w.remove(second)
		<-third.wake
		w.remove(second)
		assert.Equal(t, []*Ticket{full, third, later}, w.waiting)

		ls.Break(1, now.Add(time.Second))
		assert.True(t, w.holdsLine(now), "one of those from before goes first")
		third.counted = time.Hour
		assert.False(t, w.holdsLine(now), "it is the trial")
		later.counted = time.Hour
		assert.Same(t, third, w.first(now))
		third.counted = 0
		assert.Same(t, later, w.first(now), "the trial")
	})
}

// A request with a connection is written when its gap, its start and breaks allow it. If this is too late, it is refused.
func TestWritable(t *testing.T) {
	for _, tt := range []struct {
		name       string
		gap        time.Duration // since the last write, just now
		start      time.Duration
		down       time.Duration // a break
		wait       time.Duration // the longest
		limit      time.Duration // of the context
		replayable bool
		arrived    bool
		at         time.Duration
		err        error
	}{
		{name: "at once"},
		{name: "after a gap", gap: second, at: second},
		{name: "after its start", gap: second, start: 2 * second, at: 2 * second},
		{name: "after a break", gap: second, down: 3 * second, at: 3 * second},
		{name: "it is sent back in a break", down: 3 * second, replayable: true, err: ErrBreak},
		{name: "it was written", down: 3 * second, replayable: true, arrived: true, at: 3 * second},
		{name: "in time", gap: second, wait: second, at: second},
		{name: "too late", gap: second, wait: second - 1, err: &LateError{Cause: Deadline}},
		{name: "too late for its context", gap: second, limit: second - 1, err: &LateError{Cause: Deadline}},
		{name: "in time for its context", gap: second, limit: second, wait: 2 * second, at: second},
	} {
		synctest.Test(t, func(t *testing.T) {
			ls, now, ctx := newLanes(), time.Now(), t.Context()
			if tt.down > 0 {
				ls.Break(1, now.Add(tt.down))
			}
			if tt.limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, tt.limit)
				defer cancel()
			}
			l := under(ls)
			l.wire.last = spaced{now, tt.gap}
			ticket := &Ticket{lane: l, terms: Terms{MaxWait: tt.wait}, start: Start{From: now.Add(tt.start)}}
			ticket.due, ticket.arrived, ticket.binding.Replayable, ticket.counted = now, tt.arrived, tt.replayable, time.Hour
			at, err := ticket.writable(ctx, now)
			if late, ok := tt.err.(*LateError); ok {
				got, ok := errors.AsType[*LateError](err)
				require.True(t, ok, tt.name)
				assert.Equal(t, late.Cause, got.Cause, tt.name)
				assert.Equal(t, second, got.Turn.Sub(now), tt.name)
				return
			}
			assert.Equal(t, tt.err, err, tt.name)
			assert.Equal(t, tt.at, at.Sub(now), tt.name)
			assert.Equal(t, tt.err == ErrBreak, ticket.back, tt.name)
		})
	}
}

// A start is missed a little before its end, since the write takes time, or in the second half of a short one.
func TestMissed(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		from, until time.Duration
		later, is   bool
	}{
		{0, margin * 3, false, false},
		{-2 * margin, margin, false, false},
		{-2 * margin, margin - 1, false, true},
		{-ms / 2, ms / 2, false, false},
		{-ms/2 - 1, ms/2 - 1, false, true},
		{0, time.Hour, true, true},
	} {
		ticket := &Ticket{start: Start{From: now.Add(tt.from), Until: now.Add(tt.until), Later: tt.later}}
		assert.Equal(t, tt.is, ticket.missed(now), "%+v", tt)
	}
	assert.False(t, new(Ticket).missed(now))
}

// Others are told of breaks, and hear lessons again until they know them.
func TestUnshared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls, now := newLanes(), time.Now()
		assert.Empty(t, ls.Unshared(1))
		ls.BreakTold(1, now, 1)
		ls.LessonHeard(1)
		_, known := ls.Lesson(1)
		assert.False(t, known)
		under(ls)
		_, known = ls.Lesson(1)
		assert.False(t, known, "all is well")
		ls.Break(1, now.Add(second))
		assert.Equal(t, []Break[int]{{1, now.Add(second), false}}, ls.Unshared(1))
		ls.BreakTold(1, now.Add(second-limit.Tolerance-1), 1)
		assert.Len(t, ls.Unshared(1), 1, "of another break")
		ls.BreakTold(1, now.Add(second-limit.Tolerance), 1)
		assert.Empty(t, ls.Unshared(1))
		assert.Len(t, ls.Unshared(2), 1, "others have forgotten it")
		ls.Break(1, now.Add(2*second))
		assert.Len(t, ls.Unshared(1), 1, "it lasts longer")
		time.Sleep(2 * second)
		assert.Empty(t, ls.Unshared(1), "it is over")

		ls = newLanes()
		for range 60 {
			ls.Answered(1, Terms{Limit: true}, Answer{Kind: limit.Good, Answered: true})
			time.Sleep(second)
		}
		lesson := limit.Lesson{Incident: true, Why: limit.Down, Teller: 7, Before: second, Break: second}
		assert.False(t, ls.Learn(1, lesson))
		until := ls.BreakEnd(1)
		ls.BreakTold(1, until, 1)
		assert.Empty(t, ls.Unshared(1))
		lesson.Level = 4
		assert.True(t, ls.Learn(1, lesson), "by now others ask what this process has sent")
		told, known := ls.Lesson(1)
		assert.True(t, known && told.Incident)
		assert.Equal(t, []Break[int]{{1, until, true}}, ls.Unshared(1))
		ls.LessonHeard(1)
		assert.Empty(t, ls.Unshared(1))
		assert.False(t, ls.Learn(1, lesson))
		lesson.Break = time.Hour
		ls.Learn(1, lesson)
		assert.Len(t, ls.Unshared(1), 1)
	})
}

// A request in two lanes that has missed its start reserves two that go together, or takes what it has after three tries.
func TestStartsThatGoTogether(t *testing.T) {
	failed, none := errors.New("failed"), time.Duration(-1)
	for _, tt := range []struct {
		name          string
		above         time.Duration // the start above; none: nothing is reserved there
		later         time.Duration // how much later than asked starts below are, and those above by a second
		err, aboveErr error
		asked, asks   []time.Duration // the earliest starts of use, below and above
	}{
		{name: "the start above goes with it", above: second + 50*ms, asked: []time.Duration{0}},
		{name: "nothing is reserved above", above: none, asked: []time.Duration{0}},
		{name: "the start above is missed, too", above: 0, asked: []time.Duration{0}, asks: []time.Duration{second}},
		{name: "the start above is later", above: 5 * second, later: ms, asked: []time.Duration{0, 2 * second}, asks: []time.Duration{second}},
		{name: "they never meet", above: 0, later: second, asked: []time.Duration{0, 2 * second, 4 * second}, asks: []time.Duration{second, 3 * second, 5 * second}},
		{name: "none is to be had below", err: failed, asked: []time.Duration{0}},
		{name: "none is to be had above", aboveErr: failed, asked: []time.Duration{0}, asks: []time.Duration{second}},
	} {
		synctest.Test(t, func(t *testing.T) {
			ls, began := newLanes(), time.Now()
			start := func(from time.Duration) Start {
				return Start{From: began.Add(from), Until: began.Add(from + 100*ms)}
			}
			after := func(from time.Time) time.Duration { return max(from.Sub(began), 0) }
			var asked, asks []time.Duration
			ticket := func(key int, from time.Duration, again func(from time.Duration) (Start, error)) *Ticket {
				l := ls.lane(key, ls.hash(key), true)
				defer l.mu.Unlock()
				u := &Ticket{lane: l, start: start(from)}
				u.tied, u.reservation = true, &Reservation{Again: func(_ context.Context, _ time.Duration, from time.Time) (Start, error) { return again(after(from)) }}
				return u
			}
			own := ticket(1, 0, func(from time.Duration) (Start, error) {
				asked = append(asked, from)
				if from > 0 {
					from += tt.later
				}
				return start(max(from, second)), tt.err
			})
			own.above = ticket(9, tt.above, func(from time.Duration) (Start, error) {
				asks = append(asks, from)
				if tt.later > 0 {
					from += second
				}
				return start(from), tt.aboveErr
			})
			if tt.above == none {
				own.above.start, own.above.reservation = Start{}, nil
			}
			time.Sleep(200 * ms)
			own.lane.mu.Lock()
			defer own.lane.mu.Unlock()
			err := own.startLater(t.Context())
			assert.Equal(t, tt.err != nil || tt.aboveErr != nil, err != nil, tt.name)
			assert.Equal(t, tt.asked, asked, tt.name)
			assert.Equal(t, tt.asks, asks, tt.name)
			own.above.tied = true
			assert.Equal(t, errMissed, own.above.startLater(t.Context()), "it leaves this to the one below")
		})
	}
}
