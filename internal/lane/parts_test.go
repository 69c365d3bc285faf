package lane

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
)

const second = time.Second

// The lead is the longest of the last times, and a quarter more; it is doubled while few are known, and bounded.
func TestLead(t *testing.T) {
	repeat := func(n int, d time.Duration) (all []time.Duration) {
		for range n {
			all = append(all, d)
		}
		return all
	}
	for _, tt := range []struct {
		took        []time.Duration
		long, usual time.Duration
	}{
		{nil, 250 * time.Millisecond, 250 * time.Millisecond},
		{repeat(1, second), 2500 * time.Millisecond, 1250 * time.Millisecond},
		{repeat(3, second), 2500 * time.Millisecond, 1250 * time.Millisecond},
		{repeat(4, second), 1250 * time.Millisecond, 1250 * time.Millisecond},
		{append(repeat(3, second), 5*second), 6250 * time.Millisecond, 2500 * time.Millisecond},
		{append(repeat(1, 4*second), repeat(15, second)...), 5 * second, 1484375 * time.Microsecond},
		{append(repeat(1, 4*second), repeat(16, second)...), 1250 * time.Millisecond, 1250 * time.Millisecond},
		{repeat(9, time.Minute), 8 * second, 8 * second},
	} {
		var l lead
		for _, took := range tt.took {
			l.learn(took)
		}
		long, usual, known := l.now()
		assert.Equal(t, []any{tt.long, tt.usual, len(tt.took)}, []any{long, usual.Round(time.Microsecond), known}, "%v", tt.took)
	}
	long, usual, known := (*lead)(nil).now()
	assert.Equal(t, []any{firstLead, firstLead, 0}, []any{long, usual, known})
}

// A start is over after its end, unless it is reserved later, or once it is lost. One that connects late is reserved again.
func TestStartsThatAreOver(t *testing.T) {
	now := time.Now()
	until := Start{Until: now}
	later, lost, kept := until, until, until
	later.Later = true
	lost.Void, kept.Void = func() bool { return true }, func() bool { return false }
	for _, tt := range []struct {
		name string
		s    Start
		at   time.Time
		over bool
	}{
		{"none", Start{}, now.Add(1), false},
		{"at its end", until, now, false},
		{"after it", until, now.Add(1), true},
		{"it is reserved later", later, now.Add(1), false},
		{"lost", lost, now, true},
		{"kept", kept, now, false},
		{"kept, and over", kept, now.Add(1), true},
	} {
		assert.Equal(t, tt.over, tt.s.over(tt.at), tt.name)
	}
	begin := Start{BeginBy: now}
	assert.False(t, begin.lapsed(now) || Start{}.lapsed(now))
	assert.True(t, begin.lapsed(now.Add(1)))
}

// Processes divide a ceiling: the first of them get what is left over, and each at least one.
func TestCeilingOfSharers(t *testing.T) {
	for _, tt := range []struct {
		terms         Terms
		sharers, rank uint8
		want          int
	}{
		{Terms{Ceiling: 6}, 3, 0, 6},
		{Terms{Ceiling: 0, Shares: true}, 3, 0, 0},
		{Terms{Ceiling: -1, Shares: true}, 3, 0, -1},
		{Terms{Ceiling: 6, Shares: true}, 0, 0, 1},
		{Terms{Ceiling: 6, Shares: true}, 1, 0, 6},
		{Terms{Ceiling: 6, Shares: true}, 4, 0, 2},
		{Terms{Ceiling: 6, Shares: true}, 4, 1, 2},
		{Terms{Ceiling: 6, Shares: true}, 4, 2, 1},
		{Terms{Ceiling: 6, Shares: true}, 6, 5, 1},
		{Terms{Ceiling: 6, Shares: true}, 9, 5, 1},
		{Terms{Ceiling: 6, Shares: true}, 9, 8, 1},
	} {
		assert.Equal(t, tt.want, (&lane{sharers: tt.sharers, rank: tt.rank}).ceiling(tt.terms), "%+v", tt)
	}
}

