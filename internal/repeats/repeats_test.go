package repeats

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// The first message of a minute is told, and how many of the same came after the first one before.
func TestNote(t *testing.T) {
	var r Repeats
	start := time.Now()
	for _, came := range []struct {
		after  time.Duration
		text   string
		first  bool
		others int
	}{
		{0, "a", true, 0},
		{time.Second, "a", false, 0},
		{2 * time.Second, "b", true, 0},
		{59 * time.Second, "a", false, 0},
		{time.Minute, "a", true, 2},
		{2*time.Minute - 1, "a", false, 0},
		{2 * time.Minute, "a", true, 1},
		{time.Hour, "b", true, 0},
	} {
		first, others := r.Note(came.text, start.Add(came.after))
		assert.Equal(t, came.first, first, "%s after %v", came.text, came.after)
		assert.Equal(t, came.others, others, "%s after %v", came.text, came.after)
	}
}

// Nth counts the messages of a minute, and begins again after it.
func TestNth(t *testing.T) {
	var r Repeats
	start := time.Now()
	for _, came := range []struct {
		after time.Duration
		text  string
		nth   int
	}{
		{0, "a", 1}, {time.Second, "a", 2}, {time.Second, "b", 1}, {time.Minute - 1, "a", 3},
		{time.Minute, "a", 1}, {2*time.Minute - 1, "a", 2}, {2 * time.Minute, "a", 1},
	} {
		assert.Equal(t, came.nth, r.Nth(came.text, start.Add(came.after)), "%s after %v", came.text, came.after)
	}
}

// Of more messages than are known, the one that came first is forgotten first.
func TestMost(t *testing.T) {
	var r Repeats
	now := time.Now()
	text := func(i int) string { return fmt.Sprint("message ", i) }
	for i := range most {
		assert.False(t, r.IsFull(), "after %d", i)
		r.Note(text(i), now)
	}
	assert.True(t, r.IsFull())
	for i := range most + 3 {
		r.Note(text(most+i), now)
		assert.Equal(t, most, len(r.known))
		for _, kept := range []int{i + 1, most + i} { // the oldest of those that are left, and the newest
			first, _ := r.Note(text(kept), now)
			assert.False(t, first, "message %d after %d", kept, most+i)
		}
	}
	first, _ := r.Note(text(0), now)
	assert.True(t, first)
}
