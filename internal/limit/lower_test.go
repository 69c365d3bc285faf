package limit

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// What an incident teaches of the rate, and for how many seconds the rate is kept to.
func TestLower(t *testing.T) {
	// Ten a second is kept to for 40 s. Then it rises.
	kept := rate{base: 10, plain: 40, active: 40, sought: true, good: 4, allowance: 9}
	fleet := func(r rate) rate { r.noteFleet(3); return r }
	edit := func(r rate, edits ...func(*rate)) rate {
		for _, e := range edits {
			e(&r)
		}
		return r
	}
	early, risen := func(r *rate) { r.active = 1 }, func(r *rate) { r.active = 90 } // 23 a second
	short := func(r *rate) { r.plain, r.active = 20, 20 }
	first := rate{base: 10, plain: 40, active: 2, good: 4, allowance: 9} // twice the base by now, and by 3 s in a fleet
	for _, tt := range []struct {
		name        string
		rate        rate
		before      past
		base, plain float32
		guess       bool // good answers count anew
	}{
		{"nothing was known", rate{good: 4, allowance: 9}, past{good: 6}, 6, 50, false},
		{"nothing was known, hardly asked", rate{good: 4, allowance: 9}, past{good: 0.2}, 1, 300, false},
		{"the first rate", first, past{good: 5}, 20, 20, true},
		{"the first rate, low", edit(first, func(r *rate) { r.base, r.active = 1, 0 }), past{good: 1}, 1, 150, true},
		{"the first rate, kept before", edit(first, func(r *rate) { r.kept, r.plain = true, 10 }), past{good: 5}, 20, 20, true},
		{"the first rate of a fleet", edit(fleet(first), func(r *rate) { r.active = 3 }), past{good: 12.8}, 16, 20, true},
		{"the first rate of a fleet, few counted", edit(fleet(first), func(r *rate) { r.active = 3 }), past{good: 1}, 15, 20, true},
		{"the first rate of a fleet, more counted", edit(fleet(first), func(r *rate) { r.active = 3 }), past{good: 50}, 20, 20, true},
		{"the rate that was sought", kept, past{good: 3}, 10, 40, false},
		{"the rate that was sought for less", edit(kept, short), past{good: 3}, 10, 25, false},
		{"the rate that a fleet sought for less", fleet(edit(kept, short)), past{good: 3}, 10, 22, false},
		{"a tenth was not used", edit(kept, func(r *rate) { r.idle = 51 }), past{good: 3}, 8, 40, false},
		{"it has risen far", edit(kept, risen), past{good: 3}, 23, 20, true},
		{"it has risen far after a short search", edit(kept, func(r *rate) { r.plain, r.active = 10, 22.5 }), past{good: 3}, 23, 10, true},
		{"twice the search is not far", edit(kept, func(r *rate) { r.active = 80 }), past{good: 3}, 11.5, 40, false},
		{"a fleet was refused at once", fleet(kept), past{good: 3, atOnce: true}, 8.5, 20, true},
		{"at once, the rate was new", fleet(edit(kept, early, func(r *rate) { r.plain = 25 })), past{atOnce: true}, 7.372, 20.3, true},
		{"at once, it was new, and one before was kept to", fleet(edit(kept, early, func(r *rate) { r.plain, r.kept = 15, true })), past{atOnce: true}, 7.463, 15, true},
		{"by chance", kept, past{good: 7, chance: true}, 7, 42.9, false},
		{"by chance, more were counted", kept, past{good: 12, chance: true}, 10, 40, false},
		{"by chance, at once", kept, past{good: 7, chance: true, atOnce: true}, 7, 21.43, true},
		{"little was answered", kept, past{good: 3, scarce: 0.5}, 7.071, 42.4, false},
		{"little was answered for long", edit(kept, func(r *rate) { r.good = 15 }), past{good: 3, scarce: 2}, 8.944, 40, false},
		{"one incident halves it at most", kept, past{good: 3, scarce: 100}, 5, 50, false},
	} {
		r := tt.rate
		r.lower(tt.before)
		assert.InDelta(t, tt.base, r.base, 0.01, "%s: the rate", tt.name)
		assert.InDelta(t, tt.plain, r.plain, 0.1, "%s: how long it is kept to", tt.name)
		assert.Zero(t, r.active, tt.name)
		assert.Equal(t, tt.rate.base > 0, r.sought, tt.name)
		assert.Equal(t, [2]bool{tt.guess, tt.guess}, [2]bool{r.good == 0, r.allowance == 0}, "%s: good answers", tt.name)
	}
}

