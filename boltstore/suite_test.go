package boltstore_test

import (
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/boltstore"
	"github.com/go-polite/polite/storetest"
	"github.com/stretchr/testify/require"
)

// files opens files and opens them again, each where it was.
func files() storetest.Engine[*boltstore.Store] {
	var paths sync.Map
	opened := func(t *testing.T, path string) *boltstore.Store {
		s, err := boltstore.Open(path, boltstore.Options{})
		require.NoError(t, err)
		paths.Store(s, path)
		t.Cleanup(func() { s.Close() })
		return s
	}
	return storetest.Engine[*boltstore.Store]{
		Open: func(t *testing.T) *boltstore.Store { return opened(t, filepath.Join(t.TempDir(), "cache")) },
		Reopen: func(t *testing.T, s *boltstore.Store) *boltstore.Store {
			require.NoError(t, s.Close())
			path, _ := paths.Load(s)
			return opened(t, path.(string))
		},
		Bubble: true,
		Unit:   time.Second,
	}
}

func TestFileIsAStore(t *testing.T) { storetest.TestStore(t, files()) }

func TestFileIsTurns(t *testing.T) { storetest.TestTurns(t, files()) }
