package lane

import (
	"context"
	"errors"
	"hash/maphash"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newParts returns lanes in eight parts. A key is in the part of its last three bits.
func newParts() *Lanes[int] {
	return New(0, Keys[int]{
		Own: func(key int) int { return key }, Size: func(int) int { return 10 }, Name: strconv.Itoa,
		Hash: func(key int, _ maphash.Seed) uint64 { return uint64(key) },
	})
}

// A part of the lanes is looked through each 100 ms, one after the other, and each lane that nobody needs is forgotten.
func TestTidy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls := newParts()
		const parts = FewestLanes / partLanes
		for key := range 2 * parts {
			ls.lane(key, ls.hash(key), true).mu.Unlock()
		}
		seen := make(map[int]int)
		for key := range ls.States() {
			seen[key]++
		}
		assert.Len(t, seen, 2*parts)
		for _, times := range seen {
			assert.Equal(t, 1, times)
		}
		for left := 2*parts - 2; left >= 0; left -= 2 {
			ls.tidy(time.Now())
			for range 2 {
				assert.Equal(t, left, ls.Keys())
				assert.EqualValues(t, 10*left, ls.keyBytes.Load())
				time.Sleep(sweepEvery / 2)
				if left > 0 {
					ls.tidy(time.Now().Add(-1))
				}
			}
		}
	})
}

// A full part forgets a quarter of its lanes: first those that keep nothing, then as package fair says, and none that is
// used. A break that is forgotten before it is over leaves a mark.
func TestFullPart(t *testing.T) {
	for _, tt := range []struct {
		used, idle, bound int
		left              [3]int
	}{
		{10, 12, 10, [3]int{10, 4, 10}},
		{10, 3, 19, [3]int{10, 0, 14}},
		{30, 0, 2, [3]int{30, 0, 0}},
		{32, 0, 0, [3]int{32, 0, 0}},
		{0, 31, 0, [3]int{0, 31, 0}},
	} {
		synctest.Test(t, func(t *testing.T) {
			ls, now := newParts(), time.Now()
			time.Sleep(second)
			kinds := make(map[int]int)
			for i := range tt.used + tt.idle + tt.bound {
				key, kind := i*8, 0
				l := ls.lane(key, ls.hash(key), true)
				switch {
				case i < tt.used:
					l.line.length = 1
				case i < tt.used+tt.idle:
					l.begun, kind = spaced{time.Now().Add(-second), second}, 1
				default:
					l.breakUntil(now.Add(time.Hour))
					kind = 2
				}
				kinds[key] = kind
				l.mu.Unlock()
			}
			assert.False(t, ls.Evicted(1))
			ls.lane(800, ls.hash(800), true).mu.Unlock()
			var left [3]int
			for key := range ls.States() {
				if key != 800 {
					left[kinds[key]]++
				}
			}
			assert.Equal(t, tt.left, left, "%+v", tt)
			marks := 0
			for key, kind := range kinds {
				if ls.Evicted(key) {
					assert.Equal(t, 2, kind)
					marks++
				}
			}
			assert.Equal(t, tt.bound-left[2], marks, "%+v", tt)
			assert.Equal(t, marks > 0, ls.lost.any())
			time.Sleep(time.Hour)
			assert.False(t, ls.lost.any())
		})
	}
}

// Of lanes that keep a break, those of a site that has many are forgotten first.
func TestCrowdIsForgottenFirst(t *testing.T) {
	ls := newParts()
	ls.keys.Name = func(key int) string {
		if key >= 8*(partLanes-2) {
			return "origin http://honest" + strconv.Itoa(key) + ".example"
		}
		return "origin http://" + strconv.Itoa(key) + ".crowd.example"
	}
	for i := range partLanes + 1 {
		l := ls.lane(i*8, ls.hash(i*8), true)
		l.breakUntil(time.Now().Add(time.Hour))
		l.mu.Unlock()
	}
	for _, key := range []int{partLanes - 2, partLanes - 1} {
		assert.True(t, ls.BreakEnd(8*key).After(time.Now()), "though they are new")
	}
}

