package lane

import (
	"context"
	"errors"
	"hash/maphash"
	"math"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newLanes returns lanes that remember any key of a test.
func newLanes() *Lanes[int] {
	return New(1<<20, Keys[int]{
		Own: func(key int) int { return key }, Size: func(int) int { return 10 }, Name: strconv.Itoa,
		Hash: func(key int, _ maphash.Seed) uint64 { return uint64(key) << 32 },
	})
}

// under returns the lane of key 1, for a look at what it knows.
func under(ls *Lanes[int]) *lane {
	l := ls.lane(1, ls.hash(1), true)
	l.mu.Unlock()
	return l
}

// begin hands on a request of key 1.
func begin(t *testing.T, ls *Lanes[int], terms Terms) *Ticket {
	t.Helper()
	a, ok := ls.Begin(1, terms, Arrival{})
	require.True(t, ok)
	return a.Ticket
}

// Who may not wait joins a line only if nobody waits there, and if its turn could begin, but for what has to be reserved
// first. Then it waits for a second at most.
func TestJoin(t *testing.T) {
	sends := func(gap time.Duration) func(t *testing.T, ls *Lanes[int]) {
		return func(t *testing.T, ls *Lanes[int]) { begin(t, ls, Terms{Gap: gap}).Done() }
	}
	waits := func(t *testing.T, ls *Lanes[int]) {
		_, err := ls.Join(t.Context(), 1, Terms{MaxQueue: 1})
		require.NoError(t, err)
	}
	const joins = NoCause
	for _, tt := range []struct {
		name   string
		before func(t *testing.T, ls *Lanes[int])
		terms  Terms
		limit  time.Duration // of the context
		cause  Cause         // why it does not join
		turn   time.Duration // when to come back then
		waits  time.Duration // for how long at most; 0: without end
		why    string
	}{
		{name: "it may wait", terms: Terms{MaxQueue: 1}},
		{name: "it joins above", terms: Terms{Joins: true}, waits: second},
		{name: "with a queue below none", terms: Terms{Joins: true, MaxQueue: -1}, waits: second},
		{name: "it has a short MaxWait", terms: Terms{Joins: true, MaxWait: second / 2}, waits: second / 2},
		{name: "it has a long MaxWait", terms: Terms{Joins: true, MaxWait: 2 * second}, waits: second},
		{name: "its context ends soon", terms: Terms{Joins: true}, limit: second / 2, waits: second / 2},
		{name: "it reserves a start", terms: Terms{Reserved: true, Gap: second}, waits: second},
		{name: "it has nothing to wait for", cause: Full, turn: second, why: "no request may wait here (MaxQueue)"},
		{name: "its turn is later", before: sends(second), terms: Terms{Joins: true, Gap: second}, cause: Full, turn: second, why: "no request may wait here (MaxQueue)"},
		{name: "its turn is much later", before: sends(time.Minute), terms: Terms{Joins: true, Gap: second}, cause: Full, turn: time.Minute, why: "no request may wait here (MaxQueue)"},
		{name: "another waits", before: waits, terms: Terms{Joins: true}, cause: Full, turn: second, why: "no request may wait here (MaxQueue)"},
		{name: "as many wait as may", before: waits, terms: Terms{MaxQueue: 1}, cause: Full, turn: second, why: "no more than 1 may wait here (MaxQueue)"},
		{name: "one more may", before: waits, terms: Terms{MaxQueue: 2}},
		{name: "it is in time", before: sends(time.Minute), terms: Terms{Gap: second, MaxQueue: 1, MaxWait: time.Minute}, waits: time.Minute},
		{name: "it is late", before: sends(time.Minute), terms: Terms{Gap: second, MaxQueue: 1, MaxWait: time.Minute - 1}, cause: Deadline, turn: time.Minute, why: "the request can only wait for 1m0s"},
	} {
		synctest.Test(t, func(t *testing.T) {
			ls, now, ctx := newLanes(), time.Now(), t.Context()
			if tt.before != nil {
				tt.before(t, ls)
			}
			if tt.limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, tt.limit)
				defer cancel()
			}
			ticket, err := ls.Join(ctx, 1, tt.terms)
			if tt.cause != joins {
				late, ok := errors.AsType[*LateError](err)
				require.True(t, ok, tt.name)
				assert.Equal(t, tt.cause, late.Cause, tt.name)
				assert.Equal(t, tt.turn, late.Turn.Sub(now), tt.name)
				assert.Contains(t, late.Why, tt.why, tt.name)
				return
			}
			require.NoError(t, err, tt.name)
			if tt.waits == 0 {
				assert.Zero(t, ticket.deadline, tt.name)
			} else {
				assert.Equal(t, tt.waits, ticket.deadline.Sub(now), tt.name)
			}
			assert.Equal(t, tt.terms.MaxQueue <= 0, ticket.noQueue, tt.name)
		})
	}
}

