package limit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

const sec = time.Second

// What an incident, a bad probe, a break and the incident of another process make of a pause.
func TestPause(t *testing.T) {
	const now = 100 * sec
	busy := pause{why: Busy, began: 50 * sec, tries: 3, level: 2, on: true}
	quiet := busy
	quiet.on = false
	lasts := pause{from: 90 * sec, end: 110 * sec}
	edit := func(p pause, f func(p *pause)) pause { f(&p); return p }
	fails := func(why Kind) func(*pause) { return func(p *pause) { p.fail(why, now) } }
	begins := func(good uint16) func(*pause) { return func(p *pause) { p.begin(Down, good, now) } }
	learns := func(on bool, level int) func(*pause) { return func(p *pause) { p.learn(on, Down, level, now) } }
	extends := func(length time.Duration, asked bool) func(*pause) {
		return func(p *pause) { p.extend(length, now, asked) }
	}
	begun := func(end time.Duration, level uint8) pause {
		return pause{end: end, why: Down, began: now, refused: now, level: level, on: true}
	}
	for _, tt := range []struct {
		name   string
		before pause
		does   func(*pause)
		after  pause
	}{
		{"the same probe", busy, fails(Busy), edit(busy, func(p *pause) { p.refused, p.tries, p.level = now, 4, 3 })},
		{"another kind of ban", busy, fails(Barred), edit(busy, func(p *pause) { p.refused, p.tries, p.level, p.why = now, 4, 3, Barred })},
		{"it is no ban", busy, fails(Down), edit(busy, func(p *pause) { p.refused, p.tries, p.level, p.why, p.began = now, 1, 3, Down, now })},
		{"a ban after a failure", edit(busy, func(p *pause) { p.why = Silent }), fails(Busy), edit(busy, func(p *pause) { p.refused, p.tries, p.level, p.began = now, 1, 3, now })},
		{"nearly the longest break", pause{why: Barred, level: 5}, fails(Barred), pause{why: Barred, level: 6, tries: 1, refused: now}},
		{"the longest break", pause{why: Barred, level: 6}, fails(Barred), pause{why: Barred, level: 6, tries: 1, refused: now}},
		{"many probes", pause{why: Busy, tries: 255}, fails(Busy), pause{why: Busy, level: 1, tries: 255, refused: now}},

		{"the first incident", pause{}, begins(0), begun(0, 0)},
		{"soon after a break", pause{end: 86 * sec}, begins(5), begun(86*sec, 1)},
		{"soon again", pause{end: 86 * sec, level: soonLevel}, begins(5), begun(86*sec, soonLevel)},
		{"after enough good answers", pause{end: 86 * sec, level: 2}, begins(6), begun(86*sec, 0)},
		{"after enough time", pause{end: 85 * sec, level: 2}, begins(5), begun(85*sec, 0)},

		{"news", quiet, learns(true, 1), pause{why: Down, began: now, refused: now, tries: 1, level: 1, on: true}},
		{"news at no level", quiet, learns(true, 0), pause{why: Down, began: now, refused: now, on: true}},
		{"the same level", busy, learns(true, 2), edit(busy, func(p *pause) { p.refused = now })},
		{"a higher level", busy, learns(true, 3), edit(busy, func(p *pause) { p.refused, p.why, p.level, p.tries = now, Down, 3, 4 })},
		{"no level", busy, learns(true, -1), edit(busy, func(p *pause) { p.refused = now })},
		{"any level", busy, learns(true, 1000), edit(busy, func(p *pause) { p.refused, p.why, p.level, p.tries = now, Down, mostDoublings, 4 })},
		{"it is over", busy, learns(false, 3), quiet},

		{"a break", pause{}, extends(10*sec, true), pause{from: now, end: 110 * sec, asked: true, slow: true}},
		{"it is known", lasts, extends(10*sec, true), lasts},
		{"a little longer", lasts, extends(11*sec, true), pause{from: now, end: 111 * sec, slow: true}},
		{"longer", lasts, extends(11*sec+1, true), pause{from: now, end: 111*sec + 1, asked: true, slow: true}},
		{"longer, and nobody has asked", edit(lasts, func(p *pause) { p.asked = true }), extends(20*sec, false), pause{from: now, end: 120 * sec, slow: true}},
		{"another", pause{end: now}, extends(sec, true), pause{from: now, end: 101 * sec, asked: true, slow: true}},
		{"the longest", pause{}, extends(25*time.Hour, false), pause{from: now, end: now + 24*time.Hour, slow: true}},
	} {
		p := tt.before
		tt.does(&p)
		assert.Equal(t, tt.after, p, tt.name)
	}
}

