package repository

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
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