// A site that is down for long is waited for only by those who say for how long. A deadline that has come is one of the
// caller's.
func TestWhyItIsLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			wait time.Duration // MaxWait
			down time.Duration
			late bool
		}{
			{0, longestDown, false},
			{0, longestDown + 1, true},
			{-1, time.Hour, false},
		} {
			ls := newLanes()
			ls.Learn(1, limit.Lesson{Incident: true, Why: limit.Down, Break: tt.down})
			ticket, err := ls.Join(t.Context(), 1, Terms{MaxQueue: 1, MaxWait: tt.wait})
			assert.Equal(t, tt.late, err != nil, "%+v", tt)
			if tt.late {
				assert.Equal(t, Down, err.(*LateError).Cause)
				continue
			}
			ctx, cancel := context.WithTimeout(t.Context(), second)
			ticket.lane.mu.Lock()
			time.Sleep(second)
			synctest.Wait()
			late, ok := errors.AsType[*LateError](ticket.contextError(ctx, time.Now()))
			ticket.lane.mu.Unlock()
			require.True(t, ok)
			assert.ErrorIs(t, late.Err, context.DeadlineExceeded)
			cancel()
			ended, end := context.WithCancelCause(t.Context())
			end(errors.ErrUnsupported)
			assert.Equal(t, errors.ErrUnsupported, ticket.contextError(ended, time.Now()))
		}
	})
}

// A request gives up a little before its deadline: by a twentieth of the time that it had, and by no more than a bound.
func TestEarly(t *testing.T) {
	now := time.Now()
	for has, early := range map[time.Duration]time.Duration{0: 0, 20 * time.Millisecond: time.Millisecond, second: 50 * time.Millisecond, time.Hour: 50 * time.Millisecond} {
		assert.Equal(t, has-early, Early(now, now.Add(has)).Sub(now), has)
	}
}

// A request connects before its start by what connecting takes in its lane. While the lane knows few times, what it takes
// anywhere counts, if that is longer.
func TestAhead(t *testing.T) {
	const long, short = 200 * time.Millisecond, 40 * time.Millisecond
	reserves := Terms{Reserved: true, Gap: second}
	for _, tt := range []struct {
		name   string
		terms  Terms
		own    int           // how many have taken 100 ms here
		all    time.Duration // what 16 took anywhere; 0: nothing is known
		others time.Duration // the gap of others here
		want   time.Duration
	}{
		{"nothing is known", reserves, 0, 0, 0, firstLead},
		{"nothing is known here", reserves, 0, short, 0, 50 * time.Millisecond},
		{"little is known, and others take longer", reserves, 15, long, 0, 250 * time.Millisecond},
		{"little is known", reserves, 15, short, 0, 125 * time.Millisecond},
		{"enough is known", reserves, 16, long, 0, 125 * time.Millisecond},
		{"nothing is reserved", Terms{Gap: second}, 16, long, 0, 0},
		{"nobody knows when it connects", Terms{Reserved: true, Gap: second, Silent: true}, 16, long, 0, 0},
		{"a gap that is none", Terms{Reserved: true, Gap: tinyGap - 1}, 16, long, tinyGap - 1, 0},
		{"a small gap", Terms{Reserved: true, Gap: tinyGap}, 16, long, 0, 125 * time.Millisecond},
		{"a gap of others", Terms{Reserved: true, Slots: 1}, 16, long, tinyGap, 125 * time.Millisecond},
	} {
		l := newLane(new(counter), new(lead))
		for range tt.own {
			l.connected(100 * time.Millisecond)
		}
		for range leadTimes {
			if tt.all > 0 {
				l.leads.learn(tt.all)
			}
		}
		l.longestGap = tt.others
		long, usual := l.ahead(tt.terms)
		assert.Equal(t, tt.want, long, tt.name)
		assert.InDelta(t, tt.want, usual, 1000, tt.name)
	}
}

