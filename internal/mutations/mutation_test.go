package main

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each mutation can be applied to the code as it is, and its test is there.
func TestMutationsApply(t *testing.T) {
	mechanisms := make(map[string]bool)
	for _, m := range table() {
		t.Run(m.without, func(t *testing.T) {
			assert.False(t, mechanisms[m.file+m.without], "it is there twice")
			mechanisms[m.file+m.without] = true
			mutant, _, err := m.apply("../..")
			assert.NoError(t, err)
			if strings.HasSuffix(m.file, ".go") {
				_, err = parser.ParseFile(token.NewFileSet(), m.file, mutant, parser.SkipObjectResolution)
				assert.NoError(t, err)
			}
			_, err = m.folder("../..")
			assert.NoError(t, err)
		})
	}
}
