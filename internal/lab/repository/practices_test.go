package repository

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var proof = regexp.MustCompile("`(Test[A-Za-z]+)` in \\[[^]]*\\]\\(\\.\\./([^)]*)\\)")

// Each test that docs/use.md names is in the file to which it leads.
func TestPractices(t *testing.T) {
	proofs := proof.FindAllStringSubmatch(ReadPage(t, "docs/use.md"), -1)
	assert.GreaterOrEqual(t, len(proofs), 8)
	for _, match := range proofs {
		assert.Contains(t, ReadPage(t, match[2]), "\nfunc "+match[1]+"(", match[0])
	}
}

var (
	needed = regexp.MustCompile(`(?m)^go (\d+\.\d+)\.`)          // of go.mod
	newest = regexp.MustCompile(`(?m)^newest_go=go(\d+\.\d+)\.`) // of .ci/lib
)

// README and docs name the versions of Go with which the gate runs.
func TestVersionsOfGo(t *testing.T) {
	for path, version := range map[string]*regexp.Regexp{"go.mod": needed, ".ci/lib": newest} {
		named := version.FindStringSubmatch(ReadPage(t, path))
		require.NotNil(t, named, path)
		for _, page := range []string{"README.md", "docs/contributing.md"} {
			assert.Contains(t, ReadPage(t, page), named[1], "%s has another version than %s", page, path)
		}
	}
}
