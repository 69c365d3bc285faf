package limit_test

import (
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
	now := time.Hour
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
	assert.Greater(t, p.lane.Gap(p.now), 5*time.Second)
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
		{Incident: true, Break: 1 << 62, Level: 1 << 40, Gap: 1 << 62, Plain: 1 << 62},
		{Incident: true, Break: -1 << 62, Level: -1 << 40, Gap: -1 << 62, Plain: -1 << 62},
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

// How many requests the others send is not known exactly. The first rate that a fleet finds is
// neither above the one that was refused, nor far below it.
func TestFirstRateOfAFleet(t *testing.T) {
	for _, all := range []float32{1.6, 3, 30, 1000} {
		p := newPlay()
		p.paced(100, 100*time.Millisecond)
		p.asks(limit.Busy, 1)
		p.paced(30, 100*time.Millisecond)
		p.lane.Share(all)
		refused := p.lane.Gap(p.now)
		p.asks(limit.Busy, 1)
		assert.GreaterOrEqual(t, p.lane.Gap(p.now), refused, "%v times its own", all)
		assert.LessOrEqual(t, p.lane.Gap(p.now), 8*refused/5, "%v times its own", all)
	}
}
