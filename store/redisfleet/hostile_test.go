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

// junk is what may stand where a number should.
func junk() []string {
	return []string{
		"", " ", "-", "nan", "-nan", "inf", "-inf", "1e300", "-1e300", "-1", "0", "1", "0x10", "1.5", " 1", "1 ", "999999999999999",
		"9007199254740993", "9999999999999999", "99999999999999999999", "1e15 1 1", "-1 -1 -1", "nan nan nan", "0 0 0",
		"9007199254740992 86400000000 86400000000", "9007199254740992 0 0", "1 99999999999999 1", "1 1 1 1", "{}", "\x00", "\xff",
		strings.Repeat("9", 1<<20), strings.Repeat("1 ", 1<<19),
	}
}

// on runs a test on the double and on a server.
func on(t *testing.T, f func(t *testing.T, c rueidis.Client, fleet *redisfleet.Fleet)) {
	t.Run("double", func(t *testing.T) {
		t.Parallel()
		d := startDouble(t)
		f(t, connect(t, d.Addr()), open(t, d.url(), redisfleet.Options{}))
	})
	t.Run("server", func(t *testing.T) {
		t.Parallel()
		s := startServer(t)
		f(t, s.client(), open(t, s.url(), redisfleet.Options{}))
	})
}

// key returns the only key that matches a pattern.
func key(t *testing.T, c rueidis.Client, pattern string) string {
	t.Helper()
	reply := do(t, c, "KEYS", pattern)
	found, err := reply.AsStrSlice()
	require.NoError(t, err)
	require.Len(t, found, 1)
	return found[0]
}

// recovers checks that a lane, whatever is in it, goes on: the next starts come within some
// time and a gap apart.
func recovers(t *testing.T, f *redisfleet.Fleet, what string, most time.Duration) {
	t.Helper()
	var last time.Time // the soonest that the start before can be
	for i := range 3 {
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		grant, err := f.Take(ctx, lane, store.Ask{Token: fmt.Sprint("new", i), Gap: gap})
		cancel()
		if !assert.NoError(t, err, "%.80q", what) {
			return
		}
		assert.LessOrEqual(t, grant.Wait, most+time.Duration(i+2)*gap, "%.80q", what)
		if i > 0 {
			assert.Greater(t, time.Now().Add(grant.Wait).Sub(last), gap-time.Millisecond, "%.80q", what)
		}
		last = began.Add(grant.Wait)
	}
	assert.NoError(t, f.Done(t.Context(), lane, "new2", true), "%.80q", what)
	assert.NoError(t, f.Break(t.Context(), lane, time.Millisecond), "%.80q", what)
	_, err := f.Renew(t.Context(), lease, map[string]string{"slot": lane})
	assert.NoError(t, err, "%.80q", what)
}

// spoiled returns what becomes of a value when junk is put in each place of it.
func spoiled(value string) (all []string) {
	for i := 0; i < len(value); i++ {
		for _, digit := range []string{"9", "0", "A", " ", "-", "e", "\x00"} {
			all = append(all, value[:i]+digit+value[i+1:])
		}
	}
	for _, field := range []int{0, 7, 8, 15, 22, 30, 37, 44, 51, 58, 66} {
		for _, junk := range junk() {
			if field+len(junk) <= len(value) {
				all = append(all, value[:field]+junk+value[field+len(junk):])
			}
		}
	}
	return all
}

func TestHostileLane(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c rueidis.Client, f *redisfleet.Fleet) {
		takes(t, f, lane, store.Ask{Token: "slot", Gap: time.Millisecond, Slots: 1 << 20, Lease: lease})
		require.NoError(t, f.Break(t.Context(), lane, time.Millisecond))
		key := key(t, c, "test:t:*")
		reply := do(t, c, "GET", key)
		value, err := reply.ToString()
		require.NoError(t, err)
		for _, value := range junk() {
			do(t, c, "SET", key, value)
			recovers(t, f, value, gap)
		}
		for _, value := range spoiled(value) { // it may still make sense
			do(t, c, "SET", key, value)
			recovers(t, f, value, 100*24*time.Hour)
		}
	})
}

