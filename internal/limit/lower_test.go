package limit

import (
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
