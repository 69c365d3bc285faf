package boltstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/go-polite/polite/store"
	bolterrors "go.etcd.io/bbolt/errors"
)

// ErrLocked is the error of [Open] if the file is open already, mostly by another
// process.
var ErrLocked = errors.New("the file is open elsewhere")

// ErrDamaged is the error if the file is damaged, or if another program wrote it. To go
// on, delete the file or name another one.
var ErrDamaged = errors.New("the file is damaged, or not of this package")

var (
	errClosed = fmt.Errorf("boltstore: %w: %w", store.ErrClosed, os.ErrClosed)
	errLater  = errors.New("a later version of this package wrote the file")
	errFolder = errors.New("it is a folder")
	errNoFile = errors.New("it is no ordinary file")
)

// explain says what to do about an error of Open.
func explain(path string, err error) error {
	advice := "name another file"
	switch {
	case errors.Is(err, ErrLocked):
		advice = "wait for it, close it there, or name another file"
	case errors.Is(err, fs.ErrNotExist):
		advice = "create its folder first"
	case errors.Is(err, fs.ErrPermission):
		advice = "let this user read and write it, or name another file"
	case errors.Is(err, syscall.ENOSPC):
		advice = "free some space on the disk"
	case errors.Is(err, errLater):
		advice = "use that version, or name another file"
	case errors.Is(err, ErrDamaged):
		advice = "delete it, or name another file"
	case errors.Is(err, errFolder):
		advice = "name a file in it"
	}
	return fmt.Errorf("boltstore: %s: %w: %s", path, err, advice)
}

// ofOpen translates an error of bbolt's Open. Errors of the system need no translation.
func ofOpen(err error) error {
	_, ofPath := errors.AsType[*fs.PathError](err)
	_, ofSystem := errors.AsType[syscall.Errno](err)
	switch {
	case err == nil || ofPath || ofSystem || errors.Is(err, ErrDamaged):
		return err
	case errors.Is(err, bolterrors.ErrTimeout):
		return ErrLocked
	case errors.Is(err, bolterrors.ErrVersionMismatch):
		return errLater
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}

// ofWrite says that it was a write that failed, and what to do.
func ofWrite(err error) error { return ofUse("write", err) }

// ofRead says that it was a read that failed, and what to do.
func ofRead(err error) error { return ofUse("read", err) }

func ofUse(use string, err error) error {
	advice := ""
	switch {
	case err == nil || errors.Is(err, errClosed):
		return err
	case errors.Is(err, syscall.ENOSPC):
		advice = ": free some space on the disk"
	case errors.Is(err, ErrDamaged):
		advice = ": close the store and delete the file"
	}
	return fmt.Errorf("boltstore: could not %s the file: %w%s", use, err, advice)
}
