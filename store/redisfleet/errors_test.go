package redisfleet_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/redis/rueidis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestServerThatDoesNotFit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, info, want string }{
		{"old Redis", "redis_version:6.2.14", "is Redis 6.2.14: Redis 7 or later is needed"},
		{"it evicts", "redis_version:7.4.1\r\nmaxmemory_policy:allkeys-lru", "set it to noeviction"},
		{"Redis 8", "redis_version:8.2.0\r\nmaxmemory_policy:noeviction", ""},
		{"a stranger", "name:value", ""},
		{"INFO is not known", "-ERR unknown command", ""},
		{"a script runs", "-BUSY Redis is busy running a script", "keeps the server busy: try again soon"},
		{"no right", "-NOPERM this user has no permissions", "the user lacks a right"},
		{"a password", "-NOAUTH Authentication required", "the server wants a password"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := startDouble(t)
			says := says{command: "INFO", reply: test.info}
			if failure, ok := strings.CutPrefix(test.info, "-"); ok {
				says.failure = failure
			}
			d.says.Store(&says)
			f, err := redisfleet.Open(t.Context(), d.url(), redisfleet.Options{Prefix: "test"})
			if test.want != "" {
				require.ErrorContains(t, err, test.want)
				return
			}
			require.NoError(t, err)
			f.Close()
		})
	}
}

func TestErrorsSayWhatToDo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ reply, want string }{
		{"NOAUTH Authentication required.", "put it into the URL"},
		{"NOPERM User x has no permissions to run the 'evalsha' command", "lacks a right"},
		{"ERR The user executing the script can't run this command or subcommand script: 1", "lacks a right"},
		{"READONLY You can't write against a read only replica.", "connect to the primary"},
		{"OOM command not allowed when used memory > 'maxmemory'.", "raise its maxmemory"},
		{"LOADING Redis is loading the dataset in memory", "try again soon"},
		{"CLUSTERDOWN The cluster is down", "CLUSTER INFO"},
		{"MISCONF Redis is configured to save RDB snapshots", "disk"},
		{"ERR something else", "something else"},
	} {
		t.Run(test.reply, func(t *testing.T) {
			d := startDouble(t)
			f := open(t, d.url(), redisfleet.Options{})
			d.says.Store(&says{command: "EVALSHA", failure: test.reply})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			_, err := f.Take(ctx, lane, gapOf("a"))
			require.ErrorContains(t, err, test.want)
			assert.True(t, strings.HasPrefix(err.Error(), "redisfleet: "), err)
			assert.ErrorContains(t, f.Break(ctx, lane, gap), test.want)
			_, err = f.Claim(ctx, "key", "", gap)
			assert.ErrorContains(t, err, test.want)
			assert.ErrorContains(t, f.Put(ctx, "key", "token", nil, gap), test.want)
			_, err = f.Renew(ctx, lease, map[string]string{"a": lane})
			assert.ErrorContains(t, err, test.want)
			assert.ErrorContains(t, f.Watch(ctx, func(store.Change) {}), test.want)
		})
	}
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	s := startServer(t, "--requirepass", "secret")
	nobody := "127.0.0.1:" + network.FreePort(t)
	for _, test := range []struct{ name, url, prefix, want string }{
		{"no server", "redis://" + nobody, "test", "could not be reached"},
		{"no password", "redis://" + s.address(), "test", "put it into the URL"},
		{"a wrong password", "redis://:wrong@" + s.address(), "test", "does not take this user"},
		{"no URL", "http://:hidden@example.org", "test", "redis://"},
		{"a broken URL", "redis://:hidden@%zz", "test", "URL"},
		{"no prefix", "redis://:secret@" + s.address(), "", "Options.Prefix is empty"},
		{"a prefix with braces", "redis://:secret@" + s.address(), "a{b}", "Options.Prefix"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := redisfleet.Open(t.Context(), test.url, redisfleet.Options{Prefix: test.prefix})
			require.ErrorContains(t, err, test.want)
			assert.NotContains(t, err.Error(), "hidden")
			assert.NotContains(t, err.Error(), "secret")
		})
	}
	open(t, "redis://:secret@"+s.address(), redisfleet.Options{})
}

