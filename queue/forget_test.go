package queue

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A lane without items is forgotten.
func TestEmptyLanesAreForgotten(t *testing.T) {
	var q Queue[int]
	q.wake.L = &q.mu
	for i := range 10 {
		require.NoError(t, q.Push("http://busy.example/", i))
		require.NoError(t, q.Push("http://example.com/", i))
		assert.Len(t, q.lanes, 2)
		for range 2 {
			v := q.next(t.Context())
			v.handled = true
			q.leave(v)
		}
		assert.Empty(t, q.lanes)
		assert.Empty(t, q.under)
		q.idle = false
	}
}
