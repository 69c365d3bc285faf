package send

import (
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type connection struct{ io.ReadWriteCloser }

type halved struct{ connection }

func (halved) CloseWrite() error { return io.ErrClosedPipe }

// A half can be closed of what has halves.
func TestCloseWrite(t *testing.T) {
	for conn, want := range map[io.ReadWriteCloser]error{connection{}: errors.ErrUnsupported, halved{}: io.ErrClosedPipe} {
		half, ok := UntilClosed(conn, func() { t.Error("not done yet") }).(interface{ CloseWrite() error })
		require.True(t, ok)
		assert.ErrorIs(t, half.CloseWrite(), want)
	}
}