// The next turn is likely to come a gap later, or when a request under way is done if that takes longer. If nobody can
// wait, it comes a little later.
func TestStep(t *testing.T) {
	for _, tt := range []struct {
		name  string
		terms Terms
		takes time.Duration // a turn, usually
		want  time.Duration
	}{
		{"a gap", Terms{Gap: second, MaxQueue: 1}, 0, second},
		{"and jitter", Terms{Gap: second, Jitter: 0.5, MaxQueue: 1}, 0, 1500 * time.Millisecond},
		{"nobody waits", Terms{Gap: 64 * second}, 0, 65 * second},
		{"nobody waits, by less than none", Terms{Gap: 64 * second, MaxQueue: -1}, 0, 65 * second},
		{"a slot", Terms{Gap: second, Slots: 1, MaxQueue: 1}, 3 * second, 3 * second},
		{"slots", Terms{Gap: second, Slots: 2, MaxQueue: 1}, 3 * second, 1500 * time.Millisecond},
		{"slots, and a longer gap", Terms{Gap: second, Slots: 4, MaxQueue: 1}, 3 * second, second},
		{"a ceiling", Terms{Ceiling: 2, MaxQueue: 1}, 3 * second, 1500 * time.Millisecond},
		{"a gap that is none", Terms{Gap: tinyGap - 1, MaxQueue: 1}, 3 * second, 3 * second},
		{"a small gap", Terms{Gap: tinyGap, MaxQueue: 1}, 3 * second, tinyGap},
		{"no end", Terms{Gap: math.MaxInt64, MaxQueue: 1}, 0, longestWait},
	} {
		l := newLane(new(counter), new(lead))
		l.slotTime = tt.takes
		assert.Equal(t, tt.want, l.step(tt.terms, time.Now()), tt.name)
	}
	ls := newLanes()
	ls.Break(1, time.Now().Add(second))
	l := under(ls)
	l.slotTime = 3 * second
	for _, tt := range []struct {
		terms Terms
		want  time.Duration
	}{
		{Terms{Gap: second, MaxQueue: 1}, 3 * second}, // one goes first
		{Terms{Gap: second, MaxQueue: 1, Slots: 2}, 3 * second},
		{Terms{Gap: second, MaxQueue: 1, Limit: true}, second}, // the slow start is over with the first good answer
		{Terms{Gap: second, MaxQueue: 1, Limit: true, Slots: 2}, 1500 * time.Millisecond},
	} {
		assert.Equal(t, tt.want, l.step(tt.terms, time.Now()), "%+v", tt.terms)
	}
}

// A request that is refused is told to come back behind those that wait, and when one under way is likely to be done.
func TestRefuse(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		name           string
		terms          Terms
		under, waiting int
		want           time.Duration
	}{
		{"nothing is in the way", Terms{Slots: 2, MaxQueue: 1}, 0, 0, 0},
		{"one of two", Terms{Slots: 2, MaxQueue: 1}, 1, 0, 0},
		{"two of two", Terms{Slots: 2, MaxQueue: 1}, 2, 0, 3 * second},
		{"two of two, and two wait", Terms{Slots: 2, MaxQueue: 1}, 2, 2, 6 * second},
		{"more wait than are remembered", Terms{Slots: 1, MaxQueue: 1}, 1, 2 * mostPromises, mostPromises * 3 * second},
		{"any number may be under way", Terms{MaxQueue: 1}, 2, 2, 0},
	} {
		l := newLane(new(counter), new(lead))
		l.limit.born, l.slotTime = now, 3*second
		for range tt.under {
			(&Ticket{lane: l, underway: underway{slot: true}}).link(&l.bodies)
		}
		if l.line.length = tt.waiting; tt.waiting > 0 {
			l.line.first = &Ticket{lane: l}
			l.line.last = l.line.first
		}
		late := l.refuse(tt.terms, 0, now, Gap, "why")
		assert.Equal(t, tt.want, late.Turn.Sub(now), tt.name)
		assert.Equal(t, LateError{Turn: late.Turn, Cause: Gap, Why: "why"}, *late, tt.name)
	}
	l := newLane(new(counter), new(lead))
	assert.Equal(t, 5*second, l.refuse(Terms{MaxQueue: 1}, 5*second, now, Gap, "").Turn.Sub(now))
	for range 99 { // while turns fail, nobody knows which will be free
		l.promise(now, Terms{Gap: second}, now, Failed)
	}
	assert.Equal(t, longestFailed, l.promise(now, Terms{Gap: second}, now, Failed).Sub(now))
	assert.Equal(t, now, l.promise(now, Terms{Gap: second, Returns: true}, now, Failed))
}