// A key whose break was forgotten is known by its hash, until the last break is over.
func TestMarks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e evicted
		now := time.Now()
		e.note(5, now)
		assert.False(t, e.any() || e.has(5), "it is over")
		hashes := []uint64{0, 63, 64, 1000, evictedBits - 1}
		for i, hash := range hashes {
			e.note(hash, now.Add(time.Duration(5-i)*time.Minute))
		}
		for i := range 5 * time.Minute / second {
			if i%60 == 0 {
				for _, hash := range hashes {
					assert.True(t, e.has(hash) && e.has(hash+evictedBits), hash)
				}
				assert.False(t, e.has(1) || e.has(65) || e.has(999))
			}
			time.Sleep(second)
		}
		assert.False(t, e.any() || e.has(0))

		ls := newParts()
		assert.Zero(t, ls.Keys())
		assert.Zero(t, ls.Bytes())
		ls.lost.note(1, time.Now().Add(second))
		assert.Equal(t, 1, ls.Keys())
		assert.EqualValues(t, evictedBits/8, ls.Bytes())
		assert.True(t, ls.Evicted(1))
		ls.Break(1, time.Now().Add(2*second))
		assert.False(t, ls.Evicted(1), "it is known again")
		time.Sleep(second)
		ls.size.Store(FewestLanes + 2)
		ls.keyBytes.Store(10 * (FewestLanes + 2))
		assert.EqualValues(t, 2*(LaneBytes+10), ls.Bytes())
	})
}

// A key that was forgotten goes on from the last request: gaps count from there.
func TestResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls := newLanes()
		time.Sleep(second)
		sent := time.Now()
		begin(t, ls, Terms{Gap: 2 * second}).Done()
		time.Sleep(rememberFor)
		for range maxParts {
			ls.tidy(time.Now())
			time.Sleep(sweepEvery)
		}
		require.Zero(t, ls.Keys())
		l := under(ls)
		assert.Equal(t, [2]time.Time{sent, sent}, [2]time.Time{l.begun.at.Round(10 * ms), l.wire.last.at.Round(10 * ms)})
		turn, _ := ls.Next(1, Terms{Gap: time.Hour})
		assert.Equal(t, sent.Add(time.Hour), turn.Round(10*ms))
		assert.Zero(t, newLanes().Limit(1))
	})
}

