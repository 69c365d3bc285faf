package answers

import (
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/stretchr/testify/assert"
)

// A Memory evicts origins until they, their files and what others take are within its bound. Equal files count once.
func TestBound(t *testing.T) {
	others := int64(0)
	m := New(100_000, func() int64 { return others }, nil)
	keep := func(host, body string) {
		m.Keep(origin.Origin{Host: host, Port: 80}, Answered(nil, fetch.Answer{Status: 200, Body: []byte(body)}, nil, nil, m.Now()))
	}
	large := func(name string) string { return "user-agent: " + name + "\n" + strings.Repeat("disallow: /some/folder\n", 500) }

	keep("a", large("a"))
	one := m.Stats().Bytes
	assert.Greater(t, one, int64(10_000))
	keep("a", large("b"))
	assert.Equal(t, one, m.Stats().Bytes, "an answer takes the place of the last")
	keep("b", large("b"))
	stats := m.Stats()
	assert.Equal(t, 1, stats.Files)
	assert.Less(t, stats.Bytes, one+1000, "equal files count once")

	others = 100_000 - stats.Bytes
	m.Trim()
	assert.Equal(t, 2, m.Stats().Origins, "they are within the bound")
	others++
	m.Trim()
	stats = m.Stats()
	assert.Equal(t, Stats{Origins: 1, Files: 1, Bytes: others + one, Evictions: 1}, stats)
	keep("c", large("c"))
	stats = m.Stats()
	assert.Equal(t, Stats{Origins: 1, Files: 1, Bytes: others + one, Evictions: 2}, stats, "an answer evicts another")
	others = 1_000_000
	m.Trim()
	assert.Equal(t, Stats{Origins: 1, Files: 1, Bytes: others + one, Evictions: 2}, m.Stats(), "the last that came stays")
}
