package boltstore_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/store/boltstore"
	"github.com/go-polite/polite/store/storetest"
	"github.com/stretchr/testify/require"
)

// files makes the suites open files. after tells which file the next process has, when
// the one before had a store and its file.
func files(after func(t *testing.T, s *boltstore.Store, path string) string) storetest.Engine[*boltstore.Store] {
	var paths sync.Map
	open := func(t *testing.T, path string) *boltstore.Store {
		s, err := boltstore.Open(path, boltstore.Options{})
		require.NoError(t, err)
		paths.Store(s, path)
		t.Cleanup(func() { s.Close() })
		return s
	}
	return storetest.Engine[*boltstore.Store]{
		Open: func(t *testing.T) *boltstore.Store { return open(t, filepath.Join(t.TempDir(), "cache")) },
		Reopen: func(t *testing.T, s *boltstore.Store) *boltstore.Store {
			path, _ := paths.Load(s)
			return open(t, after(t, s, path.(string)))
		},
		Bubble: true,
		Unit:   time.Second,
	}
}

func closed(t *testing.T, s *boltstore.Store, path string) string {
	require.NoError(t, s.Close())
	return path
}

// killed returns a file as a process leaves it that is killed.
func killed(t *testing.T, _ *boltstore.Store, path string) string {
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	left := filepath.Join(t.TempDir(), "cache")
	require.NoError(t, os.WriteFile(left, file, 0o600))
	return left
}

func TestFileIsAStore(t *testing.T)                 { storetest.TestStore(t, files(closed)) }
func TestFileIsTurns(t *testing.T)                  { storetest.TestTurns(t, files(closed)) }
func TestFileIsTurnsOfOneThatIsKilled(t *testing.T) { storetest.TestTurns(t, files(killed)) }