// A rate was kept to if a twentieth of the search for it is over, or if the one before was.
func TestKept(t *testing.T) {
	for _, tt := range []struct {
		rate rate
		kept bool
	}{
		{rate{base: 10, plain: 40, active: 2}, false},
		{rate{base: 10, plain: 40, active: 1.9, sought: true}, false},
		{rate{base: 10, plain: 40, active: 2, sought: true}, true},
		{rate{base: 10, plain: 40, active: 0, sought: true, kept: true}, true},
		{rate{base: 10, plain: 40, active: 9, kept: true}, false},
	} {
		r := tt.rate
		r.notice()
		assert.Equal(t, tt.kept, r.kept, "%+v", tt.rate)
	}
}

// A trial that finds a limit gives back the rate from before it: all of it, or where some is refused by chance as much
// as this leaves.
func TestTrialThatFindsALimit(t *testing.T) {
	for usual, base := range map[float32]float32{0: 10, 0.2: 9} {
		was := rate{base: 10, plain: 40, active: 7, sought: true}
		l := Limit{trouble: &trouble{rate: rate{base: 40, plain: 40, sought: true}, chance: &chance{usual: usual, most: 0.2, sure: sureOfLimit - 1, was: &was}}}
		bad, alone := l.weighRefusal(&Answer{Kind: Busy, Now: time.Hour})
		assert.True(t, bad)
		assert.False(t, alone)
		assert.InDelta(t, base, l.trouble.rate.base, 0.001, "%v by chance", usual)
		assert.True(t, l.trouble.rate.sought)
		assert.Equal(t, chance{usual: usual}, *l.trouble.chance)
	}
}

// Which rate counts when another process tells its own: a rate that was sought, then the lower one. That of an incident
// which is news is that of all.
func TestLearnsARate(t *testing.T) {
	first, sought := rate{base: 10, plain: 40}, rate{base: 10, plain: 40, sought: true} // they are 10 a second, and 8.5
	edit := func(r rate, base float32) rate { r.base = base; return r }
	for _, tt := range []struct {
		name   string
		rate   rate
		told   rate
		news   bool
		takes  bool
		active float32 // seconds of the search that are over
	}{
		{"nothing was known", rate{}, first, false, true, 0},
		{"nothing was known, and it was sought", rate{}, sought, false, true, 40},
		{"nothing was known, in an incident", rate{}, sought, true, true, 0},
		{"a first rate that is lower by now", first, edit(first, 20), false, true, 0},
		{"a first rate that is higher by now", first, edit(first, 30), false, false, 0},
		{"the same", first, first, false, false, 0},
		{"the same, in an incident", first, first, true, false, 0},
		{"one that was sought, although it is higher", first, edit(sought, 20), false, true, 0},
		{"one that was not sought", sought, edit(first, 1), false, false, 0},
		{"one that was not sought, in an incident", sought, edit(first, 1), true, false, 0},
		{"it was sought, and is lower", sought, edit(sought, 5), false, true, 0},
		{"it was sought, and is higher", sought, edit(sought, 20), false, false, 0},
		{"it was sought, and is the same", sought, sought, false, false, 0},
		{"it was sought, and is the same, in an incident", sought, sought, true, true, 0},
		{"it was sought, and is higher, in an incident", sought, edit(sought, 20), true, true, 0},
	} {
		r := tt.rate
		r.active = 3
		if r.base == 0 {
			r.active = 0
		}
		before := r
		r.learn(tt.told, tt.news)
		want := before
		if tt.takes {
			want.base, want.plain, want.sought, want.active = tt.told.base, tt.told.plain, tt.told.sought, tt.active
			want.kept = before.sought && before.active >= before.plain/20
		}
		assert.Equal(t, want, r, tt.name)
	}
}

// What a site bore before its rate fell is remembered for a while, and is the most of what it bore.
func TestHistory(t *testing.T) {
	const now = stamp(1_000_000)
	const recently, long = now - 600_000, now - 660_000
	for _, tt := range []struct {
		name  string
		h     history
		good  float32
		known bool
		want  history
		fall  float32 // a rate below this is a fall
	}{
		{"the first", history{}, 10, true, history{high: 10, fell: now}, 5},
		{"the first, of which nothing is known", history{}, 0, false, history{high: math.MaxFloat32, fell: now}, math.MaxFloat32 / 2},
		{"it has not risen again", history{high: 10, fell: recently}, 4.9, true, history{high: 10, fell: recently}, 5},
		{"it has risen by half", history{high: 10, fell: recently}, 5, true, history{high: 10, fell: now}, 5},
		{"it has risen further", history{high: 10, fell: recently}, 12, true, history{high: 12, fell: now}, 6},
		{"it has risen further, and is not known", history{high: 10, fell: recently}, 12, false, history{high: 12, fell: now}, 6},
		{"it is long ago", history{high: 10, fell: long}, 1, true, history{high: 1, fell: now}, 0.5},
	} {
		tt.h.noteRate(tt.good, now, tt.known)
		assert.Equal(t, tt.want, tt.h, tt.name)
		assert.True(t, tt.h.isFall(tt.fall*0.99, now), tt.name)
		assert.False(t, tt.h.isFall(tt.fall, now), tt.name)
		assert.False(t, tt.h.isFall(tt.fall*0.99, tt.h.fell+660_000), tt.name)
		assert.Equal(t, tt.h.down > 0, tt.h.wasDown(now))
	}
	h := history{down: now}
	assert.True(t, h.wasDown(now+15*60_000-1))
	assert.False(t, h.wasDown(now+15*60_000))
}

