package redisfleet_test

import (
	"context"
	"fmt"
	"maps"
	"os"
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

// sees returns a viewer of the fleet of a test.
func sees(t testing.TB, url string) *redisfleet.Viewer {
	t.Helper()
	v, err := redisfleet.OpenViewer(url, "test")
	require.NoError(t, err)
	t.Cleanup(v.Close)
	return v
}

func lanesOf(t testing.TB, v *redisfleet.Viewer) map[string]redisfleet.Lane {
	t.Helper()
	lanes := make(map[string]redisfleet.Lane)
	for l, err := range v.Lanes(t.Context()) {
		require.NoError(t, err)
		lanes[l.Name] = l
	}
	return lanes
}

func entriesOf(t testing.TB, v *redisfleet.Viewer) (entries []redisfleet.Entry) {
	t.Helper()
	for r, err := range v.Entries(t.Context()) {
		require.NoError(t, err)
		entries = append(entries, r)
	}
	return entries
}

// viewed runs a test on the double and on a server, each with a fleet and its viewer.
func viewed(t *testing.T, f func(t *testing.T, c rueidis.Client, fleet *redisfleet.Fleet, v *redisfleet.Viewer)) {
	t.Run("double", func(t *testing.T) {
		d := startDouble(t)
		f(t, connect(t, d.Addr()), open(t, d.url(), redisfleet.Options{}), sees(t, d.url()))
	})
	t.Run("server", func(t *testing.T) {
		s := startServer(t)
		f(t, s.client(), open(t, s.url(), redisfleet.Options{}), sees(t, s.url()))
	})
}

func TestLanes(t *testing.T) {
	t.Parallel()
	viewed(t, func(t *testing.T, c rueidis.Client, f *redisfleet.Fleet, v *redisfleet.Viewer) {
		assert.Empty(t, lanesOf(t, v))
		takes(t, f, "gap", gapOf("a"))
		takes(t, f, "gap", gapOf("b"))
		takes(t, f, "slots", slot("c", 2))
		takes(t, f, "slots", slot("d", 2))
		require.NoError(t, f.Break(t.Context(), "break", 3*gap))
		do(t, c, "SET tests:t:0123456789abcdef others")

		lanes := lanesOf(t, v)
		assert.ElementsMatch(t, []string{"gap", "slots", "break"}, slices.Collect(maps.Keys(lanes)))
		near(t, 2*gap, lanes["gap"].Wait)
		require.Len(t, lanes["gap"].Starts, 1, "the first has begun")
		near(t, gap, lanes["gap"].Starts[0].Wait)
		assert.Equal(t, gap, lanes["gap"].Starts[0].Gap)
		assert.Empty(t, lanes["gap"].Slots)
		require.Len(t, lanes["slots"].Slots, 2)
		near(t, lease, lanes["slots"].Slots[1].Left)
		assert.NotEqual(t, lanes["slots"].Slots[0].Token, lanes["slots"].Slots[1].Token)
		near(t, 3*gap, lanes["break"].Break)
		near(t, 3*gap, lanes["break"].Wait)
		for _, l := range lanes {
			assert.False(t, l.Damaged)
			reply := do(t, c, "STRLEN", l.Key)
			size, _ := reply.AsInt64()
			assert.EqualValues(t, size, l.Bytes)
		}
	})
}

// The wait that a viewer tells is the one that the next to come gets.
func TestLaneWaitIsTrue(t *testing.T) {
	t.Parallel()
	viewed(t, func(t *testing.T, _ rueidis.Client, f *redisfleet.Fleet, v *redisfleet.Viewer) {
		for i := range 5 {
			takes(t, f, lane, store.Ask{Token: fmt.Sprint(i), Gap: gap, Slack: time.Duration(i) * gap / 10})
			if i == 3 {
				require.NoError(t, f.Break(t.Context(), lane, 7*gap))
			}
			told := lanesOf(t, v)[lane].Wait
			near(t, told, takes(t, f, lane, gapOf("next")).Wait)
			require.NoError(t, f.Done(t.Context(), lane, "next", true))
		}
	})
}

func TestEntries(t *testing.T) {
	t.Parallel()
	viewed(t, func(t *testing.T, _ rueidis.Client, f *redisfleet.Fleet, v *redisfleet.Viewer) {
		ctx := t.Context()
		put := func(key string, lease time.Duration) {
			claim, err := f.Claim(ctx, key, "", lease)
			require.NoError(t, err)
			require.NoError(t, f.Put(ctx, key, claim.Token, []byte(strings.Repeat("x", 1<<16)), gap))
		}
		claimed, err := f.Claim(ctx, "claimed", "", lease)
		require.NoError(t, err)
		long := strings.Repeat("long", 1<<12)
		_, err = f.Claim(ctx, long, "", lease)
		require.NoError(t, err)
		put("kept", lease)
		put("refreshed", lease)
		known, err := f.Claim(ctx, "refreshed", "", 0)
		require.NoError(t, err)
		again, err := f.Claim(ctx, "refreshed", known.Version, lease)
		require.NoError(t, err)

		byToken := make(map[string]redisfleet.Entry)
		for _, r := range entriesOf(t, v) {
			assert.False(t, r.Damaged)
			assert.Greater(t, r.Bytes, 100)
			byToken[r.Token] = r
		}
		require.Len(t, byToken, 4)
		assert.Equal(t, "claimed", byToken[claimed.Token].Name)
		assert.False(t, byToken[claimed.Token].Kept)
		near(t, lease, byToken[claimed.Token].Claim)
		assert.True(t, byToken[again.Token].Kept)
		near(t, lease, byToken[again.Token].Claim)
		assert.True(t, byToken[""].Kept)
		assert.Zero(t, byToken[""].Claim)
		assert.GreaterOrEqual(t, byToken[""].Age, time.Duration(0))
		assert.Less(t, byToken[""].Age, gap)
		assert.Greater(t, byToken[""].Bytes, 1<<16)
	})
}

// A lane may be longer than what is read at first.
func TestLongLane(t *testing.T) {
	t.Parallel()
	viewed(t, func(t *testing.T, _ rueidis.Client, f *redisfleet.Fleet, v *redisfleet.Viewer) {
		for i := range 500 {
			takes(t, f, lane, store.Ask{Token: fmt.Sprint(i), Slots: 500, Lease: time.Hour}) // none ends meanwhile
		}
		assert.Len(t, lanesOf(t, v)[lane].Slots, 500)
	})
}

// Whatever is in the keys, a viewer goes on, and tells the other lanes.
func TestViewOfDamage(t *testing.T) {
	t.Parallel()
	viewed(t, func(t *testing.T, c rueidis.Client, f *redisfleet.Fleet, v *redisfleet.Viewer) {
		takes(t, f, lane, store.Ask{Token: "slot", Gap: gap, Slots: 1, Lease: lease})
		takes(t, f, "other", gapOf("a"))
		_, err := f.Claim(t.Context(), "key", "", time.Hour) // it does not end meanwhile
		require.NoError(t, err)
		laneKey, entryKey := lanesOf(t, v)[lane].Key, entriesOf(t, v)[0].Key
		whole := []string{}
		for _, key := range []string{laneKey, entryKey} {
			reply := do(t, c, "GET", key)
			text, err := reply.ToString()
			require.NoError(t, err)
			whole = append(whole, text)
		}
		works := func(what string) {
			lanes := lanesOf(t, v)
			require.Contains(t, lanes, "other", "%.80q", what)
			for _, l := range lanes {
				within(t, what, l.Wait, l.Break)
				for _, s := range l.Starts {
					within(t, what, s.Wait, s.Gap, s.Slack)
				}
				for _, s := range l.Slots {
					within(t, what, s.Left)
				}
			}
			for _, r := range entriesOf(t, v) {
				within(t, what, r.Claim)
			}
		}
		for _, text := range junk() {
			do(t, c, "SET", laneKey, text)
			do(t, c, "SET", entryKey, text)
			works(text)
		}
		for _, create := range []string{"HSET %s x y", "RPUSH %s x", "ZADD %s 1 x", "SADD %s x"} {
			for _, key := range []string{laneKey, entryKey} {
				do(t, c, "DEL", key)
				do(t, c, fmt.Sprintf(create, key))
			}
			works(create)
			assert.True(t, lanesOf(t, v)[""].Damaged, create)
			assert.True(t, entriesOf(t, v)[0].Damaged, create)
		}
		do(t, c, "SET", laneKey, strings.Replace(whole[0], "example", "exAmple", 1))
		assert.True(t, lanesOf(t, v)[""].Damaged, "a name under the key of another")
		do(t, c, "SET", entryKey, strings.TrimSuffix(whole[1], "key")+"other")
		assert.Empty(t, entriesOf(t, v)[0].Name)
		assert.Positive(t, entriesOf(t, v)[0].Claim)
		do(t, c, "SET", "test:t:", "x")
		do(t, c, "SET", "test:t:short", "x")
		works("other keys")
	})
}

// within checks that times are such as a fleet may have: no start is further away than 60 days.
func within(t *testing.T, what string, times ...time.Duration) {
	t.Helper()
	for _, d := range times {
		assert.GreaterOrEqual(t, d, time.Duration(0), "%.80q", what)
		assert.LessOrEqual(t, d, 60*24*time.Hour, "%.80q", what)
	}
}

// A viewer writes nothing, and calls only what the documentation lets it call.
func TestViewerRights(t *testing.T) {
	t.Parallel()
	const rights = "resetchannels %R~test:* -@all +scan +getrange +strlen +time +info +ping +cluster|slots +cluster|shards"
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	assert.Contains(t, string(doc), strings.ReplaceAll(rights, "test:", "p:")+"\n")
	s := startServer(t)
	c := s.client()
	takes(t, open(t, s.url(), redisfleet.Options{}), lane, gapOf("a"))
	look := func() error {
		v, err := redisfleet.OpenViewer("redis://operator:secret@"+s.address(), "test")
		require.NoError(t, err)
		defer v.Close()
		for _, err := range v.Lanes(t.Context()) {
			if err != nil {
				return err
			}
		}
		return nil
	}
	do(t, c, "ACL SETUSER operator reset on >secret "+rights)
	require.NoError(t, look())
	reply := do(t, c, "ACL LOG")
	log, err := reply.ToArray()
	require.NoError(t, err)
	assert.Empty(t, log)
	for right := range strings.FieldsSeq("+scan +getrange +strlen +time +info") {
		do(t, c, "ACL SETUSER operator reset on >secret "+strings.Replace(rights+" ", " "+right+" ", " ", 1))
		require.ErrorContains(t, look(), "lacks a right", right)
	}
}

func TestViewerEnds(t *testing.T) {
	t.Parallel()
	viewed(t, func(t *testing.T, _ rueidis.Client, f *redisfleet.Fleet, v *redisfleet.Viewer) {
		for i := range 600 {
			takes(t, f, fmt.Sprint(i), gapOf("a"))
		}
		assert.Len(t, lanesOf(t, v), 600)
		for range v.Lanes(t.Context()) {
			break
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		n, failed := 0, 0
		for _, err := range v.Lanes(ctx) {
			cancel()
			n++
			if err != nil {
				failed++
				assert.ErrorIs(t, err, context.Canceled)
			}
		}
		assert.Equal(t, 1, failed)
		assert.LessOrEqual(t, n, 600)
	})
}

func TestViewerOfNothing(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	_, err := redisfleet.OpenViewer(d.url(), "")
	require.ErrorContains(t, err, "is empty")
	_, err = redisfleet.OpenViewer("redis://x:secret@:port", "test")
	require.ErrorContains(t, err, "the URL")
	assert.NotContains(t, err.Error(), "secret")
	v := sees(t, d.url())
	assert.Empty(t, lanesOf(t, v))
	assert.Empty(t, entriesOf(t, v))
	assert.Empty(t, d.Keys(), "it writes nothing")
	d.says.Store(&says{command: "INFO", reply: "role:slave"})
	do(t, connect(t, d.Addr()), "SET test:t:0123456789abcdef x")
	assert.Empty(t, lanesOf(t, v), "the primary has what a replica has")
	d.Close()
	for _, err := range v.Lanes(t.Context()) {
		assert.ErrorContains(t, err, "could not be reached")
	}
}

// A lane takes few octets of the server, and its name comes back as it was.
func TestLaneIsShort(t *testing.T) {
	t.Parallel()
	viewed(t, func(t *testing.T, _ rueidis.Client, f *redisfleet.Fleet, v *redisfleet.Viewer) {
		for name, octets := range map[string]int{
			"origin https://www.example12345.org:443":        20,
			"origin https://:443":                            0,
			"origin https://example.org:444":                 30,
			"origin http://example.org:443":                  29,
			"origin https://example.org:443 203.0.113.7:443": 27,
			"origin https://":                                15,
			"~example.org":                                   12,
			"=":                                              1,
			"":                                               0,
		} {
			takes(t, f, name, gapOf("a"))
			lanes := lanesOf(t, v)
			require.Contains(t, lanes, name)
			assert.False(t, lanes[name].Damaged, name)
			assert.Len(t, lanes[name].Key, len("test:t:")+16)
			assert.Equal(t, 7+29+1+octets, lanes[name].Bytes, "%s: when it was written, a start, a tag, and what tells its name", name)
			near(t, 2*gap, takes(t, f, name, gapOf("b")).Wait+gap)
		}
	})
}

// What another fleet keeps is no lane of this one, whatever its prefix is.
func TestViewerOfAFleetBesideAnother(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	other := open(t, d.url(), redisfleet.Options{Prefix: "test:t"})
	require.NoError(t, other.Teach(t.Context(), lane, 0, "lesson", time.Minute))
	v, err := redisfleet.OpenViewer(d.url(), "test")
	require.NoError(t, err)
	defer v.Close()
	for l, err := range v.Lanes(t.Context()) {
		require.NoError(t, err)
		assert.Fail(t, "it is no lane", l.Key)
	}
}
