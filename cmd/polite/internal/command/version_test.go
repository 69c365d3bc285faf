package command

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVersion(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		got := runCommand(t, arg)
		assert.Equal(t, 0, got.status)
		assert.Regexp(t, `^polite \S+, go\S+ \w+/\w+\n$`, got.stdout)
	}
}
