package boltstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Each error says what to do, and wraps its cause.
func TestExplain(t *testing.T) {
	tests := []struct {
		cause  error
		advice string
	}{
		{fs.ErrNotExist, "create its folder first"},
		{fs.ErrPermission, "let this user read and write it, or name another file"},
		{syscall.ENOSPC, "free some space on the disk"},
		{syscall.EROFS, "name another file"},
		{io.ErrUnexpectedEOF, "name another file"},
		{ErrLocked, "wait for it, close it there, or name another file"},
		{ErrDamaged, "delete it, or name another file"},
		{errLater, "use that version, or name another file"},
	}
	for _, test := range tests {
		err := explain("cache", fmt.Errorf("open: %w", test.cause))
		assert.EqualError(t, err, fmt.Sprintf("boltstore: cache: open: %v: %s", test.cause, test.advice))
		assert.ErrorIs(t, err, test.cause)
	}
}

// What bbolt says of a file that it does not know is damage. What the system says is not.
func TestErrorsOfOpen(t *testing.T) {
	assert.ErrorIs(t, ofOpen(errors.New("file size too small")), ErrDamaged)
	for _, err := range []error{nil, &fs.PathError{Op: "open", Path: "cache", Err: syscall.EIO}, syscall.ENOMEM, os.NewSyscallError("mmap", syscall.ENOMEM)} {
		assert.Equal(t, err, ofOpen(err))
	}
}
