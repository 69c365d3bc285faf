package main

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A pipe that nobody writes to does not keep a command that is interrupted.
func TestPipeInterrupted(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(name, 0o600))
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("enough"))
	for _, args := range [][]string{{"lint", name}, {"records", name}, {"check", "-f", name, "/x"}} {
		var stderr strings.Builder
		assert.Equal(t, 1, run(ctx, args, stdio{nil, io.Discard, &stderr}))
		assert.Equal(t, "polite "+args[0]+": enough\n", stderr.String())
	}
}
