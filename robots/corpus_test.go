package robots_test

import (
	"testing"

	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// Google's parser and this package give the same verdicts, by the same lines, except for
// the known causes.
func TestCorpus(t *testing.T) {
	bodies, cases := corpus.Load(t)
	files := make(map[string]*robots.File, len(bodies))
	for host, body := range bodies {
		files[host] = robots.Parse(body)
	}
	differ := make(map[corpus.Cause]int)
	for _, c := range cases {
		rule, ok := files[c.Host].Rules(c.Agent).Match(c.URL)
		allowed := !ok || rule.Allow
		if allowed == c.Allowed && (!ok || rule.Line == c.Line) {
			continue
		}
		cause := c.Cause(bodies[c.Host])
		assert.NotEmptyf(t, cause, "%s for %s at %s: by line %d; Google: %t by line %d", c.URL, c.Agent, c.Host, rule.Line, c.Allowed, c.Line)
		if allowed != c.Allowed {
			differ[cause]++
		}
	}
	for _, cause := range corpus.Causes() {
		t.Logf("%6d differ: %s", differ[cause], cause)
	}
}