// Why the first in a line waits, since when what it waits for is under way, and when it can go.
func TestWhyTheFirstWaits(t *testing.T) {
	hour := time.Hour
	slots, ceiling, found := Terms{Slots: 2}, Terms{Ceiling: 2}, Terms{Limit: true}
	sends := func(t *testing.T, ls *Lanes[int], terms Terms) *Ticket {
		defer time.Sleep(second)
		return begin(t, ls, terms)
	}
	none := func(*testing.T, *Lanes[int]) {}
	const never = -1
	for _, tt := range []struct {
		name        string
		before      func(t *testing.T, ls *Lanes[int])
		terms       Terms
		cause       Cause
		since, next time.Duration // from the beginning
		sent, open  int
	}{
		{"nothing", none, Terms{}, NoCause, never, never, 0, 0},
		{"a break", func(_ *testing.T, ls *Lanes[int]) { ls.Break(1, time.Now().Add(hour)) }, Terms{}, InBreak, never, hour, 0, 0},
		{"a trial", func(t *testing.T, ls *Lanes[int]) {
			ls.Break(1, time.Now().Add(second))
			time.Sleep(second)
			require.NoError(t, begin(t, ls, Terms{}).Connected(t.Context(), false))
		}, Terms{}, Trial, second, second + limit.Patience, 1, 0},
		{"a ceiling", func(t *testing.T, ls *Lanes[int]) {
			defer ls.Enter(1) // so that the first is not alone
			sends(t, ls, Terms{Ceiling: 2, Gap: 1})
			sends(t, ls, Terms{Ceiling: 2, Gap: 1})
		}, ceiling, Ceiling, 0, never, 2, 0},
		{"slots", func(t *testing.T, ls *Lanes[int]) { sends(t, ls, slots); sends(t, ls, slots) }, slots, Slots, 0, never, 2, 0},
		{"one body, and an older request", func(t *testing.T, ls *Lanes[int]) {
			sends(t, ls, slots)
			sends(t, ls, slots).Answered(Answer{})
		}, slots, Slots, 0, never, 1, 1},
		{"one body, and a newer request", func(t *testing.T, ls *Lanes[int]) {
			sends(t, ls, slots).Answered(Answer{})
			sends(t, ls, slots)
		}, slots, Bodies, 0, never, 1, 1},
		{"bodies", func(t *testing.T, ls *Lanes[int]) {
			sends(t, ls, slots).Answered(Answer{})
			sends(t, ls, slots).Answered(Answer{})
		}, slots, Bodies, 0, never, 0, 2},
		{"a window", func(t *testing.T, ls *Lanes[int]) {
			sends(t, ls, Terms{Limit: true, Gap: 1})
			sends(t, ls, Terms{Limit: true, Gap: 1})
		}, found, Window, 0, second + limit.Patience, 2, 0},
		{"a gap", func(t *testing.T, ls *Lanes[int]) { sends(t, ls, Terms{Gap: 5 * second}).Done() }, Terms{}, Gap, never, 5 * second, 0, 0},
		{"a start", none, Terms{Reserved: true, Slots: 1}, Reserved, never, never, 0, 0},
		{"the lane above", none, Terms{Joins: true}, Above, never, never, 0, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			ls, began := newLanes(), time.Now()
			tt.before(t, ls)
			tt.terms.MaxQueue = 99
			keeps, reserves := ls.Keeps(1, tt.terms)
			assert.Equal(t, tt.cause == Reserved, reserves, tt.name)
			ticket := join(t, ls, tt.terms)
			s, ok := ls.State(1)
			assert.True(t, ok)
			assert.Equal(t, s, keeps, "%s: a request without a ticket", tt.name)
			at := func(d time.Duration) time.Time {
				if d == never {
					return time.Time{}
				}
				return began.Add(d)
			}
			assert.Equal(t, tt.cause, s.Cause, tt.name)
			assert.Equal(t, at(tt.since), s.Since, tt.name)
			assert.Equal(t, at(tt.next), s.Next, tt.name)
			assert.Equal(t, [3]int{1, tt.sent, tt.open}, [3]int{s.Waiting, s.Sent, s.Open}, tt.name)
			if tt.cause == Reserved {
				ticket.Await(began.Add(hour), began, nil)
				s, _ = ls.State(1)
				assert.Equal(t, began.Add(hour), s.Next)
			}
		})
	}
}

// Who waits because no request under way has an answer hears so after a while: the first in the line, once a minute.
func TestQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls, began := newLanes(), time.Now()
		begin(t, ls, Terms{Slots: 1})
		first, second := join(t, ls, Terms{Slots: 1}), join(t, ls, Terms{Slots: 1})
		l := first.lane
		assert.Zero(t, l.quietAt(first), "it does not tell")
		for _, ticket := range []*Ticket{first, second} {
			ticket.TellAfter(time.Hour)
		}
		assert.Zero(t, l.quietAt(second), "it is not the first")
		assert.Equal(t, began.Add(QuietTime), l.quietAt(first))
		for _, want := range []time.Duration{QuietTime, QuietTime + quietAgain, QuietTime + 2*quietAgain} {
			step, err := first.Wait(t.Context(), nil, 0)
			require.NoError(t, err)
			assert.Equal(t, Quiet, step)
			assert.Equal(t, want, time.Since(began))
		}
		first.Update(Terms{Slots: 2})
		assert.Zero(t, l.quietAt(first), "it may go")
	})
}