// Who tells others what it sent before an incident, and what is known of others.
func TestPartsOfABan(t *testing.T) {
	for _, tt := range []struct {
		own   float32
		told  uint8
		level uint8
		owes  bool
	}{{1, 0, 2, false}, {1, 0, 3, true}, {1, 2, 3, true}, {1, 3, 3, false}, {1, 4, 5, true}, {1, 0, 6, false}, {0, 0, 3, false}, {0.25, 0, 3, true}, {0.125, 0, 3, false}} {
		b := before{own: tt.own, toldLevel: tt.told, others: map[uint32]float32{1: 20}}
		assert.Equal(t, tt.owes, b.owesLesson(tt.level), "%+v", tt)
	}
	b := before{own: 1, guess: 7}
	b.hear(0, 0)
	assert.Equal(t, []float32{7, 1}, []float32{b.all(), b.processes()})
	for teller := range uint32(mostParts + 1) {
		b.hear(teller, 1)
	}
	b.hear(1, 3)
	assert.Equal(t, []float32{mostParts + 3, mostParts + 1}, []float32{b.all(), b.processes()})
}

// After a break, the others wait for the answer to those that have begun slowly, for a minute.
func TestWaitsInASlowStart(t *testing.T) {
	var l Limit
	until, last := l.Waits(sec)
	assert.Zero(t, until+last)
	assert.True(t, l.Free())
	assert.False(t, l.InSlowStart(time.Hour))
	l = Limit{trouble: &trouble{pause: pause{end: 100 * sec, slow: true}}, window: window{size: 2, under: 1}}
	assert.False(t, l.Free())
	l.Wrote(105 * sec)
	until, last = l.Waits(110 * sec)
	assert.Zero(t, until+last, "one more may begin")
	l.window.under = 2
	until, last = l.Waits(110 * sec)
	assert.Equal(t, []time.Duration{165 * sec, 105 * sec}, []time.Duration{until, last})
	assert.Equal(t, []bool{false, true}, []bool{l.InSlowStart(100*sec - 1), l.InSlowStart(100 * sec)})
	l.trouble.behind = 2
	l.Again(110 * sec)
	assert.Equal(t, []uint16{1, 3}, []uint16{l.trouble.behind, l.window.under})
	assert.Equal(t, 4, l.Under())
	l.trouble.pause.slow = false
	until, last = l.Waits(110 * sec)
	assert.Zero(t, until+last)
	assert.False(t, l.InSlowStart(110*sec))
}

// If the clock has gone back by more than a second, all times go back with it.
func TestClockThatGoesBack(t *testing.T) {
	for _, tt := range []struct {
		trouble bool
		back    time.Duration
		set     bool
	}{{false, sec, false}, {false, sec + time.Millisecond, true}, {true, sec, false}, {true, sec + time.Millisecond, true}} {
		const then = 1000 * sec
		now, l := then-tt.back, Limit{heard: stampOf(then), count: count{since: stampOf(then), halves: 4}}
		if tt.trouble {
			l.trouble = &trouble{last: then, quotaUntil: then + 5*sec, pause: pause{from: then, end: then + 9*sec}, growth: growth{cutAt: stampOf(then)}}
		} else {
			l.window.last = stampOf(then)
		}
		assert.Equal(t, now, l.at(now))
		assert.Equal(t, tt.set, l.count == count{since: stampOf(now)} && l.heard == stampOf(now) && l.window.last == stampOf(now-Patience), "%+v", tt)
		if c := l.trouble; c != nil {
			want := []time.Duration{then, then + 5*sec, then + 9*sec}
			if tt.set {
				want = []time.Duration{now, now + 5*sec, now + 9*sec}
			}
			assert.Equal(t, want, []time.Duration{c.last, c.quotaUntil, c.pause.end}, "%+v", tt)
			assert.Equal(t, tt.set, c.growth.cutAt == stampOf(now), "%+v", tt)
		}
	}
}
