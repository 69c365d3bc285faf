package redisfleet_test

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/redisfleet"
	"github.com/go-polite/polite/store/redisfleet/internal/network"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A cluster has three primaries with a third of the slots each. The first may have a
// replica.
type cluster struct {
	nodes   []*server
	replica *server
}

func startCluster(t *testing.T) *cluster {
	c := &cluster{}
	for i := range 3 {
		node := startNode(t)
		do(t, node.client(), fmt.Sprintf("CLUSTER ADDSLOTSRANGE %d %d", i*16384/3, (i+1)*16384/3-1))
		node.meets(c.nodes)
		c.nodes = append(c.nodes, node)
	}
	c.isUp(t, c.nodes...)
	return c
}

func startNode(t *testing.T) *server {
	bus := network.FreePort(t)
	// Lanes of other nodes go on when one is gone, however soon the cluster has noticed it.
	s := startServer(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-require-full-coverage", "no", "--cluster-port", bus, "--repl-diskless-sync-delay", "0")
	s.bus = bus
	return s
}

func (s *server) meets(nodes []*server) {
	for _, node := range nodes {
		do(s, s.client(), fmt.Sprintf("CLUSTER MEET 127.0.0.1 %s %s", node.port, node.bus))
	}
}

func (s *server) says(command string) string {
	reply := do(s, s.client(), command)
	text, err := reply.ToString()
	require.NoError(s, err)
	return text
}

// isUp waits until each node knows all others and that the cluster is up.
func (c *cluster) isUp(t *testing.T, nodes ...*server) {
	t.Helper()
	for _, node := range nodes {
		eventually(t, "the cluster is up", func() bool {
			info := node.says("CLUSTER INFO")
			return strings.Contains(info, "cluster_state:ok") && strings.Contains(info, "cluster_size:3")
		})
	}
}

// replicate starts a replica of the first node.
func (c *cluster) replicate(t *testing.T) {
	c.replica = startNode(t)
	c.replica.meets(c.nodes)
	id := c.nodes[0].says("CLUSTER MYID")
	c.isUp(t, c.replica)
	do(t, c.replica.client(), "CLUSTER REPLICATE "+id)
	eventually(t, "the replica has a copy", func() bool {
		return strings.Contains(c.replica.says("INFO replication"), "master_link_status:up")
	})
	for _, node := range c.nodes {
		eventually(t, "all know the replica", func() bool { return strings.Contains(node.says("CLUSTER NODES"), "slave "+id) })
	}
}

// eventually waits until something is so.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for range 6000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("not within a minute: " + what)
}

// size returns how many keys a server has.
func (s *server) size() int64 {
	reply := do(s, s.client(), "DBSIZE")
	n, err := reply.AsInt64()
	require.NoError(s, err)
	return n
}

// fresh returns a lane of a node that nobody has used.
func (c *cluster) fresh(t *testing.T, node *server, name string) string {
	t.Helper()
	reply := do(t, node.client(), "CLUSTER SLOTS")
	all, err := reply.ToArray()
	require.NoError(t, err)
	for i := range 1000 {
		lane := fmt.Sprint(name, i)
		reply := do(t, c.nodes[1].client(), "CLUSTER KEYSLOT", laneKey(lane))
		slot, err := reply.AsInt64()
		require.NoError(t, err)
		for _, group := range all {
			parts, _ := group.ToArray()
			from, _ := parts[0].AsInt64()
			to, _ := parts[1].AsInt64()
			at, _ := parts[2].ToArray()
			port, _ := at[1].AsInt64()
			if from <= slot && slot <= to && strconv.FormatInt(port, 10) == node.port {
				return lane
			}
		}
	}
	t.Fatal("no lane is on this node")
	return ""
}

