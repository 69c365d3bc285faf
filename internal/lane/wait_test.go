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

// A request that was sent back goes before all that connected later or never. One that goes ahead goes before those that came
// in order, but not before one that has reserved something, or that waits until it can.
func TestOrderOfALine(t *testing.T) {
	ls := newLanes()
	l := under(ls)
	names := make(map[*Ticket]string)
	order := func() (all []string) {
		for u := l.line.first; u != nil; u = u.after {
			all = append(all, names[u])
		}
		return all
	}
	back := func(name string, number uint64) *Ticket {
		u, err := ls.Rejoin(t.Context(), 1, Terms{}, &Ticket{number: number})
		require.NoError(t, err)
		names[u] = name
		return u
	}
	ahead := func(name string) *Ticket {
		u, err := ls.JoinAbove(t.Context(), 1, Terms{}, nil, true)
		require.NoError(t, err)
		names[u] = name
		return u
	}
	one, two := join(t, ls, Terms{}), join(t, ls, Terms{})
	names[one], names[two] = "one", "two"
	back("back 5", 5)
	back("back 3", 3)
	back("back 4", 4)
	assert.Equal(t, []string{"back 3", "back 4", "back 5", "one", "two"}, order())
	first := ahead("ahead")
	ahead("ahead, too")
	assert.Equal(t, []string{"back 3", "back 4", "back 5", "ahead", "ahead, too", "one", "two"}, order())
	one.Reserve(Start{Until: time.Now()})
	ahead("behind one")
	two.Retry(time.Now())
	last := ahead("behind two")
	assert.Equal(t, []string{"back 3", "back 4", "back 5", "ahead", "ahead, too", "one", "behind one", "two", "behind two"}, order())
	assert.Same(t, last, l.line.last)
	last.Leave()
	last.Leave()
	first.Leave()
	assert.Same(t, two, l.line.last)
	assert.Equal(t, 7, l.line.length)
	ls.Break(1, time.Now().Add(time.Hour))
	for _, terms := range []Terms{{MaxWait: time.Minute}, {}} {
		_, err := ls.Rejoin(t.Context(), 1, terms, &Ticket{number: 6})
		assert.Equal(t, terms.MaxWait > 0, err != nil)
		_, err = ls.JoinAbove(t.Context(), 1, terms, nil, true)
		assert.Equal(t, terms.MaxWait > 0, err != nil)
	}
}

// What ends a wait, and when.
func TestWhatEndsAWait(t *testing.T) {
	changed := make(chan struct{})
	close(changed)
	for _, tt := range []struct {
		name    string
		terms   Terms
		limit   time.Duration // of the context
		changed <-chan struct{}
		due     time.Duration
		edit    func(u *Ticket)
		step    Step
		cause   Cause // of the error
		why     string
		ended   bool // its context has
		after   time.Duration
	}{
		{name: "its turn", terms: Terms{Slots: 2, Gap: second}, step: Connect, after: second},
		{name: "other rules", changed: changed, step: Look},
		{name: "old rules", due: 3 * second, step: Look, after: 3 * second},
		{name: "the ticket below", edit: func(u *Ticket) { u.below = &Ticket{wake: make(chan struct{}, 1)}; u.below.wake <- struct{}{} }, step: Below},
		{name: "it is the first", edit: (*Ticket).TellFront, step: Front},
		{name: "a long wait", edit: func(u *Ticket) { u.TellAfter(4 * second) }, step: Tell, after: 4 * second},
		{name: "a long wait below", edit: func(u *Ticket) { u.below = &Ticket{waiting: waiting{tell: time.Now().Add(4 * second)}} }, step: Tell, after: 4 * second},
		{name: "its longest wait", terms: Terms{MaxWait: 2 * second}, cause: Deadline, why: "all turns are taken", after: 2 * second},
		{name: "its longest wait, where nobody waits", terms: Terms{MaxWait: 2 * second}, edit: func(u *Ticket) { u.noQueue = true }, cause: Full, why: tooMany(0), after: 2 * second},
		{name: "its deadline", limit: 2 * second, cause: Deadline, why: "its turn has not come in time", ended: true, after: 1950 * ms},
		{name: "a turn that would come too late", terms: Terms{Slots: 2, Gap: 3 * second}, limit: 2 * second, edit: func(u *Ticket) { u.terms.Gap = 4 * second }, cause: Deadline, why: CanWait(2 * second)},
	} {
		synctest.Test(t, func(t *testing.T) {
			ls, began, ctx := newLanes(), time.Now(), t.Context()
			begin(t, ls, Terms{Slots: 1})
			if tt.terms.Slots == 0 {
				tt.terms.Slots = 1
			}
			if tt.limit > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, tt.limit)
				defer cancel()
			}
			tt.terms.MaxQueue = 9
			if tt.edit != nil && tt.terms.Gap > 0 {
				tt.terms.Gap = 0
			}
			u, err := ls.Join(ctx, 1, tt.terms)
			require.NoError(t, err)
			if tt.edit != nil {
				tt.edit(u)
			}
			step, err := u.Wait(ctx, tt.changed, tt.due)
			assert.Equal(t, tt.after, time.Since(began), tt.name)
			assert.Equal(t, tt.step, step, tt.name)
			if tt.why == "" {
				assert.NoError(t, err, tt.name)
				return
			}
			late, ok := errors.AsType[*LateError](err)
			require.True(t, ok, tt.name)
			assert.Equal(t, tt.cause, late.Cause, tt.name)
			assert.Equal(t, tt.why, late.Why, tt.name)
			assert.Equal(t, tt.ended, errors.Is(late.Err, context.DeadlineExceeded), tt.name)
			assert.Equal(t, gone, u.stage, tt.name)
			assert.Zero(t, under(ls).line.length, tt.name)
		})
	}
}