// A lane is kept for as long as it has a gap, a break or a promise to keep, and a while longer if it knows something.
func TestNeed(t *testing.T) {
	now := time.Now()
	at := func(d time.Duration) time.Time { return now.Add(d) }
	for name, tt := range map[string]struct {
		has          func(l *lane)
		binds, helps time.Duration // from now
	}{
		"nothing":                  {func(*lane) {}, -1, 0},
		"a gap":                    {func(l *lane) { l.begun.at, l.longestGap = now, 3*second }, 3 * second, 3 * second},
		"a gap before a write":     {func(l *lane) { l.wire.last = spaced{now, 5 * second} }, 5 * second, 5 * second},
		"a gap that may be longer": {func(l *lane) { l.begun = spaced{at(second), second} }, second, second + rememberFor},
		"a break":                  {func(l *lane) { l.breakUntil(at(time.Hour)) }, time.Hour, time.Hour + RememberLimit},
		"trouble": {func(l *lane) {
			l.begun.at = at(5 * second)
			l.limit.begin(now)
			l.answered(0, now, now, true, Answer{Kind: limit.Busy, Answered: true})
		}, 5 * second, 5*second + RememberLimit},
		"a promise": {func(l *lane) { l.promise(at(7*second), Terms{Gap: second, MaxQueue: 1}, now, Full) }, -1, 7 * second},
	} {
		l := newLane(new(counter), new(lead))
		l.limit.born = now
		tt.has(l)
		binds, helps := l.need(now)
		if tt.binds < 0 {
			assert.True(t, binds.Before(now), name)
		} else {
			assert.Equal(t, tt.binds, binds.Sub(now), name)
		}
		assert.Equal(t, tt.helps, helps.Sub(now), name)
		_, used, forgotten := l.retire(helps.Add(-1))
		assert.False(t, used || forgotten, name)
		l.line.length = 1
		_, used, forgotten = l.retire(helps)
		assert.True(t, used && !forgotten, name)
		l.line.length = 0
		_, used, forgotten = l.retire(helps)
		assert.True(t, !used && forgotten, name)
	}
}

// A request that has nothing to keep is noted: gaps of others count from it, and nothing before it is undone.
func TestTouch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls := newLanes()
		ctx, cancel := context.WithCancel(t.Context())
		first := begin(t, ls, Terms{Gap: second})
		first.Bind(Binding{Context: ctx, Lose: func(error) {}, Stoppable: true})
		time.Sleep(5 * second)
		l := under(ls)
		now := time.Now()
		l.promise(now.Add(-second), Terms{Gap: second}, now.Add(-second), Full)
		l.touch(now)
		assert.Equal(t, [2]spaced{{at: now}, {at: now}}, [2]spaced{l.begun, l.wire.last})
		assert.Equal(t, now, l.promised.due)
		cancel()
		first.Done()
		assert.Equal(t, now, l.begun.at, "what came before is not undone")
	})
}

// The turn of a caller that has gone before its request was written is taken back, if no other has come since.
func TestUndo(t *testing.T) {
	for _, tt := range []struct {
		name   string
		does   func(t *testing.T, ls *Lanes[int], ticket *Ticket)
		undone bool
	}{
		{"it has gone", nil, true},
		{"its request is written", func(t *testing.T, _ *Lanes[int], ticket *Ticket) {
			require.NoError(t, ticket.Connected(context.Background(), false))
		}, false},
		{"it is sent back", func(_ *testing.T, _ *Lanes[int], ticket *Ticket) { ticket.back = true }, false},
		{"another has come", func(t *testing.T, ls *Lanes[int], _ *Ticket) { begin(t, ls, Terms{}) }, false},
		{"it is there", func(_ *testing.T, _ *Lanes[int], ticket *Ticket) { ticket.binding.Context = context.Background() }, false},
		{"nobody knows whether it is written", func(_ *testing.T, _ *Lanes[int], ticket *Ticket) { ticket.binding.Stoppable = false }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			ls, terms := newLanes(), Terms{Gap: second}
			begin(t, ls, terms).Done()
			time.Sleep(5 * second)
			ticket := begin(t, ls, terms)
			ctx, cancel := context.WithCancel(t.Context())
			ticket.Bind(Binding{Context: ctx, Lose: func(error) {}, Stoppable: true})
			time.Sleep(second)
			if tt.does != nil {
				tt.does(t, ls, ticket)
			}
			cancel()
			ticket.Done()
			assert.Equal(t, tt.undone, under(ls).begun.at.Before(time.Now().Add(-2*second)), tt.name)
		})
	}
}
