package queue

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is pushed while the workers end gets all of them, and not those that have not ended yet.
func TestPushWhileWorkersEnd(t *testing.T) {
	var q Queue[int]
	q.wake.L = &q.mu
	require.NoError(t, q.Push("http://example.com/1", 1))
	require.True(t, q.goesOn(t.Context()))
	v := q.next(t.Context())
	v.handled = true
	q.leave(v)
	require.NoError(t, q.Push("http://example.com/2", 2))
	assert.Nil(t, q.next(t.Context()), "one that ends later")
	require.True(t, q.goesOn(t.Context()))
	assert.Equal(t, 2, q.next(t.Context()).task.Value)
}
