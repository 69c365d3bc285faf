package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each mutation can be applied to the code as it is, and its test is there.
func TestMutationsApply(t *testing.T) {
	mechanisms := make(map[string]bool)
	all, err := mutations("../../..")
	require.NoError(t, err)
	for _, m := range all {
		t.Run(m.without, func(t *testing.T) {
			assert.False(t, mechanisms[m.file+m.without], "it is there twice")
			mechanisms[m.file+m.without] = true
			mutant, _, err := m.apply("../../..")
			assert.NoError(t, err)
			if strings.HasSuffix(m.file, ".go") {
				_, err = parser.ParseFile(token.NewFileSet(), m.file, mutant, parser.SkipObjectResolution)
				assert.NoError(t, err)
			}
			assert.Len(t, m.folders, 1, "that have %s", m.test)
		})
	}
}
