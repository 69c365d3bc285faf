package redisfleet_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// types make a key of each type there is. They give it no end.
var types = []string{
	"SET %s x", "RPUSH %s x", "SADD %s x", "ZADD %s 1 x", "HSET %s x y", "XADD %s * x y", "SETBIT %s 7 1",
	"PFADD %s x", "GEOADD %s 1 1 x",
}

// hostile returns types and, for a server, a text of 100 MB.
func hostile(t *testing.T) []string {
	if strings.HasSuffix(t.Name(), "/double") {
		return types
	}
	return append(slices.Clip(types), "SETRANGE %s 104857599 x")
}

// makes puts what hostile hands make in the place of a key. It reports whether the server
// knows how to.
func makes(t *testing.T, c rueidis.Client, create, key string) bool {
	do(t, c, "DEL", key)
	command := strings.Fields(fmt.Sprintf(create, key))
	err := c.Do(t.Context(), c.B().Arbitrary(command...).Build()).Error()
	return err == nil
}

// ends checks that a key is small and ends some day, or is gone.
func ends(t *testing.T, c rueidis.Client, key, what string) {
	t.Helper()
	reply := do(t, c, "PTTL", key)
	left, err := reply.AsInt64()
	require.NoError(t, err)
	assert.NotEqual(t, int64(-1), left, what)
	reply = do(t, c, "TYPE", key)
	kind, err := reply.ToString()
	require.NoError(t, err)
	assert.Contains(t, []string{"string", "none"}, kind, what)
	reply = do(t, c, "STRLEN", key)
	n, err := reply.AsInt64()
	require.NoError(t, err)
	assert.Less(t, n, int64(10_000), what)
}

func TestLaneOfEachType(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c rueidis.Client, f *redisfleet.Fleet) {
		key := laneKey(lane)
		for what, call := range map[string]func() error{
			"Take":  func() error { _, err := f.Take(t.Context(), lane, gapOf("a")); return err },
			"Break": func() error { return f.Break(t.Context(), lane, gap) },
			"Done":  func() error { return f.Done(t.Context(), lane, "a", true) },
			"Renew": func() error {
				_, err := f.Renew(t.Context(), lease, map[string]string{"a": lane})
				return err
			},
		} {
			for _, create := range hostile(t) {
				if makes(t, c, create, key) {
					assert.NoError(t, call(), "%s after %s", what, create)
					takes(t, f, lane, gapOf("first")) // it may be slow
					recovers(t, f, create, 2*gap)
					ends(t, c, key, what+" after "+create)
				}
			}
		}
	})
}

func TestEntryOfEachType(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c rueidis.Client, f *redisfleet.Fleet) {
		key := strings.Replace(laneKey("key"), ":t:", ":e:", 1)
		for _, create := range hostile(t) {
			if !makes(t, c, create, key) {
				continue
			}
			assert.ErrorIs(t, f.Put(t.Context(), "key", "token", []byte("entry"), gap), store.ErrLost, create)
			makes(t, c, create, key)
			claim, err := f.Claim(t.Context(), "key", "", 0)
			assert.NoError(t, err, create)
			assert.Zero(t, claim, create)
			makes(t, c, create, key)
			claim, err = f.Claim(t.Context(), "key", "", gap)
			require.NoError(t, err, create)
			require.NotEmpty(t, claim.Token, create)
			require.NoError(t, f.Put(t.Context(), "key", claim.Token, []byte("entry"), gap), create)
			ends(t, c, key, create)
			claim, err = f.Claim(t.Context(), "key", "", gap)
			require.NoError(t, err, create)
			assert.Equal(t, "entry", string(claim.Entry), create)
		}
	})
}

// A break is kept and told, whatever stands in the place of the index.
func TestIndexOfEachType(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c rueidis.Client, f *redisfleet.Fleet) {
		const generation = "test:{breaks}:generation"
		for _, key := range []string{"test:{breaks}", generation} {
			for _, create := range hostile(t) {
				if makes(t, c, create, key) {
					tells(t, f, create)
				}
			}
		}
		for _, field := range []string{"id", "lost", "n", "layout"} {
			for _, junk := range []string{"", "x", "-1", strings.Repeat("9", 16<<20)} {
				do(t, c, "HSET", generation, field, junk)
				tells(t, f, fmt.Sprintf("%.9s in %s", junk, field))
			}
		}
		reply := do(t, c, "HGET", generation, "id")
		id, err := reply.ToString()
		require.NoError(t, err)
		assert.Len(t, id, 26)
	})
}

// tells checks that a break is told. The first Watch may find that data was lost.
func tells(t *testing.T, f *redisfleet.Fleet, what string) {
	t.Helper()
	require.NoError(t, f.Break(t.Context(), lane, gap), what)
	told := false
	eventually(t, "a break is told after "+what, func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		f.Watch(ctx, func(c store.Change) {
			told = told || c.Lane == lane && c.Break > gap-time.Minute
			if c == (store.Change{}) {
				cancel()
			}
		})
		return told
	})
}

// Many breaks that hostile hands made are listed a page at a time.
func TestManyBreaks(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	c := s.client()
	f := open(t, s.url(), redisfleet.Options{})
	reply := do(t, c, "EVAL", `
		local t = redis.call('TIME')
		for i = 1, 100000 do redis.call('ZADD', KEYS[1], (t[1] + 3600) * 1000000, 'lane ' .. i) end
		return 1`, "1", "test:{breaks}")
	require.NoError(t, reply.Error())
	require.NoError(t, f.Break(t.Context(), lane, gap))
	told := make(map[string]bool)
	for _, c := range watch(t, f).zero(t) {
		told[c.Lane] = true
	}
	assert.Equal(t, 100_001, len(told))
}