// A write that comes later than it was allowed counts from when it came. One that was stopped meanwhile is written all the
// same if it has begun.
func TestWrote(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls := newLanes()
		ticket := begin(t, ls, Terms{Gap: second})
		assert.Zero(t, ticket.Wrote(), "nobody has let it through")
		assert.Zero(t, ticket.written)
		var lost error
		ticket.Bind(Binding{Stoppable: true, Lose: func(why error) { lost = why }})
		ticket.start = Start{From: time.Now(), Until: time.Now().Add(second)}
		require.NoError(t, ticket.Connected(t.Context(), true))
		time.Sleep(second)
		assert.Zero(t, ticket.Wrote(), "in time")
		time.Sleep(second)
		assert.Equal(t, second, ticket.Wrote())
		assert.Equal(t, [2]time.Time{time.Now(), time.Now()}, [2]time.Time{ticket.written, ticket.lane.wire.last.at})
		ticket.lane.wire.last.at = time.Now().Add(-1) // another was written since
		time.Sleep(second)
		ticket.Wrote()
		assert.Equal(t, time.Now().Add(-second-1), ticket.lane.wire.last.at)

		ls.Break(1, time.Now().Add(time.Hour))
		late, ok := errors.AsType[*LateError](lost)
		require.True(t, ok)
		assert.Equal(t, LateError{Turn: time.Now().Add(time.Hour), Cause: InBreak, Why: ErrBreak.Error()}, *late)
		assert.Zero(t, ticket.Wrote(), "it is not written")
		ticket.back = true
		ticket.Writing()
		assert.Equal(t, ErrWritten, ticket.Failure())
		assert.False(t, ticket.SentBack())
		ticket.failure = ErrBreak
		ticket.Writing()
		assert.Equal(t, ErrBreak, ticket.Failure(), "it is written already")
	})
}

// A break ends a request that is not written yet, to send it again if it can be. Where it cannot, it is ended only if it
// would not ask once more.
func TestStop(t *testing.T) {
	for _, tt := range []struct {
		name                string
		stage               stage
		failure             error
		stoppable, replayed bool
		want                Cause // NoCause: nothing; Full: it is sent again
	}{
		{"it connects", connects, nil, true, true, Full},
		{"it connects, and cannot be sent again", connects, nil, true, false, NoCause},
		{"it may be written", granted, nil, true, true, Full},
		{"it may be written, and cannot be sent again", granted, nil, true, false, InBreak},
		{"it is written", written, nil, true, true, NoCause},
		{"it has failed", granted, ErrRules, true, true, NoCause},
		{"nobody can stop it", granted, nil, false, true, NoCause},
	} {
		synctest.Test(t, func(t *testing.T) {
			ls := newLanes()
			ticket := begin(t, ls, Terms{Gap: second})
			var lost error
			ticket.Bind(Binding{Stoppable: tt.stoppable, Replayable: tt.replayed, Lose: func(why error) { lost = why }})
			ticket.stage, ticket.failure = tt.stage, tt.failure
			ls.Break(1, time.Now().Add(time.Hour))
			switch late, _ := lost.(*LateError); tt.want {
			case NoCause:
				assert.NoError(t, lost, tt.name)
			case Full:
				assert.Equal(t, ErrBreak, lost, tt.name)
				assert.True(t, ticket.SentBack(), tt.name)
			default:
				require.NotNil(t, late, tt.name)
				assert.Equal(t, InBreak, late.Cause, tt.name)
				assert.Equal(t, time.Now().Add(time.Hour), late.Turn, tt.name)
			}
			if lost == nil {
				assert.Equal(t, tt.failure, ticket.Failure(), tt.name)
			} else {
				assert.Equal(t, lost, ticket.Failure(), tt.name)
			}
		})
	}
}

