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