func TestCluster(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	nodes := c.nodes
	for _, node := range nodes {
		do(t, node.client(), "ACL SETUSER crawler on >secret "+rights+quiet)
	}
	f := open(t, "redis://crawler:secret@"+nodes[0].address(), redisfleet.Options{})
	watch(t, f).zero(t)
	other := open(t, nodes[1].url(), redisfleet.Options{})
	w := watch(t, other)
	w.zero(t)

	turns := make(map[string]string)
	for i := range 50 {
		lane := fmt.Sprint("lane ", i, "{}}{a}")
		ask := store.Ask{Token: fmt.Sprint(i), Gap: gap, Slots: 1, Slack: time.Second, Lease: lease}
		assert.True(t, takes(t, f, lane, ask).Slot)
		near(t, gap+time.Second, takes(t, other, lane, gapOf("b")).Wait)
		turns[fmt.Sprint(i)] = lane
		claim, err := f.Claim(t.Context(), lane, "", gap)
		require.NoError(t, err)
		require.NoError(t, other.Put(t.Context(), lane, claim.Token, []byte("entry"), gap))
	}
	for _, node := range nodes {
		assert.Greater(t, node.size(), int64(10), "the lanes are on all nodes")
	}
	v := sees(t, nodes[0].url())
	assert.Len(t, lanesOf(t, v), 50, "a viewer sees all nodes")
	assert.Len(t, entriesOf(t, v), 50)
	lost, err := f.Renew(t.Context(), lease, turns)
	require.NoError(t, err)
	assert.Empty(t, lost)

	began := make(map[string]bool)
	for _, lane := range turns {
		require.NoError(t, f.Break(t.Context(), lane, gap))
	}
	for len(began) < len(turns) {
		for _, change := range w.zero(t) {
			began[change.Lane] = true
		}
	}

	// A node that is gone takes its lanes with it, and the others go on.
	nodes[2].kill()
	failed := 0
	for _, lane := range turns {
		if _, err := f.Take(t.Context(), lane, gapOf("c")); err != nil {
			failed++
		}
	}
	assert.Positive(t, failed)
	assert.Less(t, failed, len(turns))
	seen, unseen := 0, 0
	for _, err := range v.Lanes(t.Context()) {
		if err != nil {
			unseen++
		} else {
			seen++
		}
	}
	assert.Equal(t, 1, unseen, "a viewer tells of the node that is gone")
	assert.Equal(t, len(turns)-failed, seen)
}

// If a replica takes the place of its primary, what was written last may be lost. So the
// fleet pauses in all lanes, also if no connection is new.
func TestClusterFailover(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	c.replicate(t)
	f := open(t, c.nodes[1].url(), redisfleet.Options{})
	other := open(t, c.replica.url(), redisfleet.Options{}) // it is connected with the replica from the beginning
	used, unused := c.fresh(t, c.nodes[0], "used"), c.fresh(t, c.nodes[0], "unused")
	takes(t, f, used, gapOf("a"))
	near(t, gap, takes(t, other, used, gapOf("b")).Wait)
	w := watch(t, f)
	w.zero(t)
	eventually(t, "the replica has all", func() bool { return c.replica.size() == c.nodes[0].size() })

	c.nodes[0].kill()
	for _, f := range []*redisfleet.Fleet{f, other} {
		eventually(t, "turns go on", func() bool {
			_, err := f.Take(t.Context(), used, gapOf("c"))
			return err == nil
		})
		wait := takes(t, f, unused, gapOf("d")).Wait
		assert.Greater(t, wait, gap/2, "a pause of a gap")
		assert.LessOrEqual(t, wait, 2*gap)
		require.NoError(t, f.Done(t.Context(), unused, "d", true))
		require.NoError(t, f.Done(t.Context(), used, "c", true))
	}
	require.Error(t, w.ends(t), "what was reserved is not used any more")
	watchesAgain(t, f)
	watchesAgain(t, other)
}

// watchesAgain waits until a fleet hears again.
func watchesAgain(t *testing.T, f *redisfleet.Fleet) {
	t.Helper()
	eventually(t, "Watch hears", func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		heard := 0
		f.Watch(ctx, func(c store.Change) {
			if heard++; heard == 3 {
				cancel()
			}
		})
		return heard >= 3
	})
}

