package sites_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/sites"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A line names a group, and all lines that name it have one.
func TestGroupOfALine(t *testing.T) {
	table, err := sites.Parse("sites.txt", `
www.example.com    delay=4s group=domain group-delay=500ms
192.0.2.7          group=address group-concurrency=2
one.example        group=farm group-delay=1s group-concurrency=3
.two.example       delay=2s group=farm group-delay=1s group-concurrency=3
three.example      group=none
four.example       delay=1s
`)
	require.NoError(t, err)
	for url, want := range map[string]struct {
		key         string
		delay       time.Duration
		concurrency int
	}{
		"http://www.example.com/": {"example.com", 500 * time.Millisecond, 0},
		"http://192.0.2.7/":       {"192.0.2.7", 0, 2},
		"http://one.example/":     {"farm", time.Second, 3},
		"http://a.two.example/":   {"farm", time.Second, 3},
	} {
		group := table.Site(request(url)).Pace.Group
		require.NotNil(t, group, url)
		assert.Equal(t, want.key, group.Key(request(url)), url)
		assert.Equal(t, want.delay, group.MinDelay, url)
		assert.Equal(t, want.concurrency, group.Concurrency, url)
	}
	none := table.Site(request("http://three.example/")).Pace.Group
	require.NotNil(t, none, "so that the group of Transport.Pace does not count")
	assert.Nil(t, none.Key)
	assert.Nil(t, table.Site(request("http://four.example/")).Pace.Group, "that of Transport.Pace counts")
}

// A group has one gap and one limit.
func TestGroupOfLinesThatDiffer(t *testing.T) {
	for _, other := range []string{"group-delay=2s", "group-concurrency=2", "group-delay=1s group-concurrency=2"} {
		_, err := sites.Parse("sites.txt", "one.example group=farm group-delay=1s\ntwo.example group=farm "+other)
		assert.EqualError(t, err, "sites.txt:2:1: group=farm has another gap or limit on line 1: write the same on both", other)
	}
}
