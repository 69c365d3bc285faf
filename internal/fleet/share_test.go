package fleet

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

// A process takes a share of so many ceilings at most, and forgets those of which it has said nothing for a while.
func TestSharesAreBounded(t *testing.T) {
	var s shares
	now := time.Now()
	want := func() (full int) {
		for i := range mostShares + 10 {
			if _, isFull := s.want(strconv.Itoa(i), now); isFull {
				full++
			}
		}
		return full
	}
	assert.Equal(t, 10, want())
	now = now.Add(shareFor)
	_, full := s.want("another", now)
	assert.False(t, full)
	assert.Len(t, s.own, 1)
	for i := range mostHeard + 10 {
		s.hear(sharer{strconv.Itoa(i), "b"}, false, false)
	}
	assert.Len(t, s.others, mostHeard)
	assert.Len(t, s.of, mostHeard)
}

// Processes that have requests under way at a site divide its ceiling: all who have said so within a minute, in the order
// of their names. One that has not heard itself may not have heard all others.
func TestShares(t *testing.T) {
	const me = "m"
	type step struct {
		after   time.Duration
		process string // that is heard; "": this one wants a share
		leaves  bool
	}
	wants, itself := step{}, step{process: me}
	hears := func(process string) step { return step{process: process} }
	leaves := func(process string) step { return step{process: process, leaves: true} }
	at := func(after time.Duration, s step) step { s.after = after; return s }
	for _, tt := range []struct {
		name           string
		steps          []step
		said           int // how often it has said so
		sharers, rank  int
		sharersInAHalf int // minute
	}{
		{"it wants none", []step{hears("a"), itself}, 0, 0, 0, 0},
		{"it has not heard itself", []step{hears("a"), wants}, 1, 0, 0, 0},
		{"it is alone", []step{wants, itself}, 1, 1, 0, 1},
		{"others are before and behind it", []step{hears("a"), wants, hears("z"), itself, hears("b")}, 1, 4, 2, 4},
		{"others are heard again", []step{hears("a"), wants, hears("a"), itself, hears("a")}, 1, 2, 1, 2},
		{"others leave", []step{hears("a"), hears("b"), wants, itself, leaves("a")}, 1, 2, 1, 2},
		{"all others leave", []step{hears("a"), wants, itself, leaves("a"), leaves("b")}, 1, 1, 0, 1},
		{"it hears that it has left", []step{wants, leaves(me)}, 1, 0, 0, 0},
		{"others are silent", []step{hears("a"), at(31*second, wants), itself}, 1, 2, 1, 1},
		{"others were silent for a minute", []step{hears("a"), at(time.Minute, wants), itself}, 1, 1, 0, 1},
		{"others go on", []step{hears("a"), at(31*second, hears("a")), wants, itself}, 1, 2, 1, 2},
		{"it says so again", []step{wants, itself, at(19*second, wants), at(second, wants)}, 2, 1, 0, 1},
		{"it was silent", []step{wants, itself, at(31*second, hears("a"))}, 1, 2, 1, 0},
		{"it has been silent for a minute", []step{wants, itself, at(time.Minute, hears("a"))}, 1, 0, 0, 0},
		{"it comes back", []step{wants, itself, at(time.Minute, wants)}, 2, 0, 0, 0},
		{"it comes back, and hears itself", []step{wants, itself, at(time.Minute, wants), itself}, 2, 1, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			var s shares
			said := 0
			for _, step := range tt.steps {
				if time.Sleep(step.after); step.process == "" {
					due, full := s.want("lane", time.Now())
					assert.False(t, full, tt.name)
					if due {
						said++
					}
					continue
				}
				s.hear(sharer{"another lane", step.process}, step.process == me, step.leaves)
				s.hear(sharer{"lane", step.process}, step.process == me, step.leaves)
			}
			sharers, rank := s.divide("lane", me, time.Now())
			assert.Equal(t, []int{tt.said, tt.sharers, tt.rank}, []int{said, sharers, rank}, tt.name)
			time.Sleep(30 * second)
			sharers, _ = s.divide("lane", me, time.Now())
			assert.Equal(t, tt.sharersInAHalf, sharers, tt.name)
			time.Sleep(30 * second)
			s.tidy(time.Now())
			assert.Empty(t, s.own, tt.name)
			assert.Empty(t, s.others, tt.name)
			assert.Empty(t, s.of, tt.name)
		})
	}
}

// A share is told by a lesson in a lane of its own, and taken back once the process leaves. What could not be told is
// told again.
func TestSharesAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := teacher{newScript()}
		l := New(1<<20, s)
		l.breaks.me = "me"
		assert.True(t, l.SharesCeilings())
		assert.False(t, New(1<<20, s.script).SharesCeilings())
		a := OfUser("a")
		s.fails(errAway)
		l.wantShare(a)
		s.fails(errPanics)
		l.wantShare(a)
		s.fails(nil)
		l.wantShare(a)
		l.wantShare(a)
		const takes = "0s teach share me key a 0s 1"
		assert.Equal(t, []string{takes, takes, takes}, s.called())
		assert.False(t, l.hearShare(store.Change{Lane: "key a", Lesson: "1"}))
		assert.True(t, l.hearShare(store.Change{Lane: "share me key a"}))
		assert.True(t, l.hearShare(store.Change{Lane: "share me nothing", Lesson: "1"}))
		assert.True(t, l.hearShare(store.Change{Lane: "share other key a", Lesson: "1"}))
		assert.True(t, l.hearShare(store.Change{Lane: "share me key a", Lesson: "1"}))
		sharers, rank := l.shares.divide("key a", "me", time.Now())
		assert.Equal(t, [2]int{2, 0}, [2]int{sharers, rank})

		time.Sleep(59 * second)
		l.wantShare(OfUser("b"))
		s.called()
		time.Sleep(second)
		l.StopWatching()
		synctest.Wait()
		assert.Equal(t, []string{"1m0s teach share me key b 0s 0"}, s.called(), "the other was forgotten")
		l.StopWatching()
		synctest.Wait()
		assert.Empty(t, s.called())
		l.wantShare(OfUser("a"))
		l.wantShare(OfUser("b"))
		s.called()
		s.fails(errAway)
		l.StopWatching()
		synctest.Wait()
		assert.Len(t, s.called(), 1, "Turns is away")

		s.fails(nil)
		for i := range mostShares {
			l.shares.want(strconv.Itoa(i), time.Now())
		}
		terms := lane.Terms{Ceiling: 6, Gap: 1, Shares: true}
		for _, ok := range []bool{true, false} {
			_, goes := l.Begin(a, terms, lane.Arrival{At: second})
			assert.Equal(t, ok, goes, "the others do not know of it")
			time.Sleep(time.Nanosecond)
		}
		synctest.Wait()
		assert.Empty(t, s.called(), "it has too many")
		_, goes := l.Begin(a, terms, lane.Arrival{At: second})
		assert.True(t, goes, "it counts its own requests alone")
		assert.False(t, l.hearShare(store.Change{Lane: "key a"}))
	})
}