// An answer says more than that all is well if it is bad, or asks for something.
func TestSays(t *testing.T) {
	for _, a := range []Answer{{Kind: limit.Busy}, {RetryAfter: 1}, {QuotaGap: 1}, {QuotaBreak: 1}} {
		assert.True(t, a.Says(), "%+v", a)
	}
	for _, a := range []Answer{{}, {Kind: limit.Good}, {QuotaLeft: 1, Answered: true}} {
		assert.False(t, a.Says(), "%+v", a)
	}
	a := Answer{Kind: limit.Busy, Answered: true, Site: 67, Section: 9, Target: 8, RetryAfter: 1, QuotaGap: 1}
	assert.Equal(t, Answer{Kind: limit.Busy, Answered: true, Section: 3, Target: 67, witness: limit.Well}, a.above(limit.Well))
}

// How many turns all begin is learned soon where there are more, and forgotten slowly.
func TestMeets(t *testing.T) {
	for _, tt := range []struct {
		before float32
		others float64
		want   float32
	}{
		{0, 0, 1},
		{0, 4, 2},
		{3, 2, 3},
		{3, 6, 4},
		{5, 0, 4.75},
		{1, 1e9, 251},
	} {
		b := siteLimit{turnsOfAll: tt.before}
		b.meets(tt.others)
		assert.InDelta(t, tt.want, b.turnsOfAll, 0.001, "%+v", tt)
	}
	now := time.Now()
	b := siteLimit{born: now}
	b.learn(now, limit.Lesson{})
	assert.EqualValues(t, 2, b.turnsOfAll)
	b.turnsOfAll = 7
	b.learn(now, limit.Lesson{})
	assert.EqualValues(t, 7, b.turnsOfAll)
}

// Promises follow each other, by the longest step, up to a bound. They are forgotten when their time has come, or when
// ten in a row were missed.
func TestPromises(t *testing.T) {
	now := time.Now()
	at := func(d time.Duration) time.Time { return now.Add(d) }
	var p promises
	tell := func(turn, step, came, longest time.Duration) time.Duration {
		return p.tell(at(turn), step, at(came), longest).Sub(now)
	}
	const long = 100 * time.Hour
	assert.Equal(t, 5*second, tell(5*second, second, 0, long))
	assert.Equal(t, 6*second, tell(5*second, second, 0, long))
	assert.Equal(t, 8*second, tell(5*second, 2*second, 0, long))
	assert.Equal(t, 9*second, tell(5*second, second, 0, long))
	assert.Equal(t, at(9*second), p.until())
	assert.Equal(t, 20*second, tell(20*second, second, 0, long), "nobody was promised so late a turn")
	assert.Equal(t, 20*second, tell(20*second, second, 0, 0), "no later than it may be")
	assert.Equal(t, 21*second, tell(20*second, 2*second, 0, second))
	assert.Equal(t, at(21*second), p.until())
	assert.Equal(t, 40*second, tell(40*second, second, 22*second, long), "their time has come")

	p = promises{last: at(time.Hour), step: second, due: at(5 * second)}
	assert.Equal(t, at(15*second), p.until())
	p.noteArrival(at(5*second - 1))
	assert.Equal(t, at(5*second), p.due)
	p.noteArrival(at(15 * second))
	assert.Equal(t, promises{last: at(time.Hour), step: second, due: at(15 * second)}, p)
	p.noteArrival(at(25*second + 1))
	assert.Equal(t, promises{step: second, due: at(25*second + 1)}, p, "ten were missed")
	p = promises{}
	tell(0, 100*24*time.Hour, 0, math.MaxInt64)
	assert.Equal(t, 3*24*time.Hour, p.step)
	p.last = at(math.MaxInt64 / 2)
	assert.Equal(t, 10_000*3*24*time.Hour, tell(0, second, 0, math.MaxInt64))
	var none *promises
	none.noteArrival(now)
	assert.Zero(t, none.until())
}

// A line tells how long the last waits: by all steps, or by what the site needs of those that keep to it.
func TestWaitOfALine(t *testing.T) {
	for _, tt := range []struct {
		total   time.Duration
		limited int32
		learned time.Duration
		last    time.Duration
		want    time.Duration
	}{
		{0, 0, second, second, second},
		{5 * second, 1, second, second, 6 * second},
		{5 * second, 6, second, second, 6 * second},
		{5 * second, 8, second, 2 * second, 9 * second},
		{longestWait, 0, 0, 0, longestWait},
		{longestWait, 0, 0, second, longestWait},
		{0, math.MaxInt32, time.Hour, 0, longestWait},
	} {
		q := line{total: tt.total, seconds: tt.total.Seconds(), limited: tt.limited}
		assert.Equal(t, tt.want, q.wait(tt.learned, tt.last), "%+v", tt)
	}
}

