package boltstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// smallDisk returns a folder on a disk of its own, and a function that says how many of
// its bytes others take.
func smallDisk(t *testing.T, size int) (folder string, others func(bytes int)) {
	folder = t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprint("size=", size)); err != nil {
		t.Skip("this user cannot mount a disk: ", err)
	}
	t.Cleanup(func() { require.NoError(t, syscall.Unmount(folder, syscall.MNT_DETACH)) })
	return folder, func(bytes int) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "others"), make([]byte, bytes), 0o600))
	}
}

// Without space nothing more is written, and nothing is lost: reads go on, and what is
// pending is written when there is space again.
func TestADiskThatIsFull(t *testing.T) {
	folder, others := smallDisk(t, 4<<20)
	m := &machine{T: t, path: filepath.Join(folder, "cache")}
	m.start()
	m.put("before", "entry", year)
	m.begin("before", time.Hour)
	others(3800 << 10)

	want := map[string]string{"before": "entry"}
	for i := range 20 {
		want[keyOf(i)] = strings.Repeat("x", 50_000)
		m.put(keyOf(i), want[keyOf(i)], year)
	}
	err := m.store.Break(t.Context(), "lane", time.Hour)
	assert.ErrorIs(t, err, syscall.ENOSPC)
	assert.ErrorContains(t, err, "boltstore: could not write the file: ")
	assert.ErrorContains(t, err, "free some space on the disk")
	assert.ErrorIs(t, m.store.Put(t.Context(), "last", m.win("last"), []byte("entry"), year), syscall.ENOSPC)
	want["last"] = "entry"
	assert.Equal(t, want, m.entries())
	assert.Positive(t, m.left("lane"))
	assert.Positive(t, m.left("before"))

	others(0)
	m.begin("another", time.Hour)
	m.crash()
	assert.Equal(t, want, m.entries())
	for _, lane := range []string{"before", "lane", "another"} {
		assert.Positive(t, m.left(lane))
	}

	others(2 << 20)
	m.put("too large", strings.Repeat("x", 2<<20), year)
	assert.ErrorIs(t, m.store.Close(), syscall.ENOSPC)
	others(0)
	m.start()
	assert.Equal(t, want, m.entries())
	require.NoError(t, m.store.Close())
}

func TestANewFileOnADiskThatIsFull(t *testing.T) {
	folder, others := smallDisk(t, 1<<20)
	for _, free := range []int{0, 1, 2, 3, 4, 5, 6, 7} { // pages
		path := filepath.Join(folder, "cache")
		others(1<<20 - free*4096)
		s, err := boltstore.Open(path, boltstore.Options{})
		if err == nil {
			s.Close()
			assert.Greater(t, free, 4)
		} else {
			assert.ErrorIs(t, err, syscall.ENOSPC)
			assert.ErrorContains(t, err, "boltstore: "+path+": ")
			assert.ErrorContains(t, err, "free some space on the disk")
		}
		others(0)
		s, err = boltstore.Open(path, boltstore.Options{})
		require.NoError(t, err, "%d pages", free)
		require.NoError(t, s.Close())
		require.NoError(t, os.Remove(path))
	}
}
