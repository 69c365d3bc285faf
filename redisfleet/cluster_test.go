package redisfleet_test

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/redis/rueidis"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/redisfleet"
)

func TestCluster(t *testing.T) {
	if _, err := exec.LookPath("redis-cli"); err != nil {
		t.Skip("redis-cli is not installed")
	}
	args := []string{"--cluster", "create"}
	var nodes []*server
	for range 3 {
		s := startServer(t, "--cluster-enabled", "yes", "--cluster-node-timeout", "1000", "--cluster-port", freePort(t))
		nodes = append(nodes, s)
		args = append(args, s.address())
	}
	out, err := exec.Command("redis-cli", append(args, "--cluster-yes")...).CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, node := range nodes {
		isUp(t, node.client())
	}
	f := open(t, nodes[0].url(), redisfleet.Options{})
	other := open(t, nodes[1].url(), redisfleet.Options{})
	w := watch(t, other)
	w.zero(t)

	turns := make(map[string]string)
	for i := range 50 {
		lane := fmt.Sprint("lane ", i, "{}}{a}")
		ask := polite.Ask{Token: fmt.Sprint(i), Gap: gap, Slots: 1, Slack: time.Second, Lease: lease}
		assert.True(t, takes(t, f, lane, ask).Slot)
		near(t, gap+time.Second, takes(t, other, lane, gapOf("b")).Wait)
		turns[fmt.Sprint(i)] = lane
		claim, err := f.Claim(t.Context(), lane, "", gap)
		require.NoError(t, err)
		require.NoError(t, other.Put(t.Context(), lane, claim.Token, []byte("record"), gap))
	}
	for _, node := range nodes {
		c := node.client()
		reply := do(t, c, "DBSIZE")
		n, _ := reply.AsInt64()
		assert.Greater(t, n, int64(10), "the lanes are on all nodes")
	}
	v := sees(t, nodes[0].url())
	assert.Len(t, lanesOf(t, v), 50, "a viewer sees all nodes")
	assert.Len(t, recordsOf(t, v), 50)
	lost, err := f.Renew(t.Context(), lease, turns)
	require.NoError(t, err)
	assert.Empty(t, lost)

	held := make(map[string]bool)
	for _, lane := range turns {
		require.NoError(t, f.Hold(t.Context(), lane, gap))
	}
	for len(held) < len(turns) {
		for _, change := range w.zero(t) {
			held[change.Lane] = true
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

// isUp waits until a node knows that the cluster is up.
func isUp(t *testing.T, c rueidis.Client) {
	t.Helper()
	for range 1000 {
		reply := do(t, c, "CLUSTER INFO")
		if info, _ := reply.ToString(); strings.Contains(info, "cluster_state:ok") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the cluster does not come up")
}