// What others publish is only heard. If it says that news were lost, Watch begins again.
func TestHostileMessages(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c rueidis.Client, f *redisfleet.Fleet) {
		w := watch(t, f)
		w.zero(t)
		for _, message := range junk() {
			do(t, c, "PUBLISH test:{breaks}:news", message)
			do(t, c, "PUBLISH test:{breaks}:news", message+" "+message+" "+message)
			do(t, c, "PUBLISH test:{breaks}:news", message+" entry "+message)
		}
		require.ErrorContains(t, w.ends(t), "lost")
		for len(w.changes) > 0 {
			assert.LessOrEqual(t, (<-w.changes).Break, 24*time.Hour)
		}
		require.NoError(t, f.Break(t.Context(), lane, gap))
		w = watch(t, f)
		told := w.zero(t)
		require.Len(t, told, 1)
		assert.Equal(t, lane, told[0].Lane)
		for range 5 {
			w.zero(t)
		}
	})
}

func TestHostileEntry(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c rueidis.Client, f *redisfleet.Fleet) {
		ctx := t.Context()
		claim, err := f.Claim(ctx, "key", "", gap)
		require.NoError(t, err)
		require.NoError(t, f.Put(ctx, "key", claim.Token, []byte("entry"), gap))
		key := key(t, c, "test:e:*")
		do(t, c, "DEL", key)
		works := func(what string) {
			claim, err := f.Claim(ctx, "key", "", gap)
			if !assert.NoError(t, err, "%.80q", what) {
				return
			}
			if claim.Version != "" {
				claim, err = f.Claim(ctx, "key", claim.Version, gap)
				assert.NoError(t, err, "%.80q", what)
			}
			assert.LessOrEqual(t, claim.Wait, 25*time.Hour, "%.80q", what)
			if claim.Token != "" {
				assert.NoError(t, f.Put(ctx, "key", claim.Token, []byte("entry"), gap), "%.80q", what)
			}
			do(t, c, "DEL", key)
		}
		claim, err = f.Claim(ctx, "key", "", gap)
		require.NoError(t, err)
		reply := do(t, c, "GET", key)
		claimed, _ := reply.ToString()
		require.NoError(t, f.Put(ctx, "key", claim.Token, []byte("entry"), gap))
		reply = do(t, c, "GET", key)
		stored, _ := reply.ToString()
		for _, value := range slices.Concat(spoiled(claimed), spoiled(stored), junk()) {
			do(t, c, "SET", key, value)
			works(value)
		}
	})
}

func TestBracesInNames(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c rueidis.Client, f *redisfleet.Fleet) {
		for _, lane := range []string{"{}x}", "{", "}", "{}{}", "{a}{b}", "a}{b"} {
			takes(t, f, lane, gapOf("a"))
			near(t, gap, takes(t, f, lane, gapOf("b")).Wait)
		}
	})
}

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

// A break is kept and told, whatever stands in the place of the index, and in it.
func TestIndexOfEachType(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c rueidis.Client, f *redisfleet.Fleet) {
		const breaks, generation = "test:{breaks}", "test:{breaks}:generation"
		for _, score := range []string{"inf", "-inf", "-1", "1e300", "0", "1.5", "99999999999999999999"} {
			do(t, c, "ZADD", breaks, score, lane)
			do(t, c, "ZADD", breaks, score, strings.Repeat("x", 1<<16))
			tells(t, f, score)
		}
		for _, key := range []string{breaks, generation} {
			for _, create := range hostile(t) {
				if makes(t, c, create, key) {
					tells(t, f, create)
				}
			}
		}
		for _, field := range []string{"id", "lost", "n", "layout"} {
			values := append(junk(), strings.Repeat("9", 16<<20))
			if field == "layout" { // a number may be that of another version
				values = []string{"", "x", "-1", values[len(values)-1]}
			}
			for _, junk := range values {
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
