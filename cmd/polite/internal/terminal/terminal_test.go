package terminal

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The null device is a device with characters, but no terminal.
func TestNoTerminal(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	require.NoError(t, err)
	defer null.Close()
	closed, err := os.Open(os.DevNull)
	require.NoError(t, err)
	closed.Close()
	for _, file := range []*os.File{null, closed, nil} {
		assert.False(t, Is(file))
		assert.Zero(t, Width(file))
		assert.False(t, ProgressOn(file).Shows())
		assert.Equal(t, file, OnScreen(file))
	}
}
