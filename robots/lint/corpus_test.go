package lint_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/robots/lint"
)

// The checks find something in real files, and what most files have is no error.
func TestCorpus(t *testing.T) {
	bodies, err := corpus.Files(corpus.Dir(t))
	require.NoError(t, err)
	findings, files := make(map[string]int), make(map[string]int)
	silent := 0
	for _, host := range slices.Sorted(maps.Keys(bodies)) {
		found := lint.Lint(bodies[host])
		if len(found) == 0 {
			silent++
		}
		in := make(map[string]bool)
		for _, f := range found {
			findings[f.ID]++
			in[f.ID] = true
		}
		for id := range in {
			files[id]++
		}
	}
	t.Logf("%d of %d files without a finding", silent, len(bodies))
	all := lint.Checks()
	slices.SortFunc(all, func(a, b lint.Check) int { return cmp.Compare(files[b.ID], files[a.ID]) })
	for _, c := range all {
		t.Logf("%7d in %4d files: %-8s %s", findings[c.ID], files[c.ID], c.Severity, c.ID)
		if c.Severity == lint.Error {
			assert.Less(t, files[c.ID], len(bodies)/5, "%s is an error, and so common", c.ID)
		}
	}
}
