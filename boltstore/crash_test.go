package boltstore_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var kills = flag.Int("kills", 15, "how often TestKilled kills a process")

// A process that is killed at any moment leaves a file that opens. It has every break
// whose Hold has returned, all records that were put before the Hold, and no half of one.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache")
	wrote := 0 // the last round that is sure to be in the file
	for range *kills {
		told, process := another(t, "write", path)
		require.True(t, told.Scan(), "it is open")
		time.AfterFunc(time.Duration(rand.IntN(int(200*time.Millisecond))), func() { process.Kill() })
		for told.Scan() {
			round, err := strconv.Atoi(told.Text())
			require.NoError(t, err)
			wrote = round
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

func roundRecord(round, i int) string {
	return strings.Repeat(fmt.Sprint(round, " ", i, " "), 1+round*i%300)
}

// writeUntilKilled writes rounds of records and a break, and tells each when the break is
// on disk.
func writeUntilKilled(path string) error {
	s, err := boltstore.Open(path, boltstore.Options{Wait: time.Minute})
	if err != nil {
		return err
	}
	ctx := context.Background()
	round := 0
	for {
		if c, err := s.Claim(ctx, roundKey(round+1, 0), "", 0); err != nil || c.Record == nil {
			break
		}
		round++
	}
	fmt.Println("open")
	for {
		round++
		for i := range perRound {
			c, err := s.Claim(ctx, roundKey(round, i), "", time.Minute)
			if err != nil || c.Token == "" {
				return fmt.Errorf("Claim: %+v, %w", c, err)
			}
			if err := s.Put(ctx, roundKey(round, i), c.Token, []byte(roundRecord(round, i)), year); err != nil {
				return err
			}
		}
		if err := s.Hold(ctx, fmt.Sprint("lane", round), time.Hour); err != nil {
			return err
		}
		fmt.Println(round)
	}
}

// checkRounds looks for what the rounds until wrote have left, and that nothing of later
// ones is wrong.
func (m *machine) checkRounds(wrote int) {
	for round := 1; round <= wrote; round++ {
		for i := range perRound {
			require.Equal(m, roundRecord(round, i), string(m.look(roundKey(round, i)).Record), "round %d of %d", round, wrote)
		}
		require.Greater(m, m.left(fmt.Sprint("lane", round)), 50*time.Minute)
	}
	for i := range perRound {
		if c := m.look(roundKey(wrote+1, i)); c.Record != nil {
			require.Equal(m, roundRecord(wrote+1, i), string(c.Record))
		}
	}
}
