package proxy

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// However many hosts a program names, only some certificates are kept: those used last.
func TestLeavesAreBounded(t *testing.T) {
	a, err := newAuthority(time.Hour)
	require.NoError(t, err)
	first, err := a.leaf("first.test")
	require.NoError(t, err)
	for i := range mostLeaves + 10 {
		_, err := a.leaf(fmt.Sprintf("%d.test", i))
		require.NoError(t, err)
		again, err := a.leaf("FIRST.test.")
		require.NoError(t, err)
		require.Same(t, first, again)
	}
	assert.Len(t, a.leaves, mostLeaves)
	assert.Equal(t, mostLeaves, a.recent.Len())
	assert.NotContains(t, a.leaves, "0.test")
	for _, host := range []string{"", "."} {
		_, err := a.leaf(host)
		assert.Error(t, err)
	}
}
