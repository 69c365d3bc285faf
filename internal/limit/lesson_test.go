package limit_test

import (
	"math"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
)

func TestLessonIsLearned(t *testing.T) {
	a, b := limited(), newPlay()
	b.now = a.now
	a.asks(limit.Busy, 1)
	b.now = a.now
	lesson := a.lane.Lesson(a.now)
	b.lane.Learn(b.now, lesson)
	assert.Equal(t, a.lane.Next(a.now), b.lane.Next(b.now))
	assert.InDelta(t, a.lane.Gap(a.now).Seconds(), b.lane.Gap(b.now).Seconds(), 0.01)
	assert.Equal(t, a.state().Level, b.state().Level)

	once := b.state()
	for range 10 {
		b.lane.Learn(b.now, lesson)
		a.lane.Learn(a.now, b.lane.Lesson(b.now))
	}
	assert.Equal(t, once, b.state(), "whoever hears it again knows no more")
	assert.Equal(t, 1, b.lane.Window())
}

// The break that one process waits for doubles with the bad probes of all.
func TestLessonsOfManyProbes(t *testing.T) {
	fleet := fleet{newPlay(), newPlay(), newPlay()}
	for _, p := range fleet {
		p.paced(100, time.Second)
	}
	now := fleet[0].now
	for i, want := range []time.Duration{1, 2, 4, 8, 16, 32} {
		p := fleet[i%3]
		p.now = now
		asks := p.asks(limit.Busy, 1)
		within(t, want*time.Second, asks.Break)
		now = p.now
		fleet.tell(p, now)
		now += asks.Break
	}
	p := fleet[1]
	p.now = now
	assert.True(t, p.asks(limit.Good, 1).Over)
	fleet.tell(p, p.now)
	for _, other := range fleet {
		assert.InDelta(t, p.lane.Gap(p.now).Seconds(), other.lane.Gap(p.now).Seconds(), 0.001, "all know that it was a ban")
		assert.Zero(t, other.lane.State(p.now).Break)
	}
	assert.InDelta(t, 1.5/0.85, p.lane.Gap(p.now).Seconds(), 0.1, "a third of what they have sent: two pages a second, since two paused before")
}

// A fleet that was refused from its first page on knows of no rate before, so none of it is told. Each process
// told a tenth of a page a second, and the third of all of them was kept to.
func TestBanOfAFleetFromItsFirstPage(t *testing.T) {
	fleet := fleet{newPlay(), newPlay(), newPlay()}
	now := time.Hour
	for i := range 6 {
		p := fleet[i%3]
		p.now = now
		asks := p.asks(limit.Busy, 1)
		assert.Zero(t, p.lane.Lesson(p.now).Before)
		fleet.tell(p, p.now)
		now = p.now + asks.Break
	}
	p := fleet[1]
	p.now = now
	assert.True(t, p.asks(limit.Good, 1).Over)
	assert.Equal(t, time.Second, p.lane.Gap(p.now))

	p = newPlay()
	p.lane.Know(1)
	p.asks(limit.Busy, 1)
	assert.InDelta(t, 0.333, p.lane.Lesson(p.now).Before.Seconds(), 0.001, "requests that were alone are taken for three a second")
}

// A fleet has processes that tell each other what they learn.
type fleet []*play

func (f fleet) tell(by *play, now time.Duration) {
	lesson := by.lane.Lesson(now)
	for _, p := range f {
		if p != by {
			p.lane.Learn(now, lesson)
		}
	}
}

// Who hears of an incident when its break is over sends one request first, too.
func TestLateLesson(t *testing.T) {
	p := newPlay()
	p.grow(t, 16)
	p.lane.Learn(p.now, limit.Lesson{Incident: true})
	p.now = p.lane.Next(p.now)
	assert.True(t, p.lane.Begin(p.now))
	assert.False(t, p.lane.Room(p.now))
	p.lane.Learn(p.now, limit.Lesson{})
	assert.True(t, p.lane.Healthy(p.now), "it is over")
}

func TestHostileLessons(t *testing.T) {
	for _, lesson := range []limit.Lesson{
		{Incident: true, Break: 1 << 62, Level: math.MaxInt, Gap: 1 << 62, Plain: 1 << 62},
		{Incident: true, Break: -1 << 62, Level: math.MinInt, Gap: -1 << 62, Plain: -1 << 62},
		{Gap: 1},
	} {
		p := newPlay()
		p.lane.Learn(p.now, lesson)
		assert.GreaterOrEqual(t, p.lane.Next(p.now), p.now)
		assert.LessOrEqual(t, p.lane.Next(p.now), p.now+24*time.Hour)
		assert.LessOrEqual(t, p.lane.Gap(p.now), time.Minute)
		assert.GreaterOrEqual(t, p.lane.Window(), 1)
		p.asks(limit.Busy, 2)
		assert.LessOrEqual(t, p.state().Break, 24*time.Hour)
	}
}

// A ban is for what all have sent. Each tells its own part if a break becomes long, and whoever tells
// it twice has sent no more.
func TestBanOfAFleet(t *testing.T) {
	const size = 8
	fleet := make(fleet, size)
	for i := range fleet {
		fleet[i] = newPlay()
		fleet[i].paced(100, 400*time.Millisecond)
	}
	now := fleet[0].now
	prober := fleet[0]
	for ended := now + 5*time.Minute; ; {
		prober.now = max(prober.now, prober.lane.Next(prober.now))
		if prober.now >= ended {
			break
		}
		prober.asks(limit.Barred, 5)
		hear(fleet, 0, prober.now)
		assert.False(t, prober.lane.OwesLesson(), "it was heard")
	}
	prober.asks(limit.Good, 1)
	assert.InDelta(t, size*2.5/3*0.85, 1/prober.lane.Gap(prober.now).Seconds(), 0.5, "a third of all, and at first a little less")
}

