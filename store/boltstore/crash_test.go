package boltstore_test

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var kills = flag.Int("kills", long.Or(8, 100), "how often TestKilled kills a process")

// A process that is killed at any moment leaves a file that opens. It has every break
// whose Break has returned, all entries that were put before the Break, and no half of one.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	wrote := 0 // the last round that is sure to be in the file
	for i := range *kills {
		told, process := another(t, "write", path)
		require.True(t, told.Scan(), "it is there")
		for rounds := i * 7 % 30; told.Scan(); rounds-- {
			round, err := strconv.Atoi(told.Text())
			require.NoError(t, err)
			wrote = round
			if rounds == 0 {
				process.Kill() // while it writes a later round, or closes the file, or opens it
			}
		}
		m := &machine{T: t, path: path}
		m.options.Wait = time.Minute
		m.start()
		m.checkRounds(wrote)
		require.NoError(t, m.store.Abandon())
	}
	assert.Greater(t, wrote, *kills)
}

const perRound = 10

func roundKey(round, i int) string { return keyOf(round*perRound + i) }

func roundEntry(round, i int) string {
	return strings.Repeat(fmt.Sprint(round, " ", i, " "), 1+round*i%300)
}

// writeUntilKilled writes rounds, and tells each that the disk has. At times it closes the
// file and opens it again.
func writeUntilKilled(path string) error {
	fmt.Println(0)
	for round := 1; ; {
		s, err := boltstore.Open(path, boltstore.Options{Wait: time.Minute})
		if err != nil {
			return err
		}
		for s.Has(roundKey(round, perRound-1)) {
			round++
		}
		for range 20 {
			if err := writeRound(s, round); err != nil {
				return err
			}
			fmt.Println(round)
			round++
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
}

func writeRound(s *boltstore.Store, round int) error {
	ctx := context.Background()
	for i := range perRound {
		c, err := s.Claim(ctx, roundKey(round, i), "", time.Minute)
		if err == nil && c.Token != "" {
			err = s.Put(ctx, roundKey(round, i), c.Token, []byte(roundEntry(round, i)), year)
		}
		if err != nil {
			return err
		}
	}
	return s.Break(ctx, fmt.Sprint("lane", round), time.Hour)
}

// checkRounds looks for what the rounds until wrote have left, and that nothing of later
// ones is wrong.
func (m *machine) checkRounds(wrote int) {
	for round := 1; round <= wrote; round++ {
		for i := range perRound {
			require.Equal(m, roundEntry(round, i), string(m.look(roundKey(round, i)).Entry), "round %d of %d", round, wrote)
		}
		require.Greater(m, m.left(fmt.Sprint("lane", round)), 50*time.Minute)
	}
	for i := range perRound {
		if c := m.look(roundKey(wrote+1, i)); c.Entry != nil {
			require.Equal(m, roundEntry(wrote+1, i), string(c.Entry))
		}
	}
}
