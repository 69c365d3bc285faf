//go:build unix

package boltstore_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPathsThatAreNoFiles(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "pipe")
	require.NoError(t, syscall.Mkfifo(pipe, 0o600))
	_, err := boltstore.Open(pipe, boltstore.Options{})
	assert.EqualError(t, err, "boltstore: "+pipe+": it is no ordinary file: name another file")

	file := filepath.Join(folder, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err = boltstore.Open(filepath.Join(file, "cache"), boltstore.Options{})
	assert.ErrorIs(t, err, syscall.ENOTDIR)
	assert.NotErrorIs(t, err, boltstore.ErrDamaged)
}

func TestOnlyTheOwnerMayOpenANewFile(t *testing.T) {
	m := &machine{T: t, path: filepath.Join(t.TempDir(), "cache")}
	m.start()
	info, err := os.Stat(m.path)
	require.NoError(t, err)
	assert.Equal(t, fs.FileMode(0o600), info.Mode())
}

func TestPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do all")
	}
	path := filepath.Join(t.TempDir(), "cache")
	full(t, path)
	for _, mode := range []fs.FileMode{0, 0o400, 0o200} {
		require.NoError(t, os.Chmod(path, mode))
		_, err := boltstore.Open(path, boltstore.Options{})
		assert.ErrorIs(t, err, fs.ErrPermission)
		assert.ErrorContains(t, err, "let this user read and write it, or name another file")
	}
}
