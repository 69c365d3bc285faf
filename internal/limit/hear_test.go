package limit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// Which requests fill a window.
func TestWindowBegins(t *testing.T) {
	for _, tt := range []struct{ before, after window }{
		{window{}, window{size: 2, under: 1, last: 7}},
		{window{size: 2, under: 1}, window{size: 2, under: 2, full: true, last: 7}},
		{window{size: 8, under: 1, full: true}, window{size: 8, under: 2, full: true, last: 7}},
		{window{size: 8, full: true}, window{size: 8, under: 1, last: 7}},
		{window{size: 8, under: 6}, window{size: 8, under: 7, last: 7}},
		{window{size: 8, under: widestWindow}, window{size: 8, under: widestWindow, full: true, last: 7}},
	} {
		w := tt.before
		w.begin(7)
		assert.Equal(t, tt.after, w, "%+v", tt.before)
	}
}

// A window grows with a quick answer if it is in use and nobody waits at the site, and slowly after it was cut.
func TestWindowGrows(t *testing.T) {
	used := window{size: 4, under: 1, base: 100}
	for _, tt := range []struct {
		name   string
		edit   func(w *window)
		growth *growth
		took   millis
		size   uint16
		credit uint16
	}{
		{name: "used", size: 5},
		{name: "hardly used", edit: func(w *window) { w.under = 0 }, size: 4},
		{name: "was full", edit: func(w *window) { w.under, w.full = 0, true }, size: 5},
		{name: "nothing has begun", edit: func(w *window) { w.size = 0 }},
		{name: "nearly the widest", edit: func(w *window) { w.size, w.full = widestWindow-1, true }, size: widestWindow},
		{name: "the widest", edit: func(w *window) { w.size, w.full = widestWindow, true }, size: widestWindow},
		{name: "a row of slow answers", edit: func(w *window) { w.row = fewestSlow / 2 }, size: 4},
		{name: "a shorter one", edit: func(w *window) { w.row = fewestSlow/2 - 1 }, size: 5},
		{name: "late", took: 201, size: 4},
		{name: "quick where some are slow", edit: func(w *window) { w.slow = 9 }, size: 7},
		{name: "never cut", growth: &growth{}, size: 5},
		{name: "below what it was cut to", growth: &growth{cut: true, soft: 5}, size: 5},
		{name: "above it", growth: &growth{cut: true, soft: 4}, size: 4, credit: 1},
		{name: "above it, a round is over", growth: &growth{cut: true, soft: 4, credit: 3}, size: 5},
	} {
		w := used
		if tt.edit != nil {
			tt.edit(&w)
		}
		w.grow(tt.growth, max(tt.took, 100))
		assert.Equal(t, tt.size, w.size, tt.name)
		if tt.growth != nil {
			assert.Equal(t, tt.credit, tt.growth.credit, tt.name)
		}
	}
}

// The base is the quickest answer, unless so few are as quick that they are the exception.
func TestBase(t *testing.T) {
	for _, tt := range []struct {
		base    millis
		odd     uint8
		took    millis
		alone   bool
		after   millis
		oddNow  uint8
		ignored bool
	}{
		{took: 100, after: 100},
		{base: 100, odd: 5, took: 99, after: 99},
		{base: 250, odd: 5, took: 100, after: 100},
		{base: 100, odd: 5, took: 100, after: 100, oddNow: 4},
		{base: 100, took: 200, after: 100},
		{base: 100, odd: 5, took: 200, alone: true, after: 200},
		{base: 251, took: 100, after: 251, oddNow: anew, ignored: true},
		{base: 251, odd: enoughAnew - 1, took: 100, after: 251, oddNow: enoughAnew - 1 + anew, ignored: true},
		{base: 251, odd: enoughAnew, took: 100, after: 100},
		{base: 251, took: 100, alone: true, after: 100},
	} {
		w := window{base: tt.base, odd: tt.odd}
		assert.Equal(t, tt.ignored, w.learnBase(tt.took, tt.alone), "%+v", tt)
		assert.Equal(t, window{base: tt.after, odd: tt.oddNow}, w, "%+v", tt)
	}
	for _, tt := range []struct {
		size        uint16
		took, after millis
	}{{3, 351, 351}, {3, 350, 100}, {4, 351, 100}} {
		w := window{size: tt.size, base: 100}
		w.doubt(tt.took)
		assert.Equal(t, tt.after, w.base, "%+v", tt)
	}
}

// So many slow answers without a quick one are a queue, if one of them was not overtaken.
func TestRowsOfSlowAnswers(t *testing.T) {
	for _, tt := range []struct {
		row           uint8
		fastest, took millis
		overtaken     bool
		rowNow        uint8
		fastestNow    millis
		slow          uint8
		queue         bool
	}{
		{row: 14, fastest: 300, took: 280, rowNow: 15, fastestNow: 280},
		{row: 15, fastest: 300, took: 400, rowNow: 16, fastestNow: 300, queue: true},
		{row: 15, fastest: 300, took: 400, overtaken: true, rowNow: 16, fastestNow: 300, queue: true},
		{row: 15, took: 400, rowNow: 16, fastestNow: 400, queue: true},
		{row: 15, took: 400, overtaken: true, rowNow: 16},
		{row: 255, took: 251, rowNow: 255, fastestNow: 251, queue: true},
		{row: 16, fastest: 300, took: 250, slow: 98},
	} {
		w := window{base: 100, row: tt.row, fastest: tt.fastest}
		assert.Equal(t, tt.queue, w.hear(tt.took, tt.overtaken, false), "%+v", tt)
		assert.Equal(t, window{base: 100, row: tt.rowNow, fastest: tt.fastestNow, slow: tt.slow}, w, "%+v", tt)
	}
	w := window{base: 500, row: 9, slow: 98}
	assert.False(t, w.hear(100, false, false))
	assert.Equal(t, window{base: 500, row: 9, slow: 98, odd: anew}, w, "far too quick")
	w.endRow()
	assert.Equal(t, window{base: 500, slow: 133, odd: anew}, w)
	w.endRow()
	assert.EqualValues(t, 129, w.slow)
	for _, tt := range []struct {
		size   uint16
		slow   uint8
		enough uint8
	}{{10, 0, 16}, {20, 0, 20}, {300, 0, 200}, {10, 98, 16}, {10, 200, 56}, {100, 200, 100}, {10, 247, 250}} {
		assert.Equal(t, tt.enough, (&window{size: tt.size, slow: tt.slow}).enough(), "%+v", tt)
	}
}