// A process whose requests were alone guesses what it has sent before a ban. Where a rate was kept to, it knows.
func TestPartOfABanOfWhoWasAlone(t *testing.T) {
	for _, test := range []struct {
		kept, before time.Duration // gaps
	}{
		{0, time.Second / 3},
		{20 * time.Millisecond, 0},
	} {
		p := newPlay()
		p.lane.Know(1)
		p.lane.Learn(p.now, limit.Lesson{Gap: test.kept, Plain: time.Minute})
		p.lane.Learn(p.now, limit.Lesson{Incident: true, Why: limit.Barred, Level: 3, Break: 8 * time.Second})
		assert.InDelta(t, test.before.Seconds(), p.lane.Lesson(p.now).Before.Seconds(), 0.001, "kept to %v", test.kept)
		assert.Equal(t, test.before > 0, p.lane.OwesLesson(), "kept to %v", test.kept)
	}
}

// hear lets all hear the lesson of one, and then those of who has something to tell, twice.
func hear(fleet fleet, by int, now time.Duration) {
	tell := func(by int) (tells []int) {
		lesson := fleet[by].lane.Lesson(now)
		lesson.Teller = uint32(by + 1)
		for i, p := range fleet {
			if p.now = max(p.now, now); i == by {
				p.lane.LessonHeard()
				continue
			}
			if p.lane.Learn(now, lesson); p.lane.OwesLesson() {
				tells = append(tells, i)
			}
		}
		return tells
	}
	for _, next := range tell(by) {
		tell(next)
		tell(next)
	}
}

// Whoever ends the ban of a fleet has perhaps heard no refusal of its own.
func TestBanIsEndedByWhoWasNotRefused(t *testing.T) {
	for why, bans := range map[limit.Kind]bool{limit.Barred: true, limit.Busy: true, limit.Refused: false, limit.Silent: false} {
		p := newPlay()
		p.paced(100, 100*time.Millisecond)
		for level := range 6 {
			p.lane.Learn(p.now, limit.Lesson{Incident: true, Why: why, Level: level, Break: time.Second << level})
			p.now += time.Second << level
		}
		for range 10 { // the break becomes no longer
			p.lane.Learn(p.now, limit.Lesson{Incident: true, Why: why, Level: 5, Break: time.Minute})
			p.now += time.Minute
		}
		assert.True(t, p.asks(limit.Good, 1).Over)
		assert.Equal(t, bans, p.lane.Gap(p.now) > 0, "%v", why)
		if bans {
			assert.Greater(t, p.lane.Lesson(p.now).Plain, 3*9*time.Minute/2, "%v: it is kept to for three times as long, the first half below the rate", why)
		}
	}
}

// A process of a fleet that has sent little is a little behind. It goes on from the rate of the
// others after an incident, or it would tell its own at the end, and hold back all.
func TestIncidentBringsAFleetTogether(t *testing.T) {
	ahead, behind := newPlay(), newPlay()
	lesson := limit.Lesson{Gap: time.Second, Plain: 40 * time.Second}
	for _, p := range (fleet{ahead, behind}) {
		p.lane.Learn(p.now, lesson)
		p.lane.NoteFleet(2)
	}
	ahead.paced(60, time.Second)
	behind.now = ahead.now
	ahead.asks(limit.Busy, 1)
	after := ahead.lane.Gap(ahead.now)
	assert.Less(t, after, behind.lane.Gap(ahead.now))
	fleet{ahead, behind}.tell(ahead, ahead.now)
	behind.now = ahead.now
	assert.True(t, behind.asks(limit.Good, 1).Over)
	fleet{ahead, behind}.tell(behind, behind.now)
	for _, p := range (fleet{ahead, behind}) {
		assert.InDelta(t, after.Seconds(), p.lane.Gap(behind.now).Seconds(), 0.01)
	}
}

// Of a break it is known whether the site has asked for it, also from others; of two, that of the longer one counts.
func TestLessonSaysWhoAsked(t *testing.T) {
	for _, tt := range []struct {
		own, told   time.Duration // breaks; the own one was asked for
		asked, want bool
	}{
		{0, time.Minute, true, true},
		{0, time.Minute, false, false},
		{time.Minute, time.Minute, true, true},
		{time.Minute, time.Minute, false, false},
		{time.Minute, 59001 * time.Millisecond, false, false},
		{time.Minute, 59 * time.Second, false, true},
		{time.Minute, 62 * time.Second, false, false},
	} {
		p := newPlay()
		if tt.own > 0 {
			assert.True(t, p.lane.Break(p.now, p.now+tt.own))
			assert.False(t, p.lane.Break(p.now, p.now+tt.own))
			assert.False(t, p.lane.Break(p.now, p.now+tt.own-1))
		}
		p.lane.Learn(p.now, limit.Lesson{Incident: true, Break: tt.told, Asked: tt.asked})
		_, asked := p.lane.BreakEnd()
		assert.Equal(t, tt.want, asked, "%+v", tt)
	}
}

// What a process has sent before an incident is told as a gap of a minute at most, however long it was idle: others read no
// other number. After very long, nothing is known.
func TestLessonOfWhoWasIdle(t *testing.T) {
	for idle, gap := range map[time.Duration]time.Duration{time.Minute: time.Minute, 5 * time.Minute: time.Minute, time.Hour: 0} {
		p := limited()
		p.now += idle
		p.asks(limit.Busy, 1)
		assert.Equal(t, gap, p.lane.Lesson(p.now).Before, idle)
	}
}