// A request that would go first after a break asks for the right. If another has it, it waits at the wire.
func TestTakeRight(t *testing.T) {
	failed := errors.New("failed")
	for _, tt := range []struct {
		name  string
		wait  time.Duration
		err   error
		ends  bool // its context, meanwhile
		want  error
		takes time.Duration
		has   bool
	}{
		{name: "it has the right", has: true},
		{name: "another has it", wait: second, takes: second},
		{name: "it failed", err: failed, want: failed},
		{name: "the caller has gone", err: failed, ends: true},
		{name: "the caller has gone, and it has the right", ends: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			ls, began := newLanes(), time.Now()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ticket := begin(t, ls, Terms{Gap: second, Reserved: false})
			ticket.LetGoFirst(func(context.Context) (func(), time.Duration, error) {
				if tt.ends {
					cancel()
				}
				return func() {}, tt.wait, tt.err
			})
			l := ticket.lane
			l.mu.Lock()
			defer l.mu.Unlock()
			assert.Equal(t, tt.want, ticket.takeRight(ctx), tt.name)
			assert.Equal(t, tt.takes, time.Since(began), tt.name)
			assert.Equal(t, tt.has, ticket.endRight != nil, tt.name)
			assert.Equal(t, []*Ticket{ticket}, l.wire.waiting, tt.name)
			assert.False(t, ticket.lacksRight(), "there was no break")
			l.breakUntil(time.Now().Add(second))
			assert.False(t, ticket.lacksRight(), "nothing is shared")
			ticket.terms.Reserved = true
			assert.Equal(t, !tt.has, ticket.lacksRight(), tt.name)
			ticket.counted = time.Hour
			assert.False(t, ticket.lacksRight(), "it has connected after the break")
			ticket.counted, ticket.right = 0, nil
			assert.False(t, ticket.lacksRight(), "nobody else shares the lane")
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ls, began, asked := newLanes(), time.Now(), 0
		ticket := begin(t, ls, Terms{Gap: second})
		ticket.terms.Reserved = true
		ticket.LetGoFirst(func(context.Context) (func(), time.Duration, error) {
			if asked++; asked == 1 {
				return nil, second, nil
			}
			return func() {}, 0, nil
		})
		ls.Break(1, began.Add(5*second))
		require.NoError(t, ticket.Connected(t.Context(), false))
		assert.Equal(t, 2, asked)
		assert.Equal(t, 6*second, time.Since(began), "written when it has the right")
	})
}

// Rules that have changed end a request that is not written yet, unless it asks again by itself.
func TestRecheck(t *testing.T) {
	for _, tt := range []struct {
		stage                stage
		failure              error
		changed, unstoppable bool
		ends                 bool
	}{
		{connects, nil, true, false, true},
		{granted, nil, true, false, true},
		{granted, nil, false, false, false},
		{granted, nil, true, true, false},
		{granted, ErrBreak, true, false, false},
		{ready, nil, true, false, false},
		{written, nil, true, false, false},
	} {
		ls := newLanes()
		ls.Recheck(1)
		ticket := begin(t, ls, Terms{Gap: second})
		var lost error
		ticket.Bind(Binding{Stoppable: !tt.unstoppable, Lose: func(why error) { lost = why }, Changed: func() (bool, time.Duration) { return tt.changed, 0 }})
		ticket.stage, ticket.failure = tt.stage, tt.failure
		ls.Recheck(1)
		assert.Equal(t, tt.ends, lost == ErrRules && ticket.Failure() == ErrRules, "%+v", tt)
		assert.Equal(t, tt.ends, lost != nil, "%+v", tt)
	}
}

// A body that shows that an answer was bad begins what the answer would have begun. A request whose turn comes too late is
// refused at once.
func TestCorrectAndLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls, terms := newLanes(), Terms{Limit: true, Gap: second}
		ticket := begin(t, ls, terms)
		require.NoError(t, ticket.Connected(t.Context(), false))
		assert.Zero(t, ticket.Answered(Answer{Kind: limit.Good, Answered: true}).Until)
		o := ls.Correct(1, ticket, Answer{Kind: limit.Busy, Answered: true})
		assert.InDelta(t, 1.05, time.Until(o.Until).Seconds(), 0.06)
		assert.True(t, ls.Limit(1).Incident)
		assert.Zero(t, ls.CorrectAbove(2, ticket, Answer{Kind: limit.Busy, Answered: true}), "there is none above")
		for most, late := range map[time.Duration]bool{0: false, second / 2: true, 3 * second: false} {
			err := ls.Late(t.Context(), 1, Terms{MaxWait: most, MaxQueue: 9})
			assert.Equal(t, late, err != nil, most)
		}
	})
}

