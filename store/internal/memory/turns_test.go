package memory

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

// The starts that are over do not pile up.
func TestStartsThatAreOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		for i := range 10 {
			grant, _ := turns.Take("lane", store.Ask{Token: fmt.Sprint(i), Gap: time.Hour}, Start{})
			assert.Zero(t, grant.Wait)
			time.Sleep(time.Hour)
		}
		assert.LessOrEqual(t, len(turns.lanes["lane"].starts), 3)
	})
}

// A lane is remembered for longer than its own gap lasts, since another may ask for a longer one.
func TestLongerGapCountsFromTheLastStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		turns.Take("lane", store.Ask{Token: "one", Gap: 100 * time.Millisecond}, Start{})
		time.Sleep(5 * time.Second)
		for i := range 10_000 { // so that what is not needed is forgotten
			turns.Take(fmt.Sprint(i), store.Ask{Token: "one", Gap: 100 * time.Millisecond}, Start{})
		}
		grant, _ := turns.Take("lane", store.Ask{Token: "two", Gap: 10 * time.Second}, Start{})
		assert.Equal(t, 5*time.Second, grant.Wait)
	})
}

// A slot that is kept for a token which does not take it is that of the next, also if nobody calls meanwhile.
func TestSlotThatIsNotTakenIsHandedOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		ctx, stop := context.WithCancel(t.Context())
		told := make(map[string]time.Duration)
		began := time.Now()
		var watch sync.WaitGroup
		watch.Go(func() {
			turns.Watch(ctx, func(c store.Change) {
				if c.Token != "" {
					told[c.Token] = time.Since(began)
				}
			})
		})
		synctest.Wait()
		for _, token := range []string{"a", "b", "c"} {
			turns.Take("lane", store.Ask{Token: token, Slots: 1, Lease: 5 * time.Second, Queue: true}, Start{})
		}
		time.Sleep(time.Minute)
		stop()
		watch.Wait()
		assert.Equal(t, map[string]time.Duration{"b": 5 * time.Second, "c": 5*time.Second + store.QueueHold}, told)
	})
}

// A lane that delays nobody is forgotten, and then delays nobody either.
func TestForgottenLane(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		turns.Take("idle", store.Ask{Token: "one", Gap: time.Second}, Start{})
		time.Sleep(2 * remember)
		turns.Take("other", store.Ask{Token: "one", Gap: time.Second}, Start{})
		assert.False(t, turns.Has("idle"))
		grant, _ := turns.Take("third", store.Ask{Token: "one", Gap: time.Hour}, Start{})
		assert.Zero(t, grant.Wait)
	})
}

// A token that asks without a start gets its slot alone if its start would come within its Lead. It gives back the
// start that it has.
func TestStartless(t *testing.T) {
	ask := store.Ask{Token: "one", Gap: time.Second, Slots: 2, Lease: time.Minute, Queue: true, Startless: true, Lead: 1}
	for name, test := range map[string]struct {
		change    func(ask *store.Ask)
		has       bool // its start
		startless bool
		next      time.Duration
	}{
		"within":       {func(*store.Ask) {}, false, true, 0},
		"at its Lead":  {func(ask *store.Ask) { ask.Lead = 0 }, false, false, time.Second},
		"with a start": {func(ask *store.Ask) { ask.Startless = false }, false, false, time.Second},
		"without gap":  {func(ask *store.Ask) { ask.Gap = 0 }, false, false, 0},
		"has one":      {func(*store.Ask) {}, true, true, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			var turns Turns
			if own := ask; test.has {
				own.Startless = false
				turns.Take("lane", own, Start{})
			}
			own := ask
			test.change(&own)
			grant, _ := turns.Take("lane", own, Start{})
			assert.Equal(t, store.Grant{Slot: true, Startless: test.startless, Gap: grant.Gap}, grant, name)
			grant, _ = turns.Take("lane", store.Ask{Token: "two", Gap: time.Second}, Start{})
			assert.Equal(t, test.next, grant.Wait, name)
		})
	}
}