// Who waits is told when its turn is likely to come: behind all others if it is the last, and else as the first.
func TestTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls, began := newLanes(), time.Now()
		begin(t, ls, Terms{Gap: second})
		one, two, three := join(t, ls, Terms{Gap: second}), join(t, ls, Terms{Gap: 2 * second}), join(t, ls, Terms{Gap: 3 * second})
		assert.Equal(t, []time.Duration{second, second, 6 * second}, []time.Duration{one.Turn().Sub(began), two.Turn().Sub(began), three.Turn().Sub(began)})
		at := began.Add(time.Minute)
		assert.Equal(t, 68*second, one.Promise(at, Full).Sub(began), "behind those that wait")
		assert.Equal(t, 69*second, one.Promise(at, Full).Sub(began), "and behind the promise before")
		two.Leave()
		three.Leave()
		assert.Zero(t, three.Turn())
		assert.Equal(t, 70*second, ls.Promise(1, Terms{Gap: second, MaxQueue: 1}, at, Full).Sub(began))
		one.lane.promised = nil
		assert.Equal(t, at, one.Promise(at, Full), "nobody else waits")
	})
}

// Who loses its slot is ended, also if this was before it had a request. A ticket that is done loses nothing.
func TestLose(t *testing.T) {
	why := errors.New("why")
	for _, bound := range []bool{true, false} {
		ls := newLanes()
		u := begin(t, ls, Terms{Slots: 1})
		r := &Reservation{End: func(unused, _ bool) { assert.False(t, unused) }}
		u.Keep(r)
		var lost []error
		bind := func() { u.Bind(Binding{Lose: func(why error) { lost = append(lost, why) }}) }
		if bound {
			bind()
		}
		r.Lose(why)
		if !bound {
			assert.Empty(t, lost)
			bind()
		}
		assert.Equal(t, []error{why}, lost)
		u.Done()
		r.Lose(why)
		assert.Len(t, lost, 1)
		assert.Nil(t, r.ticket)
	}
}

// An answer that was written counts in the lane above, and one that was not says nothing there.
func TestAnsweredAbove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, written := range []bool{true, false} {
			ls := newLanes()
			u := join(t, ls, learnedTerms)
			above, err := ls.JoinAbove(t.Context(), 9, learnedTerms, u, false)
			require.NoError(t, err)
			require.True(t, u.Connect(above))
			if !written {
				u.failure = ErrRules
			}
			answer := Answer{Kind: limit.Refused, Answered: true, Site: 7}
			u.AnsweredAbove(answer)
			assert.True(t, above.answered)
			u.Done()
			assert.Zero(t, under(ls).counter.under.Load())
		}
		assert.Zero(t, (*Ticket)(nil).AnsweredAbove(Answer{}))
		assert.Zero(t, newLanes().CorrectAbove(9, new(Ticket), Answer{}))
	})
}

var learnedTerms = Terms{Limit: true, Joins: true}

// What net/http sends again was written, so it is no refusal if a break or other rules stop it then.
func TestSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, again := range []bool{false, true} {
			ls := newLanes()
			u := begin(t, ls, Terms{Gap: second})
			changed := false
			u.Bind(Binding{Replayable: true, Changed: func() (bool, time.Duration) { return changed, 0 }})
			if again {
				require.NoError(t, u.Connected(t.Context(), false))
			}
			changed = true
			want := ErrRules
			if again {
				want = ErrWritten
			}
			assert.Equal(t, want, u.Connected(t.Context(), false))
			assert.Equal(t, want, u.Failure())
			assert.Equal(t, !again, u.SentBack())
			if !again {
				assert.Equal(t, want, u.Connected(t.Context(), false), "it has been sent back")
			}
		}
		assert.NoError(t, (*Ticket)(nil).Failure())
		assert.False(t, (*Ticket)(nil).SentBack() || (*Ticket)(nil).Hooked() || (*Ticket)(nil).Lasts())
	})
}
