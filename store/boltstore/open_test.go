package boltstore_test

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

// Each file says at Open what is wrong with it, and what to do. It stays as it is.
func TestFilesThatDoNotOpen(t *testing.T) {
	tests := []struct {
		name   string
		make   func(t *testing.T, path string)
		cause  error
		advice string
	}{
		{"its folder does not exist", func(t *testing.T, path string) {
			require.NoError(t, os.Remove(filepath.Dir(path)))
		}, fs.ErrNotExist, "create its folder first"},
		{"it is a folder", func(t *testing.T, path string) {
			require.NoError(t, os.Mkdir(path, 0o700))
		}, nil, "it is a folder: name a file in it"},
		{"it is a text", writes(strings.Repeat("User-agent: *\nDisallow: /\n", 1000)), boltstore.ErrDamaged, "invalid database: delete it, or name another file"},
		{"it is a short text", writes("User-agent: *\n"), boltstore.ErrDamaged, "delete it, or name another file"},
		{"it is all zeros", writes(string(make([]byte, 1<<20))), boltstore.ErrDamaged, "delete it, or name another file"},
		{"it is a database of another program", func(t *testing.T, path string) {
			update(t, path, func(tx *bbolt.Tx) error {
				_, err := tx.CreateBucket([]byte("theirs"))
				return err
			})
		}, boltstore.ErrDamaged, "another program wrote it: delete it, or name another file"},
		{"it is of a later version", func(t *testing.T, path string) {
			full(t, path)
			update(t, path, func(tx *bbolt.Tx) error {
				return tx.Bucket([]byte("about")).Put([]byte("format"), []byte{2, 'x'})
			})
		}, nil, "its format is 2: a later version of this package wrote the file: use that version, or name another file"},
		{"it is of a later version of bbolt", func(t *testing.T, path string) {
			full(t, path)
			patch(t, path, 16+4, 3)
			patch(t, path, 4096+16+4, 3)
		}, nil, "a later version of this package wrote the file: use that version, or name another file"},
		{"its pages have another size", func(t *testing.T, path string) {
			db, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: 8192})
			require.NoError(t, err)
			require.NoError(t, db.Close())
		}, boltstore.ErrDamaged, "another program wrote it: delete it, or name another file"},
		{"what it says about itself is damaged", func(t *testing.T, path string) {
			full(t, path)
			update(t, path, func(tx *bbolt.Tx) error {
				return tx.Bucket([]byte("about")).Put([]byte("state"), []byte("damaged"))
			})
		}, boltstore.ErrDamaged, "what it says about itself: delete it, or name another file"},
		{"its pages are not in their places", func(t *testing.T, path string) {
			full(t, path)
			for page := range usedBytes(t, path)/4096 - 2 {
				patch(t, path, int64(page+2)*4096, 99)
			}
		}, boltstore.ErrDamaged, "delete it, or name another file"},
		{"its first pages are damaged", func(t *testing.T, path string) {
			full(t, path)
			patch(t, path, 16+48, 99)
			patch(t, path, 4096+16+48, 99)
		}, boltstore.ErrDamaged, "checksum error: delete it, or name another file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "folder", "cache")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			test.make(t, path)
			before, _ := os.ReadFile(path)
			for range 2 {
				_, err := boltstore.Open(path, boltstore.Options{})
				require.ErrorContains(t, err, "boltstore: "+path+": ")
				assert.ErrorContains(t, err, test.advice)
				if test.cause != nil {
					assert.ErrorIs(t, err, test.cause)
				}
				assert.Equal(t, test.cause == boltstore.ErrDamaged, isDamaged(err))
			}
			after, _ := os.ReadFile(path)
			assert.True(t, string(before) == string(after), "the file has changed")
		})
	}
}

func isDamaged(err error) bool { return strings.Contains(err.Error(), boltstore.ErrDamaged.Error()) }

func writes(text string) func(t *testing.T, path string) {
	return func(t *testing.T, path string) {
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

// full makes a file that has something of all.
func full(t *testing.T, path string) {
	m := &machine{T: t, path: path}
	m.start()
	for i := range 50 {
		m.put(keyOf(i), fmt.Sprint("entry ", i), time.Hour)
	}
	m.put("large", strings.Repeat("large", 10_000), time.Hour)
	m.begin("break", time.Hour)
	m.take("lane", "a", time.Hour)
	require.NoError(t, m.store.Close())
}

func update(t *testing.T, path string, do func(*bbolt.Tx) error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{PageSize: 4096})
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.Update(do))
}

func patch(t *testing.T, path string, at int64, b byte) {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	defer file.Close()
	_, err = file.WriteAt([]byte{b}, at)
	require.NoError(t, err)
}

// A file that is cut short says so, wherever it is cut.
func TestAFileThatIsCutShort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	full(t, path)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	end := usedBytes(t, path)
	for size := 1; size < end; size += 1499 {
		require.NoError(t, os.WriteFile(path, whole[:size], 0o600))
		_, err := boltstore.Open(path, boltstore.Options{})
		require.ErrorIs(t, err, boltstore.ErrDamaged, "%d of %d bytes", size, end)
		require.ErrorContains(t, err, "delete it, or name another file")
	}
	require.NoError(t, os.WriteFile(path, whole[:end], 0o600))
	m := &machine{T: t, path: path}
	m.start()
	m.has("large", strings.Repeat("large", 10_000))
}

// usedBytes returns how many bytes of a file its pages take.
func usedBytes(t *testing.T, path string) (n int) {
	update(t, path, func(tx *bbolt.Tx) error {
		n = int(tx.Size())
		return nil
	})
	return n
}

func TestNewFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	m := &machine{T: t, path: path}
	m.start()
	m.store.Close()

	require.NoError(t, os.Truncate(path, 0))
	m.start()
	m.put("key", "entry", time.Hour)
	m.restart()
	m.has("key", "entry")
}

func TestLockedByThisProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	m := &machine{T: t, path: path}
	m.start()
	_, err := boltstore.Open(path, boltstore.Options{})
	assert.ErrorIs(t, err, boltstore.ErrLocked)
	assert.ErrorContains(t, err, "wait for it, close it there, or name another file")
	m.restart()
}

// another runs a process that does what a test says. It ends with the test.
func another(t *testing.T, task, path string) (told *bufio.Scanner, process *os.Process) {
	c := exec.Command(os.Args[0], "-test.run=^TestMain$")
	c.Env = append(os.Environ(), "BOLTSTORE_TASK="+task, "BOLTSTORE_PATH="+path)
	c.Stderr = os.Stderr
	out, err := c.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	return bufio.NewScanner(out), c.Process
}

func TestLockedByAnotherProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	told, process := another(t, "keep open", path)
	require.True(t, told.Scan(), "it is open")

	_, err := boltstore.Open(path, boltstore.Options{})
	assert.ErrorIs(t, err, boltstore.ErrLocked)
	_, err = boltstore.Open(path, boltstore.Options{Wait: 100 * time.Millisecond})
	assert.ErrorIs(t, err, boltstore.ErrLocked)

	opened := make(chan error)
	go func() {
		s, err := boltstore.Open(path, boltstore.Options{Wait: time.Minute})
		if err == nil {
			err = s.Close()
		}
		opened <- err
	}()
	require.NoError(t, process.Kill())
	assert.NoError(t, <-opened)
}

func keepOpen(path string) error {
	s, err := boltstore.Open(path, boltstore.Options{})
	if err != nil {
		return err
	}
	defer s.Close()
	fmt.Println("open")
	<-context.Background().Done()
	return nil
}