// What lanes, breaks and lessons take is counted, and given back when they are forgotten.
func TestBytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		turns.Teach("lane", "a lesson", time.Hour)
		turns.Teach("lane", "another", time.Hour)
		assert.Equal(t, int64(lessonBytes+len("lane"+"another")), turns.Bytes())
		lessons := turns.Bytes()
		for range 2 {
			turns.Break("lane", Break{Until: time.Now().Add(time.Minute)})
			assert.Equal(t, int64(breakBytes+len("lane")), turns.Bytes()-lessons)
			time.Sleep(time.Second)
		}
		turns.Bound(lessons)
		turns.Teach("lane", "a third", time.Hour) // too much
		assert.Zero(t, turns.Bytes())

		turns.Bound(0)
		for _, token := range []string{"one", "two"} {
			turns.Take("lane", store.Ask{Token: token, Gap: time.Second}, Start{})
			turns.Take("slots", store.Ask{Token: token, Slots: 2, Lease: time.Hour}, Start{})
			assert.Equal(t, turns.lanes["lane"].bytes+turns.lanes["slots"].bytes, turns.Bytes())
		}
		assert.Greater(t, turns.lanes["slots"].bytes, int64(laneBytes+2*slotBytes))
		turns.Break("lane", Break{Until: time.Now().Add(time.Minute)})
		turns.Teach("lane", "a lesson", time.Hour)
		turns.Clear()
		assert.Equal(t, turns.lanes["slots"].bytes, turns.Bytes(), "slots stay taken")
	})
}

// Breaks that are over are dropped, some at a time.
func TestDropOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		watcher := turns.watch()
		for i := range 6 {
			turns.Break(fmt.Sprint(i), Break{Until: time.Now().Add(time.Minute)})
		}
		turns.DropOver(6)
		_, breaks, _ := turns.Count()
		assert.Equal(t, 6, breaks)
		time.Sleep(time.Minute)
		for _, want := range []int{4, 2, 0, 0} {
			turns.DropOver(2)
			_, breaks, _ := turns.Count()
			assert.Equal(t, want, breaks)
			assert.Len(t, watcher.lanes, want)
		}
		assert.Zero(t, turns.Bytes())
	})
}

// A Watch that does not keep up with what it is to tell has missed something, and keeps no more.
func TestSlowWatch(t *testing.T) {
	for name, change := range map[string]func(turns *Turns, text string){
		"keys":   func(turns *Turns, text string) { turns.Replaced(text) },
		"tokens": func(turns *Turns, text string) { turns.call("lane", text) },
	} {
		var turns Turns
		watcher := turns.watch()
		for i := range mostKeys {
			change(&turns, fmt.Sprint(i))
		}
		assert.False(t, watcher.missed, name)
		for range 2 {
			change(&turns, "one more")
			assert.True(t, watcher.missed, name)
		}
		assert.Equal(t, mostKeys, len(watcher.keys)+len(watcher.calls), name)
		n := 0
		assert.True(t, turns.tell(watcher, func(store.Change) { n++ }), name)
		assert.Equal(t, mostKeys, n)
	}
}

// Who waits in the queue is told to wait for those before, by the longest gap in the lane.
func TestQueueWaitsByTheLongestGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		for i, test := range []struct{ gap, wait time.Duration }{
			{10 * time.Second, 0}, {time.Second, 10 * time.Second}, {time.Second, 20 * time.Second}, {20 * time.Second, 60 * time.Second},
		} {
			grant, _ := turns.Take("lane", store.Ask{Token: fmt.Sprint(i), Gap: test.gap, Slots: 1, Lease: time.Hour, Queue: true}, Start{})
			assert.Equal(t, i > 0, grant.Queued, i)
			assert.Equal(t, test.wait, grant.Wait, i)
		}
	})
}

// Breaks that follow each other have one beginning, and count as one that came when the first did.
func TestBreaksThatFollowEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var turns Turns
		first := time.Now()
		for i, begins := range []time.Duration{0, 0, 3 * time.Minute} {
			assert.True(t, turns.Break("lane", Break{Until: time.Now().Add(2 * time.Minute)}))
			assert.False(t, turns.Break("lane", Break{Until: time.Now().Add(2 * time.Minute)}), "it ends no later")
			b, _ := turns.BreakOf("lane")
			assert.Equal(t, begins, b.Since.Sub(first), i)
			assert.Equal(t, map[bool]int64{true: 1, false: 2}[begins == 0], b.age)
			time.Sleep(time.Duration(i+1) * time.Minute)
		}
		turns.Break("recalled", Break{Until: time.Now().Add(time.Minute), Since: first})
		b, _ := turns.BreakOf("recalled")
		assert.Equal(t, first, b.Since)
	})
}
