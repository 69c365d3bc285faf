package limit

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A row is longer where more answers are bad, where more requests are under way, and in one section of several.
func TestRowsThatAreEnough(t *testing.T) {
	for _, tt := range []struct {
		badPart float32
		under   uint16
		good    uint64
		enough  uint8
	}{
		{0, 0, 1, 5},
		{0, 100, 1, 5},
		{0.01, 0, 1, 5},
		{0.5, 0, 1, 20},
		{0.5, 10, 1, 25},
		{0.7, 0, 1, 39},
		{0.9, 0, 1, 39},
		{0, 0, 3, 20},
		{0.5, 0, 3, 80},
		{0.5, 2000, 1, 200},
	} {
		r := row{badPart: tt.badPart, good: tt.good}
		assert.Equal(t, tt.enough, r.enough(tt.under), "%+v", tt)
	}
}

// What was refused of many sites counts as long as few answers are good.
func TestMachineForgets(t *testing.T) {
	for _, tt := range []struct {
		known   bool
		refused uint16
		good    int
		forgets bool
	}{
		{true, 3, 50, false},
		{true, 3, 51, true},
		{false, 3, 40, false},
		{false, 3, 41, true},
		{false, 0, 16, false},
		{false, 0, 17, true},
	} {
		m := &machine{well: math.MaxUint64, sites: 1, refused: tt.refused}
		for range tt.good {
			m.noteGood(2)
		}
		m.noteRefusal(3, tt.known)
		assert.Equal(t, tt.forgets, m.sites&1 == 0, "%+v", tt)
		assert.Equal(t, tt.forgets, m.refused == 1 && m.good == 0 || tt.refused == 0 && m.good == 0, "%+v", tt)
	}
}

// Incidents that a target began count from the first that taught anything.
func TestSuspectsBeginAnew(t *testing.T) {
	var o suspects
	o.refused(7, ofTarget)
	o.began(7, true)
	o.began(0, false)
	assert.Equal(t, []uint8{2, 1}, []uint8{o.incidents, o.find(7).incidents})
	o.began(7, true)
	assert.Equal(t, []uint8{1, 1}, []uint8{o.incidents, o.find(7).incidents})
}

// A body that shows a challenge takes back that its answer has ended a row: refusals of before and since are one row.
func TestResume(t *testing.T) {
	row1 := row{badPart: 0.5, length: 3, first: 1}
	strange := row{badPart: 0.5, strange: 3, strangeFirst: 1}
	edit := func(r row, edit func(*row)) row { edit(&r); return r }
	for _, tt := range []struct {
		name                string
		row, before, resume row
	}{
		{"nothing was ended", row{badPart: 0.2, length: 2}, row{}, row{badPart: 0.2, length: 2}},
		{"a row", row{badPart: 0.2}, row1, edit(row1, func(r *row) { r.badPart = 0.2 })},
		{"the part was lower before", row{badPart: 0.7}, row1, row1},
		{"one in several sections", row{badPart: 0.5}, edit(row1, func(r *row) { r.spread = true }), edit(row1, func(r *row) { r.spread = true })},
		{"the same section again", edit(row1, func(r *row) { r.length = 5 }), row1, edit(row1, func(r *row) { r.length = 5 })},
		{"another section since", edit(row1, func(r *row) { r.first, r.length = 2, 1 }), row1, edit(row1, func(r *row) { r.first, r.spread = 2, true })},
		{"several before", edit(row1, func(r *row) { r.length = 1 }), edit(row1, func(r *row) { r.spread = true }), edit(row1, func(r *row) { r.spread = true })},
		{"several since", edit(row1, func(r *row) { r.length, r.spread = 1, true }), row1, edit(row1, func(r *row) { r.spread = true })},
		{"strange ones", row{badPart: 0.5}, strange, strange},
		{"strange ones in several sections", row{badPart: 0.5}, edit(strange, func(r *row) { r.strangeSpread = true }), edit(strange, func(r *row) { r.strangeSpread = true })},
		{"strange ones again", edit(strange, func(r *row) { r.strange = 5 }), strange, edit(strange, func(r *row) { r.strange = 5 })},
		{"strange ones of another section since", edit(strange, func(r *row) { r.strangeFirst, r.strange = 2, 1 }), strange, edit(strange, func(r *row) { r.strangeFirst, r.strangeSpread = 2, true })},
		{"strange ones of several before", edit(strange, func(r *row) { r.strange = 1 }), edit(strange, func(r *row) { r.strangeSpread = true }), edit(strange, func(r *row) { r.strangeSpread = true })},
		{"strange ones of several since", edit(strange, func(r *row) { r.strange, r.strangeSpread = 1, true }), strange, edit(strange, func(r *row) { r.strangeSpread = true })},
	} {
		tt.row.resume(tt.before)
		assert.Equal(t, tt.resume, tt.row, tt.name)
	}
}

// What each kind of answer means.
func TestKinds(t *testing.T) {
	const s = time.Second
	for number, want := range []struct {
		name                     string
		bad, overload, busy, ban bool
		longest                  time.Duration
	}{
		{"neutral", false, false, false, false, 300 * s},
		{"good", false, false, false, false, 300 * s},
		{"busy", true, true, true, true, 300 * s},
		{"busy", true, true, true, false, 300 * s},
		{"refused", true, true, false, false, 300 * s},
		{"silent", true, true, false, false, 600 * s},
		{"broken", true, false, false, false, 10 * s},
		{"barred", true, false, false, true, 60 * s},
		{"challenged", true, false, false, false, 60 * s},
	} {
		k := KindOf(int64(number))
		assert.Equal(t, Kind(number), k)
		assert.Equal(t, want.name, k.String())
		assert.Equal(t, [4]bool{want.bad, want.overload, want.busy, want.ban}, [4]bool{k.isBad(), k.isOverload(), k.isBusy(), k.isBan()}, k)
		assert.Equal(t, want.longest, k.longest(), k)
		a := Answer{Kind: k, Section: 3, Target: 7}
		section, target := a.blames()
		assert.Equal(t, want.busy, section == 4 && target == 7, k)
		assert.Equal(t, k != Refused, a.teaches(), k)
		assert.Equal(t, time.Second, a.longest(true))
		assert.Equal(t, want.longest, a.longest(false))
		a.Witness, a.Target = Well, 0
		assert.Equal(t, min(want.longest, 30*s), a.longest(false), k)
		assert.False(t, a.teaches(), k)
		section, target = a.blames()
		assert.Zero(t, section+target, k)
	}
	assert.Equal(t, Neutral, KindOf(-1))
	assert.Equal(t, Neutral, KindOf(9))
	assert.Equal(t, "unknown", Kind(9).String())
}