// Other terms let a request that waits begin anew, in its place. The same ones, and those of one that has left, do nothing.
func TestUpdate(t *testing.T) {
	terms, other := Terms{Gap: second, MaxQueue: 99}, Terms{Gap: 2 * second, MaxQueue: 99}
	for _, tt := range []struct {
		terms   Terms
		stage   stage
		updated bool
	}{{terms, waits, false}, {other, waits, true}, {other, connects, false}, {terms, connects, false}} {
		ticket := join(t, newLanes(), terms)
		ticket.start.From, ticket.stage = time.Now(), tt.stage
		ticket.Update(tt.terms)
		assert.Equal(t, tt.updated, ticket.terms == other, "%+v", tt)
		assert.Equal(t, tt.updated, ticket.start.From.IsZero(), "%+v", tt)
	}
}

// The rules ask for a longer gap while a request waits with its connection. It keeps this gap, and others hear of it.
func TestLongerGapAtTheWire(t *testing.T) {
	for _, tt := range []struct {
		name   string
		shared time.Duration // the gap by which its start is reserved; 0: nothing is
		asks   time.Duration
		after  time.Duration // the write before
		again  bool
	}{
		{"alone", 0, 5 * second, 5 * second, false},
		{"the same gap", second, second, second, false},
		{"a shorter gap", second, 1, second, false},
		{"a longer gap", second, 5 * second, 7 * second, true},
		{"it was reserved by a longer gap", 6 * second, 5 * second, 5 * second, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			ls, began := newLanes(), time.Now()
			before := begin(t, ls, Terms{Gap: second})
			require.NoError(t, before.Connected(t.Context(), false))
			time.Sleep(second)
			ticket := begin(t, ls, Terms{Gap: second})
			var again []time.Duration
			if tt.shared > 0 {
				ticket.Keep(&Reservation{Gap: tt.shared, Again: func(_ context.Context, gap time.Duration, _ time.Time) (Start, error) {
					again = append(again, gap)
					from := clock.Later(began.Add(7*second), time.Now())
					return Start{From: from, Until: from.Add(second)}, nil
				}})
			}
			ticket.Bind(Binding{Changed: func() (bool, time.Duration) { return false, tt.asks }})
			require.NoError(t, ticket.Connected(t.Context(), false))
			assert.Equal(t, tt.after, time.Since(began), tt.name)
			if tt.again {
				assert.Equal(t, []time.Duration{tt.asks}, again, tt.name)
			} else {
				assert.Empty(t, again, tt.name)
			}
			assert.Equal(t, max(second, tt.asks), ticket.nextGap, tt.name)
			assert.Equal(t, tt.shared > 0, ticket.lane.lead != nil, "%s: how long it took to connect", tt.name)
			ticket.Connected(t.Context(), false) // net/http sends it again
			if tt.shared > 0 {
				_, _, known := ticket.lane.lead.now()
				assert.Equal(t, 1, known, tt.name)
			}
		})
	}
}

// A request in two lanes is written in both, once it may be in both.
func TestWrittenAbove(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls, began := newLanes(), time.Now()
		pair := func(key int) *Ticket {
			own, err := ls.Join(t.Context(), key, Terms{MaxQueue: 9})
			require.NoError(t, err)
			above, err := ls.JoinAbove(t.Context(), 9, Terms{Gap: 0, MaxQueue: 9}, own, false)
			require.NoError(t, err)
			require.True(t, own.Connect(above))
			return own
		}
		first, second, third := pair(1), pair(2), pair(3)
		first.Above().nextGap = time.Second
		second.Above().ownGap = 2 * time.Second
		for i, own := range []*Ticket{first, second, third} {
			require.NoError(t, own.Connected(t.Context(), true))
			assert.Equal(t, [2]stage{granted, granted}, [2]stage{own.stage, own.Above().stage})
			own.Writing()
			assert.Equal(t, [2]stage{written, written}, [2]stage{own.stage, own.Above().stage})
			assert.Equal(t, []time.Duration{0, 2 * time.Second, 2 * time.Second}[i], time.Since(began))
			assert.True(t, own.Spaced())
			own.Done()
		}
		begun := begin(t, ls, Terms{Slots: 1})
		assert.False(t, begun.Spaced())
		begun.Keep(&Reservation{})
		assert.True(t, begun.Spaced() && begun.Hooked())
	})
}

