package main

import (
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What nginx refuses to polite is one answer a break beside those that were under way. A
// break takes at least a second, so this holds on a slow machine, too.
// It needs a machine that serves in time, so no change is judged by it: internal/lab/manners has
// models of such sites in virtual time.
func TestShortCrawls(t *testing.T) {
	long.Only(t)
	if _, err := exec.LookPath("nginx"); err != nil {
		t.Skip("nginx is not installed")
	}
	const long = 4 * time.Second
	all := []site{limited(5, 0, ""), limited(20, 10, "nodelay"), limited(1, 10, ""), sites()[9], sites()[10]}
	clients := installed()
	results, err := compare(t.Context(), all, clients, end{long: long}, len(all))
	require.NoError(t, err)
	printTable(t.Output(), all, clients, results)

	ours := slices.IndexFunc(clients, func(c client) bool { return c.name == "polite" })
	for i, s := range all {
		for j, r := range results[i] {
			assert.Positive(t, r.good, "%s at %s", clients[j].name, s.name)
			if s.behind == "" { // the second at its end may be begun
				assert.LessOrEqual(t, float64(r.good), s.allows(long)+1, "%s at %s", clients[j].name, s.name)
			}
		}
		assert.LessOrEqual(t, results[i][ours].bad, 2+2*int(long/time.Second), s.name)
	}
	assert.Positive(t, results[0][0].bad, "nginx refuses what is too much")
	assert.Zero(t, results[3][ours].bad, "a server that refuses nothing")
}
