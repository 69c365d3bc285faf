package verb

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestFirst(t *testing.T) {
	var f First
	assert.Equal(t, OK, f.Status())
	for _, step := range []struct {
		n            int
		status, want Status
	}{{0, OK, OK}, {3, Disallowed, Disallowed}, {5, Failed, Disallowed}, {2, Unreachable, Unreachable}, {1, OK, Unreachable}, {4, Disallowed, Unreachable}} {
		f.Note(step.n, step.status)
		assert.Equal(t, step.want, f.Status(), step)
	}
}