// A request whose context ends has left the line. Of two tries of one request that wait with a connection, each goes on when
// the other has gone.
func TestWhoeverWaitsGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls := newLanes()
		begin(t, ls, Terms{Gap: second})
		ctx, cancel := context.WithCancelCause(t.Context())
		ticket, err := ls.Join(ctx, 1, Terms{MaxQueue: 1})
		require.NoError(t, err)
		cancel(errors.ErrUnsupported)
		_, err = ticket.Wait(ctx, nil, 0)
		assert.Equal(t, errors.ErrUnsupported, err)
		assert.Zero(t, ticket.lane.line.length)

		time.Sleep(second)
		ticket = begin(t, ls, Terms{Gap: second})
		ticket.lane.wire.last = spaced{time.Now(), second}
		gone := make(chan error, 2)
		for range 2 {
			go func() { gone <- ticket.Connected(t.Context(), false) }()
		}
		time.Sleep(2 * second)
		synctest.Wait()
		assert.Len(t, gone, 2)
	})
}

// A request asks again when its connection is ready if it has a gap or may begin slowly, or if the caller says so. Else it
// counts as written at once.
func TestHooked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, tt := range []struct {
			name   string
			terms  Terms
			came   Arrival
			after  time.Duration // a break
			hooked bool
		}{
			{"a slot", Terms{Slots: 1}, Arrival{At: 1}, 0, false},
			{"a slot, and it is likely to connect", Terms{Slots: 1}, Arrival{At: 1, Idle: time.Minute}, 0, true},
			{"a gap", Terms{Gap: 1}, Arrival{At: 1}, 0, true},
			{"after a break", Terms{Slots: 1}, Arrival{At: 1}, second, true},
		} {
			ls := newLanes()
			if tt.after > 0 {
				ls.Break(1, time.Now().Add(tt.after))
				time.Sleep(tt.after)
			}
			a, ok := ls.Begin(1, tt.terms, tt.came)
			require.True(t, ok, tt.name)
			assert.Equal(t, tt.hooked, a.Ticket.Hooked(), tt.name)
			assert.Equal(t, tt.hooked, a.Ticket.written.IsZero(), tt.name)
		}
		ls := newLanes() // a lane that is there makes no ticket for one that has nothing to keep
		ls.Connected(1, second)
		l := under(ls)
		l.begun.at, l.longestGap = time.Now(), time.Hour // so that it is kept
		for _, tt := range []struct {
			terms  Terms
			kind   limit.Kind
			ticket bool
		}{{Terms{}, limit.Good, false}, {Terms{Limit: true}, limit.Good, false}, {Terms{Limit: true, Gap: 1}, limit.Good, true}} {
			a, ok := ls.Begin(1, tt.terms, Arrival{At: 1})
			require.True(t, ok)
			assert.Equal(t, tt.ticket, a.Ticket != nil, "%+v", tt)
			a.Done()
			time.Sleep(second)
		}
		ls.Answered(1, Terms{Limit: true}, Answer{Kind: limit.Busy, Answered: true})
		s, _ := ls.State(1)
		assert.Equal(t, s.Limit.Gap, s.Gap)
		assert.NotZero(t, s.Gap, "nobody waits, and the site needs a gap")
		now := time.Now()
		for _, tt := range []struct {
			s    spaced
			own  time.Duration
			next time.Time
		}{
			{spaced{}, second, time.Time{}},
			{spaced{now, 0}, 0, time.Time{}},
			{spaced{now, 1}, 0, now.Add(1)},
			{spaced{now, 2}, 1, now.Add(2)},
			{spaced{now, 1}, 2, now.Add(2)},
		} {
			assert.Equal(t, tt.next, tt.s.next(tt.own), "%+v", tt)
		}
	})
}
