package boltstore_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func open(t *testing.T, path string) *boltstore.Store {
	t.Helper()
	s, err := boltstore.Open(path, boltstore.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func put(t *testing.T, s *boltstore.Store, key, record string, keep time.Duration) string {
	t.Helper()
	c, err := s.Claim(t.Context(), key, "", time.Minute)
	require.NoError(t, err)
	if c.Version != "" {
		c, err = s.Claim(t.Context(), key, c.Version, time.Minute)
		require.NoError(t, err)
	}
	require.NotEmpty(t, c.Token)
	require.NoError(t, s.Put(t.Context(), key, c.Token, []byte(record), keep))
	return c.Token
}

func TestRestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	s := open(t, path)
	version := put(t, s, "https://a.example", "hello", time.Hour)
	require.NoError(t, s.Hold(t.Context(), "lane", time.Hour))
	g, err := s.Take(t.Context(), "other", polite.Ask{Token: "a", Gap: time.Minute})
	require.NoError(t, err)
	assert.Zero(t, g.Wait)
	require.NoError(t, s.Close())

	s = open(t, path)
	c, err := s.Claim(t.Context(), "https://a.example", "", 0)
	require.NoError(t, err)
	assert.Equal(t, "hello", string(c.Record))
	assert.Equal(t, version, c.Version)
	g, err = s.Take(t.Context(), "lane", polite.Ask{})
	require.NoError(t, err)
	assert.InDelta(t, time.Hour, g.Wait, float64(time.Minute))
	g, err = s.Take(t.Context(), "other", polite.Ask{Token: "a", Gap: time.Minute})
	require.NoError(t, err)
	assert.InDelta(t, time.Minute, g.Wait, float64(10*time.Second))
	for r, err := range s.Records() {
		require.NoError(t, err)
		assert.Equal(t, "https://a.example", r.Key)
	}
	require.NoError(t, s.Clear())
	c, err = s.Claim(t.Context(), "https://a.example", "", 0)
	require.NoError(t, err)
	assert.Zero(t, c)
}
