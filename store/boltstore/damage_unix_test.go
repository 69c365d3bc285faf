//go:build unix

package boltstore_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var damages = flag.Int("damages", 300, "how many files TestDamage damages")

// A file that is damaged anywhere opens or does not. Either way no call ends the process
// or returns an entry that was not put.
func TestDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "cache")
	full(t, path)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	whole = whole[:usedBytes(t, path)]
	opened := 0
	for seed := range *damages {
		r := rand.New(rand.NewPCG(uint64(seed), 0))
		file := []byte(strings.Clone(string(whole)))
		what := damage(r, file)
		require.NoError(t, os.WriteFile(path, file, 0o600))
		s, err := boltstore.Open(path, boltstore.Options{})
		if err != nil {
			require.ErrorContains(t, err, "boltstore: "+path+": ", what)
			continue
		}
		opened++
		useAll(t, s, fmt.Sprint("seed ", seed, ": ", what))
	}
	assert.Greater(t, opened, *damages/10)
	assert.Less(t, opened, *damages*9/10)
}

// damage does what disks do.
func damage(r *rand.Rand, file []byte) (what string) {
	page := r.IntN(len(file)/4096) * 4096
	at := page + r.IntN(4096)
	other := r.IntN(len(file)/4096) * 4096
	switch r.IntN(6) {
	case 0:
		file[at] ^= 1 << r.IntN(8)
		return fmt.Sprint("a bit of ", at)
	case 1:
		at = page + r.IntN(128) // where structure is
		file[at] = byte(r.Uint32())
		return fmt.Sprint("a byte of ", at)
	case 2:
		clear(file[page : page+4096])
		return fmt.Sprint("zeros at ", page)
	case 3:
		for i := range 512 {
			file[page+i%4096] = byte(r.Uint32())
		}
		return fmt.Sprint("noise at ", page)
	case 4:
		copy(file[page:page+4096], file[other:])
		return fmt.Sprint("page ", page, " is that of ", other)
	default:
		copy(file[page+16:page+4096], file[other+16:]) // what a lost write leaves
		return fmt.Sprint("page ", page, " has what was in ", other)
	}
}

// useAll makes each call. They may fail, and what they return is right.
func useAll(t *testing.T, s *boltstore.Store, what string) {
	t.Helper()
	for i := range 60 {
		c, err := s.Claim(t.Context(), keyOf(i), "", time.Minute)
		if err == nil && c.Entry != nil {
			require.Equal(t, fmt.Sprint("entry ", i), string(c.Entry), what)
			c, err = s.Claim(t.Context(), keyOf(i), c.Version, time.Minute)
		}
		if err == nil && c.Token != "" {
			s.Put(t.Context(), keyOf(i), c.Token, []byte(fmt.Sprint("entry ", i)), time.Hour)
		}
		lane, ask := fmt.Sprint("lane", i), store.Ask{Token: "a", Gap: time.Hour}
		if _, err := s.Take(t.Context(), lane, ask); err == nil {
			ask.Token = "b"
			g, err := s.Take(t.Context(), lane, ask)
			require.True(t, err != nil || g.Wait > 59*time.Minute, "%s: a start that was granted counts", what)
		}
	}
	s.Break(t.Context(), "another", time.Hour)
	s.Break(t.Context(), "break", 2*time.Hour)
	n := 0
	for r, err := range s.Entries() {
		if n++; err == nil && r.Key != "large" {
			require.True(t, strings.HasPrefix(string(r.Bytes), "entry "), what)
		}
		require.Less(t, n, 1000, what)
	}
	s.Clear()
	s.Close()
}

// Keys that are out of order lead nobody round in a circle.
func TestKeysOutOfOrder(t *testing.T) {
	m := &machine{T: t, path: filepath.Join(t.TempDir(), "cache")}
	m.start()
	for i := range 100 {
		m.put(fmt.Sprintf("key%03d", i), "entry", time.Hour)
	}
	require.NoError(t, m.store.Close())
	whole, err := os.ReadFile(m.path)
	require.NoError(t, err)
	for i := range 100 {
		file := strings.ReplaceAll(string(whole), fmt.Sprintf("=key%03d", i), fmt.Sprintf("\x00key%03d", i))
		require.NoError(t, os.WriteFile(m.path, []byte(file), 0o600))
		s, err := boltstore.Open(m.path, boltstore.Options{})
		if err != nil {
			require.ErrorIs(t, err, boltstore.ErrDamaged)
			continue
		}
		n := 0
		for range s.Entries() {
			n++
			require.LessOrEqual(t, n, 100)
		}
		require.NoError(t, s.Close())
	}
}

