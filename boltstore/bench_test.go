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

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/boltstore"
	"github.com/stretchr/testify/require"
)

var many = flag.Int("records", 20_000, "how many records the benchmarks have in their file")

// filled is a file with many records, in random order as a crawler meets them.
var filled = sync.OnceValue(func() string {
	folder, err := os.MkdirTemp("", "boltstore")
	if err != nil {
		panic(err)
	}
	path := filepath.Join(folder, "cache")
	fill(path, *many)
	return path
})

func TestMain(m *testing.M) {
	code := m.Run()
	os.Exit(code)
}

func keyOf(i int) string {
	r := rand.New(rand.NewPCG(uint64(i), 0))
	return fmt.Sprintf("https://%x.example.com", r.Uint64())
}

func fill(path string, n int) {
	s, err := boltstore.Open(path, boltstore.Options{})
	if err != nil {
		panic(err)
	}
	record := make([]byte, 500)
	for i := range n {
		c, err := s.Claim(context.Background(), keyOf(i), "", time.Minute)
		if err != nil {
			panic(err)
		}
		if err := s.Put(context.Background(), keyOf(i), c.Token, record, time.Hour); err != nil {
			panic(err)
		}
	}
	if err := s.Close(); err != nil {
		panic(err)
	}
}

func BenchmarkOpen(b *testing.B) {
	path := filled()
	info, err := os.Stat(path)
	require.NoError(b, err)
	b.ReportMetric(float64(info.Size())/float64(*many), "B/record")
	b.ReportAllocs()
	for b.Loop() {
		s, err := boltstore.Open(path, boltstore.Options{})
		require.NoError(b, err)
		b.StopTimer()
		s.Close()
		b.StartTimer()
	}
}

func BenchmarkClaim(b *testing.B) {
	s, err := boltstore.Open(filled(), boltstore.Options{})
	require.NoError(b, err)
	defer s.Close()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		c, err := s.Claim(b.Context(), keyOf(i%*many), "", time.Minute)
		if err != nil || c.Record == nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTake(b *testing.B) {
	s, err := boltstore.Open(filepath.Join(b.TempDir(), "cache"), boltstore.Options{})
	require.NoError(b, err)
	defer s.Close()
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		if _, err := s.Take(b.Context(), keyOf(i), polite.Ask{Token: "a", Gap: time.Second}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHold(b *testing.B) {
	s, err := boltstore.Open(filepath.Join(b.TempDir(), "cache"), boltstore.Options{})
	require.NoError(b, err)
	defer s.Close()
	i := 0
	for b.Loop() {
		i++
		if err := s.Hold(b.Context(), keyOf(i), time.Minute); err != nil {
			b.Fatal(err)
		}
	}
}
