package robots_test

import (
	"testing"

	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/require"
)

// On real files a walk and a scan find the same rules, for the queries of every file and
// for queries of other files. No query takes a walk by itself.
func TestWalkCorpus(t *testing.T) {
	long.NotShort(t)
	bodies, cases := corpus.Load(t)
	files := make(map[string]*robots.File, len(bodies))
	for host, body := range bodies {
		files[host] = robots.Parse(body)
	}
	most := 0
	for i, c := range cases {
		for _, other := range []corpus.Case{c, cases[(i+7919)%len(cases)]} {
			rules := files[c.Host].Rules(c.Agent)
			wantRule, wantOK := rules.MatchByScan(other.URL)
			gotRule, gotOK := rules.MatchByWalk(other.URL)
			require.Equal(t, wantOK, gotOK, "%s at %s", other.URL, c.Host)
			require.Equal(t, wantRule, gotRule, "%s at %s", other.URL, c.Host)
			steps, walked := rules.Steps(other.URL)
			require.False(t, walked, "%s at %s", other.URL, c.Host)
			most = max(most, steps)
		}
	}
	t.Log("at most", most, "steps")
}
