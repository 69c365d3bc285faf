package robotstxt_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/store/storetest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestMemoryIsStore(t *testing.T) {
	storetest.TestStore(t, storetest.Engine[*robotstxt.Memory]{
		Open:   func(*testing.T) *robotstxt.Memory { return robotstxt.NewMemory(64 << 20) },
		Bubble: true,
	})
}

// If no more fits, all but the newest is forgotten.
func TestMemoryIsBounded(t *testing.T) {
	ctx := context.Background()
	m := robotstxt.NewMemory(10_000)
	put := func(key string, size int) {
		claim, err := m.Claim(ctx, key, "", time.Minute)
		require.NoError(t, err)
		require.NoError(t, m.Put(ctx, key, claim.Token, make([]byte, size), time.Hour))
	}
	has := func(key string) bool {
		claim, err := m.Claim(ctx, key, "", 0)
		require.NoError(t, err)
		return claim.Entry != nil
	}
	put("a", 3000)
	put("b", 3000)
	require.True(t, has("a"))
	put("c", 3000)
	assert.Equal(t, []bool{false, false, true}, []bool{has("a"), has("b"), has("c")})
	put("d", 50_000)
	assert.True(t, has("d"), "however large")
	assert.False(t, has("c"))

	m = robotstxt.NewMemory(10_000)
	for i := range 3 {
		put(strings.Repeat("x", 2000)+strconv.Itoa(i), 0)
	}
	assert.Equal(t, []bool{false, true}, []bool{has(strings.Repeat("x", 2000) + "0"), has(strings.Repeat("x", 2000) + "2")}, "keys take memory, too")
}
