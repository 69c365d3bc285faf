package command

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestVersion(t *testing.T) {
	got := runCommand(t, "--version")
	assert.Equal(t, 0, got.status)
	assert.Regexp(t, `^polite \S+, go\S+ \w+/\w+\n$`, got.stdout)
}
