package limit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// However long a site was well, it does not pay for more than two stray refusals in a row.
func TestAllowanceIsBounded(t *testing.T) {
	var r rate
	r.set(10, 0)
	r.sought = true
	assert.False(t, r.payForStray())
	for range 100_000 {
		r.noteGood()
	}
	assert.True(t, r.payForStray())
	assert.True(t, r.payForStray())
	assert.False(t, r.payForStray())
}

// A refusal in a search is stray if good answers have paid for it. Then the rate goes back a little. Otherwise good answers
// count anew.
func TestStray(t *testing.T) {
	for _, tt := range []struct {
		name      string
		edit      func(r *rate)
		paid      bool
		active    float32
		allowance uint16
	}{
		{"paid", func(*rate) {}, true, 16.61, 20},
		{"just paid", func(r *rate) { r.allowance = price }, true, 16.61, 0},
		{"too few were good", func(r *rate) { r.allowance = price - 1 }, false, 40, 0},
		{"the first rate", func(r *rate) { r.sought = false }, false, 40, 0},
		{"in a fleet", func(r *rate) { r.noteFleet(2) }, false, 40, 0},
		{"at the begin of the search", func(r *rate) { r.active = 0 }, true, 0, 20},
		{"late in the search", func(r *rate) { r.active = 79.9 }, true, 76.5, 20},
		{"after the search", func(r *rate) { r.active = 80 }, false, 80, 0},
	} {
		r := rate{base: 10, plain: 40, active: 40, sought: true, good: 9, allowance: price + 20}
		tt.edit(&r)
		assert.Equal(t, tt.paid, r.payForStray(), tt.name)
		assert.InDelta(t, tt.active, r.active, 0.1, tt.name)
		assert.Equal(t, tt.allowance, r.allowance, tt.name)
		assert.Equal(t, tt.paid, r.good == 0, tt.name)
	}
}
