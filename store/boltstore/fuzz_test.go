package boltstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-polite/polite/store/internal/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"
)

// What was sealed is read again, if nothing has changed. Fields that are anything harm
// nobody, also if the checksum is right.
func FuzzValue(f *testing.F) {
	e := storedEntry{put: stamp{epoch: 3, passed: time.Hour, wall: time.UnixMilli(1)}, keep: time.Minute, token: "ABCDEFGHIJKLMNOPQRSTUVWXYZ", bytes: []byte("entry")}
	for _, text := range []string{"", "https://example.com", string(make([]byte, 600))} {
		f.Add(text, e.seal(keyOf(text), text)[4:], uint16(0))
		f.Add(text, seal(keyOf(text), text, moment{}.fieldsOfBreak(memory.Break{Length: time.Hour}))[4:], uint16(9))
		f.Add(text, seal(keyOf(text), text, moment{}.fieldsOfStart(memory.Start{Gap: time.Hour}))[4:], uint16(50))
	}
	f.Fuzz(func(t *testing.T, text string, fields []byte, flip uint16) {
		key := keyOf(text)
		value := binary.LittleEndian.AppendUint32(nil, sumOf(key, fields))
		value = append(value, fields...)
		if _, e, ok := readEntry(key, value); ok {
			assert.GreaterOrEqual(t, e.keep, time.Duration(0))
			assert.Len(t, e.token, tokenBytes)
		}
		moment{}.readBreak(key, value)
		moment{}.readStart(key, value)

		sealed := storedEntry{token: e.token, keep: e.keep, bytes: fields}.seal(key, text)
		got, read, ok := readEntry(key, sealed)
		require.True(t, ok)
		assert.Equal(t, text, got)
		assert.Equal(t, string(fields), string(read.bytes))
		sealed[int(flip)%len(sealed)] ^= 1 << (flip % 8)
		_, _, ok = readEntry(key, sealed)
		assert.False(t, ok, "a bit has changed")
	})
}

// A value that was written without its end says nothing, though its checksum is right.
func TestShortValue(t *testing.T) {
	key, at := keyOf("lane"), moment{time.Now(), time.Now()}
	began, start := at.fieldsOfBreak(memory.Break{Length: time.Hour}), at.fieldsOfStart(memory.Start{Gap: time.Hour, Slack: time.Hour})
	for n := range len(began) {
		_, _, ok := at.readBreak(key, seal(key, "", began[:n]))
		assert.Equal(t, n == len(began)-8, ok, "an earlier version has not written Since")
	}
	for n := range len(start) {
		_, ok := at.readStart(key, seal(key, "", start[:n]))
		assert.False(t, ok)
	}
}

// counted counts reads.
type counted struct {
	file  []byte
	reads int
}

func (c *counted) ReadAt(b []byte, at int64) (int, error) {
	if c.reads++; at < 0 || at+int64(len(b)) > int64(len(c.file)) {
		return 0, errors.New("after the end")
	}
	return copy(b, c.file[at:]), nil
}

