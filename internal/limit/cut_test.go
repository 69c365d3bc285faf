package limit

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A row of slow answers cuts the window, by half at most, until a smaller window brings no relief: then the site is slow
// by itself.
func TestCut(t *testing.T) {
	const now = stamp(7)
	w := func(size uint16, base, fastest millis) window {
		return window{size: size, base: base, fastest: fastest, row: 20, late: 3, under: 5}
	}
	trial := func(soft, sizeBefore uint16, timeBefore millis) growth {
		return growth{cut: true, soft: soft, credit: 2, sizeBefore: sizeBefore, timeBefore: timeBefore, untried: 40}
	}
	cut := func(soft, sizeBefore uint16, timeBefore millis, untried uint16) growth {
		return growth{cut: true, cutAt: now, soft: soft, sizeBefore: sizeBefore, timeBefore: timeBefore, untried: untried}
	}
	for _, tt := range []struct {
		name   string
		window window
		before growth
		size   uint16
		base   millis
		after  growth
	}{
		{"the first", w(30, 100, 400), growth{}, 18, 100, cut(18, 30, 400, widestWindow)},
		{"the first of another trial", w(30, 100, 400), trial(12, 0, 0), 18, 100, cut(18, 30, 400, 12)},
		{"by half at most", w(30, 100, 2000), growth{}, 15, 100, cut(15, 30, 2000, widestWindow)},
		{"to one at least", w(1, 100, 2000), growth{}, 1, 100, cut(1, 1, 2000, widestWindow)},
		{"relief", w(18, 100, 280), trial(18, 30, 400), 16, 100, cut(16, 18, 280, 40)},
		{"relief at a third of it", w(10, 200, 600), trial(10, 30, 1000), 7, 200, cut(7, 10, 600, 40)},
		{"no relief yet", w(18, 100, 290), trial(18, 30, 400), 15, 100, cut(15, 30, 400, 40)},
		{"no relief at more than a third", w(11, 100, 390), trial(11, 30, 400), 7, 100, cut(7, 30, 400, 40)},
		{"no relief at a third", w(10, 100, 390), trial(10, 30, 400), 30, 390, growth{cut: true, soft: 30, credit: 2, timeBefore: 400, untried: 40}},
		{"a second is slow", w(10, 100, 1000), trial(10, 30, 1000), 5, 100, cut(5, 30, 1000, 40)},
	} {
		g := tt.before
		tt.window.cut(&g, now)
		assert.Equal(t, window{size: tt.size, base: tt.base, under: 5}, tt.window, tt.name)
		assert.Equal(t, tt.after, g, tt.name)
	}
}

// With a quick answer the window grows by one, or by three where others are slow. With late ones, where there may be a
// queue, it grows less, or no more.
func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		slow, late uint8
		took       millis
		steps      []uint16 // of answers that take as long
	}{
		{0, 0, 200, []uint16{1, 1, 1, 1, 1}},
		{0, 0, 201, []uint16{0, 0, 0, 1, 0, 0, 0, 1}},
		{0, 2, 200, []uint16{1, 1}},
		{0, 2, 201, []uint16{0, 1, 0}},
		{9, 0, 200, []uint16{3, 3, 3}},
		{9, 0, 201, []uint16{1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0}},
		{9, 8, 201, []uint16{0, 0}},
		{9, 8, 200, []uint16{3, 3}},
	} {
		w := window{base: 100, slow: tt.slow, late: tt.late}
		var steps []uint16
		for range tt.steps {
			steps = append(steps, w.stepFor(tt.took))
		}
		assert.Equal(t, tt.steps, steps, "%+v", tt)
	}
	var unknown window
	assert.False(t, unknown.isLate(1000) || unknown.isLong(1000), "nothing is known")
}

// A site that is slow although one request is alone is slow by itself: the window grows back to what it was before.
func TestSlowByItself(t *testing.T) {
	for _, tt := range []struct {
		soft, untried uint16
		took          time.Duration
		want          growth
	}{
		{20, 5, 300 * time.Millisecond, growth{cut: true, soft: 20, untried: 5}},
		{5, 20, 300 * time.Millisecond, growth{cut: true, soft: 20, untried: 20}},
		{20, 5, 100 * time.Millisecond, growth{cut: true, soft: 20, untried: 5}},
	} {
		l := Limit{window: window{size: 1, base: 100}, trouble: &trouble{growth: growth{cut: true, sizeBefore: 10, soft: tt.soft, untried: tt.untried}}}
		l.widen(&Answer{Kind: Good, Begun: time.Hour, Now: time.Hour + tt.took, Took: tt.took}, false)
		assert.Equal(t, tt.want, l.trouble.growth, "%+v", tt)
	}
}

// An answer to a request from before a break or a cut, or in an incident, lets no window grow.
func TestWidens(t *testing.T) {
	for _, tt := range []struct {
		before, on, cut bool
		begun           time.Duration
		size            uint16
	}{{size: 5}, {before: true, size: 4}, {on: true, size: 4}, {cut: true, size: 4}, {cut: true, begun: time.Hour, size: 5}} {
		l := Limit{window: window{size: 4, under: 3, base: 100}, trouble: &trouble{pause: pause{on: tt.on}, growth: growth{cut: tt.cut, cutAt: stampOf(time.Hour), soft: 9}}}
		l.widen(&Answer{Kind: Good, Begun: tt.begun, Now: time.Hour, Took: 100 * time.Millisecond}, tt.before)
		assert.Equal(t, tt.size, l.window.size, "%+v", tt)
	}
}

// After a break the window grows soon to half of what it was, or to what it had found before.
func TestWindowAfterABreak(t *testing.T) {
	for soft, want := range map[uint16]uint16{20: 20, 2: 5} {
		l := Limit{window: window{size: 10, under: 3}, trouble: &trouble{growth: growth{soft: soft, sizeBefore: 7}}}
		assert.Equal(t, 10*time.Second, l.keepBreak(10*time.Second, time.Hour, true))
		assert.Equal(t, []uint16{want, 0, 1, 0, 3}, []uint16{l.trouble.growth.soft, l.trouble.growth.sizeBefore, l.window.size, l.window.under, l.trouble.behind})
	}
}

// A slow start is over a minute after the break, if a request was answered and none badly.
func TestFasten(t *testing.T) {
	for _, tt := range []struct {
		p    pause
		size uint16
		past time.Duration // the break
		slow bool
	}{
		{pause{slow: true}, 2, time.Minute + 1, false},
		{pause{slow: true}, 2, time.Minute, true},
		{pause{slow: true}, 1, time.Hour, true},
		{pause{slow: true, on: true}, 2, time.Hour, true},
		{pause{slow: true, level: 1}, 2, time.Hour, true},
		{pause{slow: true, on: true, level: 1}, 2, time.Hour, true},
		{pause{}, 2, time.Hour, false},
	} {
		tt.p.end = time.Hour
		tt.p.fasten(&window{size: tt.size}, time.Hour+tt.past)
		assert.Equal(t, tt.slow, tt.p.slow, "%+v", tt)
	}
}
