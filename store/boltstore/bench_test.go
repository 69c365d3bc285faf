package boltstore_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/require"
)

var many = flag.Int("entries", 20_000, "how many entries the benchmarks have in their file")

// filled is a file with many entries, in random order as a crawler meets them.
var (
	filledFolder string
	filled       = sync.OnceValues(func() (path string, err error) {
		if filledFolder, err = os.MkdirTemp("", "boltstore"); err != nil {
			return "", err
		}
		path = filepath.Join(filledFolder, "cache")
		return path, fill(path, *many)
	})
)

func keyOf(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 0))
	return fmt.Sprintf("https://%x.example.com", r.Uint64())
}

func fill(path string, n int) error {
	s, err := boltstore.Open(path, boltstore.Options{})
	if err != nil {
		return err
	}
	ctx, entry := context.Background(), make([]byte, 500)
	for i := range n {
		c, err := s.Claim(ctx, keyOf(i), "", time.Minute)
		if err != nil {
			return err
		}
		if err := s.Put(ctx, keyOf(i), c.Token, entry, year); err != nil {
			return err
		}
	}
	return s.Close()
}

func BenchmarkOpen(b *testing.B) {
	path, err := filled()
	require.NoError(b, err)
	info, err := os.Stat(path)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		s, err := boltstore.Open(path, boltstore.Options{})
		require.NoError(b, err)
		b.StopTimer()
		require.NoError(b, s.Close())
		b.StartTimer()
	}
	b.ReportMetric(float64(info.Size())/float64(*many), "B/entry")
}

func BenchmarkClaim(b *testing.B) {
	path, err := filled()
	require.NoError(b, err)
	s, err := boltstore.Open(path, boltstore.Options{})
	require.NoError(b, err)
	defer s.Close()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c, err := s.Claim(b.Context(), keyOf(i%*many), "", time.Minute)
		if err != nil || c.Entry == nil {
			b.Fatal(err)
		}
	}
}

// All writes of this one go to the disk in the background.
func BenchmarkPut(b *testing.B) {
	s, err := boltstore.Open(filepath.Join(b.TempDir(), "cache"), boltstore.Options{})
	require.NoError(b, err)
	defer s.Close()
	entry := make([]byte, 500)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		c, err := s.Claim(b.Context(), keyOf(i), "", time.Minute)
		if err != nil || s.Put(b.Context(), keyOf(i), c.Token, entry, year) != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTake(b *testing.B) {
	s, err := boltstore.Open(filepath.Join(b.TempDir(), "cache"), boltstore.Options{})
	require.NoError(b, err)
	defer s.Close()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, err := s.Take(b.Context(), keyOf(i), store.Ask{Token: "a", Gap: time.Second}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHold(b *testing.B) {
	s, err := boltstore.Open(filepath.Join(b.TempDir(), "cache"), boltstore.Options{})
	require.NoError(b, err)
	defer s.Close()
	for i := 0; b.Loop(); i++ {
		if err := s.Break(b.Context(), keyOf(i), time.Minute); err != nil {
			b.Fatal(err)
		}
	}
}