func TestReplica(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	replica := startServer(t, "--replicaof", "127.0.0.1 "+s.port)
	_, err := redisfleet.Open(t.Context(), replica.url(), redisfleet.Options{Prefix: "test"})
	require.ErrorContains(t, err, "replica")
}

// When memory is full, turns fail, and nothing is half written.
func TestMemoryIsFull(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	c := s.client()
	f := open(t, s.url(), redisfleet.Options{})
	takes(t, f, lane, store.Ask{Token: "a", Gap: gap, Slack: time.Second, Slots: 1, Lease: gap})
	claim, err := f.Claim(t.Context(), "key", "", gap)
	require.NoError(t, err)
	do(t, c, "CONFIG SET maxmemory 1")
	_, err = f.Take(t.Context(), lane, gapOf("b"))
	require.ErrorContains(t, err, "out of memory")
	_, err = f.Take(t.Context(), "another", gapOf("b"))
	require.ErrorContains(t, err, "out of memory")
	require.ErrorContains(t, f.Break(t.Context(), lane, gap), "out of memory")
	require.ErrorContains(t, f.Put(t.Context(), "key", claim.Token, []byte("entry"), gap), "out of memory")
	_, err = f.Claim(t.Context(), "another", "", gap)
	require.ErrorContains(t, err, "out of memory")
	for _, key := range []string{"test:t:*", "test:e:*"} {
		reply := do(t, c, "KEYS", key)
		found, _ := reply.AsStrSlice()
		for _, key := range found {
			left := do(t, c, "PTTL", key)
			n, _ := left.AsInt64()
			assert.Positive(t, n, "a key without end: %s", key)
		}
	}
	do(t, c, "CONFIG SET maxmemory 0")
	near(t, gap+time.Second, takes(t, f, lane, gapOf("b")).Wait)
	require.NoError(t, f.Put(t.Context(), "key", claim.Token, []byte("entry"), gap))
}

func TestClosed(t *testing.T) {
	t.Parallel()
	d := startDouble(t)
	f := open(t, d.url(), redisfleet.Options{})
	w := watch(t, f)
	w.zero(t)
	f.Close()
	f.Close()
	require.ErrorContains(t, w.ends(t), "closed")
	_, err := f.Take(t.Context(), lane, gapOf("a"))
	require.ErrorContains(t, err, "closed")
	_, err = f.Claim(t.Context(), "key", "", gap)
	require.ErrorContains(t, err, "closed")
	require.ErrorContains(t, f.Watch(t.Context(), func(store.Change) {}), "closed")
}

func TestNewLeavesTheClientOpen(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	c := s.client()
	f, err := redisfleet.New(t.Context(), c, redisfleet.Options{Prefix: "test"})
	require.NoError(t, err)
	takes(t, f, lane, gapOf("a"))
	do(t, s.client(), "CLIENT KILL TYPE normal")
	f.Take(t.Context(), lane, gapOf("b"))
	near(t, gap, takes(t, f, "other", gapOf("b")).Wait)

	w := watch(t, f)
	w.zero(t)
	do(t, c, "CLIENT KILL TYPE pubsub")
	require.Error(t, w.ends(t))
	near(t, gap, takes(t, f, "another", gapOf("b")).Wait)
	f.Close()
	_, err = f.Take(t.Context(), lane, gapOf("c"))
	require.ErrorContains(t, err, "closed")
	do(t, c, "PING")
}

// Two versions of this module that keep data otherwise do not share a prefix.
func TestOtherLayout(t *testing.T) {
	t.Parallel()
	on(t, func(t *testing.T, c rueidis.Client, f *redisfleet.Fleet) {
		const generation = "test:{breaks}:generation"
		address := slices.Collect(maps.Keys(c.Nodes()))[0]
		do(t, c, "HSET", generation, "layout", "99")
		_, err := redisfleet.Open(t.Context(), "redis://"+address, redisfleet.Options{Prefix: "test"})
		require.ErrorContains(t, err, "delete the key "+generation)
		require.ErrorContains(t, watch(t, f).ends(t), "another version")
		open(t, "redis://"+address, redisfleet.Options{Prefix: "other"})
		do(t, c, "DEL", generation)
		open(t, "redis://"+address, redisfleet.Options{})
		watchesAgain(t, f)
	})
}