// Each cause is told once an hour.
func TestLogs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ls := newLanes()
		tells := func(c Cause) bool { return ls.Logs(1, c) }
		assert.True(t, tells(Gap))
		assert.False(t, tells(Gap))
		assert.False(t, tells(NoCause))
		time.Sleep(30 * time.Minute)
		assert.True(t, tells(InBreak))
		time.Sleep(30 * time.Minute)
		assert.False(t, tells(Gap) || tells(InBreak))
		time.Sleep(time.Nanosecond)
		assert.True(t, tells(InBreak))
		assert.True(t, tells(Gap))
		assert.False(t, tells(Gap))
	})
	for c, want := range map[Cause][2]bool{NoCause: {}, Slots: {true, true}, Ceiling: {true, true}, Window: {true, true}, Trial: {false, true}, Bodies: {false, true}, Gap: {}, InBreak: {}} {
		s := State{Cause: c}
		assert.Equal(t, want, [2]bool{s.AwaitsAnswer(), s.AwaitsRequest()}, c)
	}
}

// A turn is likely to be under way for as long as turns usually are; if nobody knows, at least for as long as the last one.
func TestUsualSlotTime(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		usual, since time.Duration // the last began
		sent, open   bool
		want         time.Duration
	}{
		{usual: 2 * second, since: time.Minute, sent: true, want: 2 * second},
		{usual: longestStep + 1, want: longestStep},
		{since: 9 * second, want: firstSlotTime},
		{since: 9 * second, sent: true, want: 9 * second},
		{since: 9 * second, open: true, want: 9 * second},
		{since: 1, sent: true, want: firstSlotTime},
		{since: time.Hour, sent: true, want: time.Minute},
	} {
		l := &lane{slotTime: tt.usual}
		if l.begun.at = now.Add(-tt.since); tt.sent {
			l.unanswered = new(Ticket)
		}
		if tt.open {
			l.bodies = new(Ticket)
		}
		assert.Equal(t, tt.want, l.usualSlotTime(now), "%+v", tt)
	}
}

// The memory for keys is in parts, of so many lanes each.
func TestParts(t *testing.T) {
	for most, parts := range map[int]int{0: FewestLanes / partLanes, FewestLanes: FewestLanes / partLanes, (maxParts - 1) * partLanes: maxParts - 1, maxParts * partLanes: maxParts, 9 * maxParts * partLanes: maxParts} {
		ls := New(most, Keys[int]{})
		assert.Len(t, ls.parts, parts, most)
		assert.Equal(t, max(most, FewestLanes)/parts, ls.most, most)
	}
}

// A process wants a share of a ceiling while it has two requests: once a second, if the ceiling can be shared.
func TestWantsShare(t *testing.T) {
	now := time.Now()
	for _, tt := range []struct {
		terms   Terms
		waiting int
		wants   bool
	}{
		{Terms{Shares: true, Ceiling: 6}, 1, true},
		{Terms{Shares: true, Ceiling: 6}, 0, false},
		{Terms{Shares: true, Ceiling: 2}, 1, true},
		{Terms{Shares: true, Ceiling: 1}, 1, false},
		{Terms{Shares: true, Ceiling: 0}, 1, false},
		{Terms{Shares: true, Ceiling: 6, Slots: 1}, 1, false},
		{Terms{Ceiling: 6}, 1, false},
	} {
		l := New(1, Keys[int]{Own: func(key int) int { return key }, Size: func(int) int { return 0 }}).lane(1, 1, true)
		l.mu.Unlock()
		l.limit.born, l.line.length = now, tt.waiting
		assert.Equal(t, tt.wants, l.wantsShare(tt.terms, now), "%+v", tt)
		assert.False(t, l.wantsShare(tt.terms, now.Add(second-1)), "%+v", tt)
		assert.Equal(t, tt.wants, l.wantsShare(tt.terms, now.Add(second)), "%+v", tt)
		l.wantedIn = 0 // it has not asked yet
		assert.Equal(t, tt.wants, l.wantsShare(tt.terms, now.Add(second)), "%+v", tt)
	}
}