// How much of the time between two requests counts: two gaps, or more in a fleet, and no more than doubles its first rate.
func TestMostActive(t *testing.T) {
	for _, tt := range []struct {
		sought bool
		gap    float64
		all    float32
		most   float64
	}{
		{true, 1, 1, 2},
		{true, 1, 3, 2},
		{true, 1, 12, 4},
		{false, 1, 1, 2},
		{false, 0.5, 2, 2},
		{false, 0.5, 4, 2},
		{false, 0.5, 8, 2.828},
		{false, 0.5, 16, 3},
		{false, 2, 16, 4},
	} {
		r := rate{base: float32(1 / tt.gap), plain: 40, active: 40, sought: tt.sought}
		if !tt.sought {
			r.active = 0
		}
		r.noteFleet(tt.all)
		assert.InDelta(t, tt.most, r.mostActive(), 0.001, "%+v", tt)
	}
}

// A rate is used if half of it is asked for. In a fleet an eighth is enough, since the others are guessed.
func TestUsed(t *testing.T) {
	for _, tt := range []struct {
		base float32
		idle uint8
		all  float32
		used bool
	}{
		{0, 0, 1, false},
		{0.5, 0, 1, true},
		{10, 127, 1, true},
		{10, 128, 1, false},
		{10, 128, 3, true},
		{10, 223, 3, true},
		{10, 224, 3, false},
	} {
		r := rate{base: tt.base, idle: tt.idle}
		r.noteFleet(tt.all)
		assert.Equal(t, tt.used, r.isUsed(), "%+v", tt)
	}
}

// A clock that goes back takes all times of an incident with it.
func TestRewind(t *testing.T) {
	const s = time.Second
	p := pause{from: 100 * s, end: 110 * s, began: 50 * s, refused: 99 * s}
	p.rewind(70 * s)
	assert.Equal(t, pause{from: 70 * s, end: 80 * s, began: 20 * s, refused: 69 * s}, p)
	assert.Equal(t, 49*s, p.seen())
}

// A rate that others have told is known at the next incident, however low it is.
func TestRateOfOthersIsKnown(t *testing.T) {
	for gap, known := range map[time.Duration]bool{0: false, 2 * time.Second: true, time.Millisecond: true} {
		var l Limit
		l.Learn(time.Hour, Lesson{Gap: gap, Plain: time.Minute})
		l.Learn(time.Hour, Lesson{Incident: true})
		assert.Equal(t, known, l.trouble.rateKnown, gap)
	}
}

// A count keeps the newer half of its answers when its span is over, and knows for how long it has counted.
func TestCount(t *testing.T) {
	for _, tt := range []struct {
		halves  uint16
		dropped uint8
		past    stamp
		want    count
	}{
		{0, 0, 0, count{since: 500_000, halves: 2}},
		{64, 2, 1999, count{since: 500_000, halves: 66, dropped: 2}},
		{64, 2, 2000, count{since: 501_000, halves: 34, dropped: 3}},
		{62, 2, 2000, count{since: 500_000, halves: 64, dropped: 2}},
		{20, 2, 6000, count{since: 503_000, halves: 12, dropped: 5}},
		{20, 9, 6000, count{since: 503_000, halves: 12, dropped: 10}},
		{20, 2, 120_000, count{since: 620_000, halves: 2}},
		{65534, 0, 1000, count{since: 500_000, halves: 65534}},
	} {
		c := count{since: 500_000, halves: tt.halves, dropped: tt.dropped}
		c.add(500_000 + tt.past)
		assert.Equal(t, tt.want, c, "%+v", tt)
	}
}

// A rate that was lowered in vain is forgotten if nobody asks for so much; else four times as much is tried.
func TestTryMore(t *testing.T) {
	for idle, base := range map[uint8]float32{255: 0, 0: 40} {
		l := Limit{trouble: &trouble{rate: rate{base: 10, plain: 40, active: 40, sought: true, idle: idle}, chance: &chance{was: new(rate)}, pause: pause{level: 3}}}
		l.tryMore()
		c := l.trouble
		assert.InDelta(t, base, c.rate.base, 0.001)
		assert.Equal(t, base > 0, c.chance.was != nil && c.chance.was.base == 10)
		assert.Equal(t, []any{uint8(0), uint16(widestWindow)}, []any{c.pause.level, c.growth.soft})
	}
}