// While slots move from node to node, turns go on without a pause: nothing is lost.
func TestClusterMovesSlots(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	f := open(t, c.nodes[0].url(), redisfleet.Options{})
	from, to := c.nodes[0], c.nodes[1]
	lane := c.fresh(t, from, "moves")
	w := watch(t, f)
	w.zero(t)
	starts := 0
	take := func() {
		t.Helper()
		near(t, time.Duration(starts)*gap, takes(t, f, lane, gapOf(fmt.Sprint(starts))).Wait)
		starts++
	}
	take()
	moves := &move{from: from, to: to, nodes: c.nodes, slot: slotOf(t, from, laneKey(lane))}
	moves.begin()
	take()
	moves.keys(laneKey(lane))
	take() // ASK
	take()
	moves.end()
	take() // MOVED
	take()
	select {
	case err := <-w.err:
		t.Fatal("Watch has returned:", err)
	default:
	}
	w.zero(t)
}

// While the index moves, breaks may be told late, and Watch may return. It comes again.
func TestClusterMovesTheIndex(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	f := open(t, c.nodes[0].url(), redisfleet.Options{})
	const breaks, generation = "test:{breaks}", "test:{breaks}:generation"
	slot := slotOf(t, c.nodes[0], breaks)
	require.NoError(t, f.Break(t.Context(), "before", gap))
	w := watch(t, f)
	w.zero(t)
	i := int(slot * 3 / 16384)
	moves := &move{from: c.nodes[i], to: c.nodes[(i+1)%3], nodes: c.nodes, slot: slot}
	moves.begin()
	moves.keys(generation)
	err := f.Break(t.Context(), "meanwhile", gap)
	require.ErrorContains(t, err, "try again soon")
	moves.keys(breaks)
	require.NoError(t, f.Break(t.Context(), "meanwhile", gap))
	moves.end()
	require.Error(t, w.ends(t), "it does not hear the new node")
	require.NoError(t, f.Break(t.Context(), "after", gap))
	told := make(map[string]bool)
	eventually(t, "all breaks are told", func() bool {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		f.Watch(ctx, func(c store.Change) {
			if told[c.Lane] = true; c == (store.Change{}) {
				cancel()
			}
		})
		return told["before"] && told["meanwhile"] && told["after"]
	})
	takes(t, f, lane, gapOf("a"))
}

// What is published for a fleet stays on one node.
func TestClusterPublishesOnOneNode(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	f := open(t, c.nodes[0].url(), redisfleet.Options{})
	w := watch(t, f)
	require.NoError(t, f.Break(t.Context(), lane, gap))
	for range 5 {
		w.zero(t)
	}
	for _, node := range c.nodes {
		assert.NotContains(t, node.says("CLUSTER INFO"), "messages_publish_sent")
		assert.NotContains(t, node.says("CLUSTER INFO"), "messages_publishshard_sent")
	}
}

// A move moves a slot as redis-cli --cluster reshard does, step by step.
type move struct {
	from, to *server
	nodes    []*server
	slot     int64
}

func (m *move) begin() {
	do(m.to, m.to.client(), fmt.Sprintf("CLUSTER SETSLOT %d IMPORTING %s", m.slot, m.from.says("CLUSTER MYID")))
	do(m.from, m.from.client(), fmt.Sprintf("CLUSTER SETSLOT %d MIGRATING %s", m.slot, m.to.says("CLUSTER MYID")))
}

func (m *move) keys(key string) {
	do(m.from, m.from.client(), "MIGRATE 127.0.0.1 "+m.to.port, key, "0", "5000")
}

func (m *move) end() {
	id := m.to.says("CLUSTER MYID")
	for _, node := range append([]*server{m.to}, m.nodes...) {
		do(node, node.client(), fmt.Sprintf("CLUSTER SETSLOT %d NODE %s", m.slot, id))
	}
}

func slotOf(t *testing.T, s *server, key string) int64 {
	reply := do(t, s.client(), "CLUSTER KEYSLOT", key)
	slot, err := reply.AsInt64()
	require.NoError(t, err)
	return slot
}

// A cluster is found by any of its nodes that is there.
func TestClusterWithADeadNodeInTheURL(t *testing.T) {
	t.Parallel()
	c := startCluster(t)
	gone := net.JoinHostPort("127.0.0.1", network.FreePort(t))
	f := open(t, "redis://"+gone+"?addr="+c.nodes[1].address(), redisfleet.Options{})
	for i := range 20 {
		takes(t, f, fmt.Sprint(i), gapOf("a"))
	}
}
