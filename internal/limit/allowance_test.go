package limit

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// However long a site was well, it does not pay for more than two stray refusals in a row.
func TestAllowanceIsBounded(t *testing.T) {
	var a allowance
	assert.False(t, a.spend())
	for range 100_000 {
		a.earn()
	}
	assert.True(t, a.spend())
	assert.True(t, a.spend())
	assert.False(t, a.spend())
}