// The same while the file is open, also amid a write.
func TestDamageWhileOpen(t *testing.T) {
	tests := []struct {
		name   string
		damage func(path string) error
	}{
		{"emptied", func(path string) error { return os.Truncate(path, 0) }},
		{"cut after its first page", func(path string) error { return os.Truncate(path, 4096) }},
		{"cut after its first pages", func(path string) error { return os.Truncate(path, 8192) }},
		{"cut after some pages", func(path string) error { return os.Truncate(path, 5*4096) }},
		{"zeros", func(path string) error { return overwrite(path, 0, make([]byte, 1<<20)) }},
		{"noise", func(path string) error { return overwrite(path, 0, noise(1<<20)) }},
		{"noise after the first pages", func(path string) error { return overwrite(path, 8192, noise(1<<20)) }},
		{"removed", os.Remove},
	}
	for _, test := range tests {
		for _, amid := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", test.name, amid), func(t *testing.T) {
				m := &machine{T: t, path: filepath.Join(t.TempDir(), "cache")}
				full(t, m.path)
				m.start()
				if amid {
					m.store.Damage(keyOf(1), "", func(value []byte) []byte {
						assert.NoError(t, test.damage(m.path))
						return value
					})
				} else {
					require.NoError(t, test.damage(m.path))
				}
				useAll(t, m.store, test.name)
			})
		}
	}
}

// Nobody waits for ever for one who has met the damage.
func TestManyMeetDamage(t *testing.T) {
	for range 10 {
		m := &machine{T: t, path: filepath.Join(t.TempDir(), "cache")}
		full(t, m.path)
		m.start()
		time.AfterFunc(time.Millisecond, func() { os.Truncate(m.path, 0) })
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				var err error
				for i := 0; err == nil; i++ {
					_, err = m.store.Claim(t.Context(), keyOf(i%50), "", time.Minute)
				}
				assert.ErrorIs(t, err, boltstore.ErrDamaged)
				assert.ErrorContains(t, err, "boltstore: could not read the file: ")
				assert.ErrorContains(t, err, ": close the store and delete the file")
			})
		}
		all.Wait()
		_, err := m.store.Take(t.Context(), "lane", store.Ask{Token: "b", Gap: time.Hour})
		assert.ErrorIs(t, err, boltstore.ErrDamaged, "the start before is not known")
		assert.ErrorIs(t, m.store.Close(), boltstore.ErrDamaged)
	}
}

// When a write has met damage, bbolt's own memory may be wrong. So nothing more is
// written.
func TestNothingIsWrittenAfterDamage(t *testing.T) {
	m := &machine{T: t, path: filepath.Join(t.TempDir(), "cache")}
	full(t, m.path)
	m.start()
	whole, err := os.ReadFile(m.path)
	require.NoError(t, err)
	require.NoError(t, overwrite(m.path, 8192, noise(len(whole)-8192)))
	assert.ErrorIs(t, m.store.Break(t.Context(), "lane", time.Hour), boltstore.ErrDamaged)
	require.NoError(t, overwrite(m.path, 0, whole))
	assert.ErrorIs(t, m.store.Break(t.Context(), "lane", time.Hour), boltstore.ErrDamaged)
	assert.Positive(t, m.left("lane"))
	m.has(keyOf(1), "entry 1")
	assert.ErrorIs(t, m.store.Close(), boltstore.ErrDamaged)
	after, err := os.ReadFile(m.path)
	require.NoError(t, err)
	assert.True(t, string(whole) == string(after))
	m.start()
	m.has(keyOf(1), "entry 1")
}

func overwrite(path string, at int64, with []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteAt(with, at)
	return err
}

func noise(n int) []byte {
	b := make([]byte, n)
	r := rand.NewChaCha8([32]byte{})
	r.Read(b)
	return b
}