// sample returns a file with trees of some levels.
func sample(t testing.TB) ([]byte, meta) {
	path := filepath.Join(t.TempDir(), "cache")
	s, err := Open(path, Options{})
	require.NoError(t, err)
	for i := range 150 {
		c, err := s.Claim(context.Background(), string(rune('a'+i)), "", time.Minute)
		require.NoError(t, err)
		require.NoError(t, s.Put(context.Background(), string(rune('a'+i)), c.Token, make([]byte, i*i%3000), time.Hour))
	}
	require.NoError(t, s.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	d, err := openBolt(path, 0, true)
	require.NoError(t, err)
	defer d.close()
	m, err := view(d, func(tx *bbolt.Tx) (meta, error) { return metaOf(tx, d.file, int64(len(whole))) })
	require.NoError(t, err)
	require.NoError(t, inspect(d.file, m))
	return whole, m
}

// Each page of the tree is checked, and each part of it that bbolt trusts.
func TestInspect(t *testing.T) {
	whole, m := sample(t)
	fails := func(page, at int, with ...byte) bool {
		file := bytes.Clone(whole)
		copy(file[page*pageSize+at:], with)
		return inspect(&counted{file: file}, m) != nil
	}
	kinds, long := make(map[uint64]int), 0
	for page := 2; page < len(whole)/pageSize; page++ {
		if !fails(page, 0, 0xFF) {
			continue // it is free: nobody reads it
		}
		kind := u16(whole[page*pageSize+8:])
		kinds[kind]++
		assert.True(t, fails(page, 8, 3), "its kind")
		assert.True(t, fails(page, 10, 0xFE, 0xFF), "its count")
		assert.True(t, fails(page, 12, 0xFF, 0xFF), "the pages that follow")
		switch kind {
		case kindFree:
			many := slices.Concat([]byte{0xFF, 0xFF}, whole[page*pageSize+12:][:4], make([]byte, 8), whole[page*pageSize+headerSize:][:pageSize-headerSize-8])
			binary.NativeEndian.PutUint64(many[6:], u16(whole[page*pageSize+10:]))
			assert.False(t, fails(page, 10, many...), "a count that has a place of its own")
		case kindBranch:
			assert.True(t, fails(page, 10, 0, 0), "its count")
			assert.True(t, fails(page, 16+2, 1), "where a key is")
			assert.True(t, fails(page, 16+4+2, 1), "how long a key is")
			assert.True(t, fails(page, 16+8, byte(page)), "a page that it leads to")
		case kindLeaf:
			assert.True(t, fails(page, 16+4+2, 1), "where a key is")
			assert.True(t, fails(page, 16+8+2, 1), "how long a key is")
			assert.True(t, fails(page, 16+12+2, 1), "how long a value is")
			more := whole[page*pageSize+12:][:4]
			elements := slices.Concat([]byte{300 & 0xFF, 300 >> 8}, more, make([]byte, 300*elemSize))
			assert.Equal(t, u32(more) == 0, fails(page, 10, elements...), "300 elements have room in two pages")
			long += int(min(u32(more), 1))
		}
	}
	assert.Equal(t, 1, kinds[kindFree])
	assert.Greater(t, kinds[kindBranch], 0)
	assert.Greater(t, kinds[kindLeaf], 50)
	assert.Greater(t, long, 0)
}

// What nothing recovers from is found before bbolt meets it.
func TestDamageThatEndsAProcess(t *testing.T) {
	whole, m := sample(t)
	inUse := func(kind uint64) uint64 {
		for page := uint64(len(whole)/pageSize) - 1; page > 1; page-- {
			file := bytes.Clone(whole)
			file[page*pageSize] ^= 0xFF
			if u16(whole[page*pageSize+8:]) == kind && inspect(&counted{file: file}, m) != nil {
				return page
			}
		}
		require.Fail(t, "no such page")
		return 0
	}
	tests := []struct {
		name string
		page uint64
		at   int
		with uint64
	}{
		{"pages in a circle: the stack overflows", inUse(kindBranch), 16 + 8, inUse(kindBranch)},
		{"a page has two places: the stack overflows in a later write", inUse(kindBranch), 16 + 8, inUse(kindLeaf)},
		{"a value is longer than its page: all memory is asked for", inUse(kindLeaf), 16 + 8, 1<<63 - 1},
		{"more pages follow than there are: all of them are freed", inUse(kindLeaf), 8, 1<<56 + kindLeaf},
		{"a page is free and in use: it is written over", m.free, 16, m.root},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := bytes.Clone(whole)
			binary.NativeEndian.PutUint64(file[int(test.page)*pageSize+test.at:], test.with)
			assert.ErrorIs(t, inspect(&counted{file: file}, m), ErrDamaged)
		})
	}
}

// Whatever a file has after its first pages, it is inspected in few reads, all of them in
// the file.
func FuzzInspect(f *testing.F) {
	whole, m := sample(f)
	for at := range 20 {
		f.Add(uint32(at*2048), []byte{1, 2, 3})
		f.Add(uint32(at*4096+8), []byte{1, 0, 255, 255, 255, 255})
		f.Add(uint32(at*4096+24), []byte{255, 255, 255, 255, 255, 255, 255, 255})
	}
	f.Fuzz(func(t *testing.T, at uint32, with []byte) {
		file := bytes.Clone(whole)
		at = 2*pageSize + at%uint32(len(file)-2*pageSize)
		copy(file[at:], with)
		c := &counted{file: file}
		err := inspect(c, m)
		assert.LessOrEqual(t, c.reads, 3*len(file)/pageSize)
		if err != nil {
			assert.ErrorIs(t, err, ErrDamaged)
		}
	})
}
