package boltstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestStartsOutliveTheProcess(t *testing.T) {
	on(t, func(m *machine) {
		m.ask("slack", store.Ask{Token: "a", Gap: time.Minute, Slack: time.Hour})
		m.take("far", "a", time.Hour)
		m.take("far", "b", time.Hour) // in an hour
		m.take("now", "a", time.Hour)
		m.take("over", "a", time.Minute)
		m.take("short", "a", time.Second)
		time.Sleep(5 * time.Minute)
		m.restart()
		assert.Equal(t, 55*time.Minute, m.take("short", "c", time.Hour), "one who asks for a longer gap")
		time.Sleep(15 * time.Minute)
		m.restart()
		time.Sleep(20 * time.Minute)
		m.restart() // also when nobody took a turn meanwhile

		assert.Equal(t, time.Hour, m.take("far", "c", time.Hour), "the start that was reserved may just have been")
		assert.Equal(t, 20*time.Minute, m.take("now", "c", time.Hour))
		assert.Equal(t, 21*time.Minute, m.take("slack", "c", time.Minute))
		assert.Zero(t, m.take("over", "c", time.Minute))
		assert.Zero(t, m.take("new", "c", time.Minute))
	})
}

// After a crash, the start before may have been right before it.
func TestStartsAfterACrash(t *testing.T) {
	on(t, func(m *machine) {
		m.take("lane", "a", time.Hour)
		m.take("old", "a", time.Hour)
		m.restart()
		time.Sleep(time.Minute)
		m.crash()
		time.Sleep(time.Minute)
		assert.Equal(t, 59*time.Minute, m.take("lane", "a", time.Hour))
		assert.Equal(t, 9*time.Minute, m.take("other", "a", 10*time.Minute))
		assert.Zero(t, m.take("third", "a", time.Minute), "its gap is over")
		m.done("lane", "a")

		// The process after it does not know more, though this one closes the file.
		m.restart()
		time.Sleep(time.Minute)
		assert.Equal(t, 58*time.Minute, m.take("lane", "a", time.Hour))
		assert.Equal(t, 58*time.Minute, m.take("old", "a", time.Hour))
		assert.Equal(t, 58*time.Minute, m.take("fourth", "a", time.Hour))
		m.restart()
		time.Sleep(time.Hour)
		assert.Zero(t, m.take("fifth", "a", time.Hour))

		m.crash()
		require.NoError(t, m.store.Close())
		m.ahead = -year
		m.start()
		assert.Equal(t, time.Hour, m.take("sixth", "a", time.Hour), "by the time of day, the crash is yet to come")
	})
}

// A new file, and one that was closed before anything started.
func TestNothingHasStarted(t *testing.T) {
	on(t, func(m *machine) {
		for range 3 {
			assert.Zero(t, m.take("lane", "a", time.Hour))
			m.done("lane", "a")
			m.restart()
		}
	})
}

// A lane that nobody uses is forgotten, but not before its gap is over.
func TestLanesAreForgotten(t *testing.T) {
	on(t, func(m *machine) {
		m.take("long", "a", 5*time.Hour)
		for i := range 1000 {
			m.take(fmt.Sprint("lane", i), "a", time.Second)
		}
		time.Sleep(9 * time.Minute)
		m.take("new", "a", time.Second)
		assert.Equal(t, 1002, m.store.Lanes())
		assert.Equal(t, 51*time.Minute, m.take("lane0", "b", time.Hour), "one who asks for a longer gap")
		time.Sleep(time.Minute)
		for i := range 1000 {
			m.take(fmt.Sprint("another", i), "a", time.Second)
		}
		assert.Less(t, m.store.Lanes(), 1500)
		assert.Equal(t, 5*time.Hour-10*time.Minute, m.take("long", "b", time.Second))
		time.Sleep(4*time.Hour + 55*time.Minute)
		m.restart()
		assert.Equal(t, 1, m.store.Starts(), "that of long, where b has started")
		time.Sleep(time.Hour)
		m.restart()
		assert.Zero(t, m.store.Starts())
	})
}

// Starts are given back as far as they are remembered.
func TestManyStartsAreGivenBack(t *testing.T) {
	on(t, func(m *machine) {
		for i := range 100 {
			assert.Equal(t, time.Duration(i)*time.Hour, m.take("lane", fmt.Sprint(i), time.Hour))
		}
		assert.Equal(t, 37*time.Hour, m.take("lane", "37", time.Hour), "it is remembered")
		assert.Equal(t, 100*time.Hour, m.take("lane", "36", time.Hour), "it is not")
		m.done("lane", "36")
		for i := range 100 {
			m.done("lane", fmt.Sprint(99-i))
		}
		assert.Equal(t, 38*time.Hour, m.take("lane", "another", time.Hour), "after 37, the oldest that is")
	})
}

// The starts that are over do not pile up, but a token can give the newest one back.
func TestStartsThatAreOver(t *testing.T) {
	on(t, func(m *machine) {
		for i := range 10 {
			assert.Zero(t, m.take("lane", fmt.Sprint(i), time.Hour))
			time.Sleep(time.Hour)
		}
		assert.Zero(t, m.take("lane", "last", time.Hour))
		time.Sleep(time.Minute)
		m.take("lane", "b", time.Hour)
		m.done("lane", "b")
		assert.Zero(t, m.take("lane", "last", time.Hour))
		m.done("lane", "last")
		assert.Equal(t, 59*time.Minute, m.take("lane", "another", 2*time.Hour), "after that of an hour ago")
	})
}

// What is reserved while the store closes would not be in the file.
func TestTakeWhileTheStoreCloses(t *testing.T) {
	on(t, func(m *machine) {
		m.store.CloseLanes()
		_, err := m.store.Take(m.Context(), "lane", store.Ask{Token: "a", Gap: time.Hour})
		assert.ErrorIs(t, err, os.ErrClosed)
	})
}

// What comes is no number that harms: a day is the most, and a year for what users choose.
func TestNumbersOfAnAsk(t *testing.T) {
	const day = 24 * time.Hour
	tests := []struct {
		name string
		ask  store.Ask
		want time.Duration // until the next start
	}{
		{"an endless gap", store.Ask{Gap: 1<<63 - 1}, year},
		{"an endless slack", store.Ask{Gap: 1, Slack: 1<<63 - 1}, day + time.Second},
		{"an endless wait", store.Ask{Gap: 1, NotBefore: 1<<63 - 1}, year + time.Second},
		{"all of them", store.Ask{Gap: 1<<63 - 1, NotBefore: 1<<63 - 1, Slack: 1<<63 - 1}, 2*year + day},
		{"a negative gap", store.Ask{Gap: -1}, 0},
		{"a negative slack", store.Ask{Gap: 1, Slack: -day}, time.Second},
		{"a negative wait", store.Ask{Gap: 1, NotBefore: -day}, time.Second},
		{"a negative limit", store.Ask{Gap: 1, MaxWait: -1}, time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			on(t, func(m *machine) {
				test.ask.Token = "a"
				m.ask("lane", test.ask)
				assert.Equal(t, test.want, m.ask("lane", store.Ask{Token: "b", Gap: time.Second, NotBefore: test.ask.NotBefore}))
			})
		})
	}
}

func TestStartsWithoutEnd(t *testing.T) {
	on(t, func(m *machine) {
		last := time.Duration(0)
		for i := range 600 { // more years than a Duration has
			next := m.ask("lane", store.Ask{Token: fmt.Sprint(i), Gap: year, Slack: 24 * time.Hour})
			require.GreaterOrEqual(t, next, last)
			last = next
		}
		m.restart()
		m.take("lane", "a", time.Hour)
	})
}

// A break that is over is deleted, also one that the process before has left.
func TestBreaksAreForgotten(t *testing.T) {
	on(t, func(m *machine) {
		for i := range 100 {
			m.begin(fmt.Sprint("lane", i), time.Minute)
		}
		m.begin("long", year)
		m.crash()
		time.Sleep(time.Hour)
		m.crash()
		assert.Equal(t, 1, m.store.Breaks()[0], "the others are over")
		for i := range 20 {
			m.begin(fmt.Sprint("another", i), time.Hour)
		}
		assert.Equal(t, []int{21, 21}, m.store.Breaks())
		assert.Equal(t, 23*time.Hour, m.left("long"))
	})
}

// When the disk fails, Break tells it, and the break counts. It is written when that can
// be done.
func TestBreakOnADiskThatFails(t *testing.T) {
	on(t, func(m *machine) {
		broken := errors.New("broken")
		m.store.FailWrites(broken)
		assert.ErrorIs(t, m.store.Break(m.Context(), "lane", time.Hour), broken)
		assert.Equal(t, time.Hour, m.left("lane"))
		assert.ErrorIs(t, m.store.Break(m.Context(), "lane", time.Minute), broken, "the long one is not written yet")
		m.store.FailWrites(nil)
		time.Sleep(10 * time.Second)
		for range 2 {
			m.store.FailWrites(broken)
			assert.NoError(t, m.store.Break(m.Context(), "lane", time.Minute), "there is nothing to write")
			m.store.FailWrites(nil)
			m.crash()
			assert.InDelta(t, time.Hour, m.left("lane"), float64(time.Minute))
		}
	})
}

func TestPutOnADiskThatFails(t *testing.T) {
	on(t, func(m *machine) {
		broken := errors.New("broken")
		m.store.FailWrites(broken)
		m.put("key", "entry", time.Hour)
		m.settle()
		err := m.store.Put(m.Context(), "other", m.win("other"), []byte("entry"), time.Hour)
		assert.ErrorIs(t, err, broken)
		assert.ErrorContains(t, err, "boltstore: could not write the file: ")
		m.put("third", "entry", time.Hour) // it was told
		assert.Len(t, m.entries(), 3)
		m.store.FailWrites(nil)
		m.restart()
		assert.Len(t, m.entries(), 3)

		m.store.FailWrites(broken)
		m.put("fourth", "entry", time.Hour)
		assert.ErrorIs(t, m.store.Close(), broken)
		m.start()
		assert.Len(t, m.entries(), 3)
		assert.Equal(t, time.Hour, m.take("lane", "a", time.Hour), "the starts were not written")
		m.store.FailWrites(broken)
		assert.ErrorIs(t, m.store.Close(), broken, "also if nothing else is to be written")
	})
}

// A call ends with its context. Its work goes on.
func TestBreakWhoseContextEnds(t *testing.T) {
	on(t, func(m *machine) {
		gave := errors.New("gave up")
		ctx, cancel := context.WithCancelCause(m.Context())
		cancel(gave)
		assert.Equal(t, gave, m.store.Break(ctx, "lane", time.Hour))
		_, err := m.store.Claim(ctx, "key", "", time.Hour)
		assert.Equal(t, gave, err)

		release := m.store.Stall()
		ctx, cancel = context.WithCancelCause(m.Context())
		time.AfterFunc(time.Second, func() { cancel(gave) })
		assert.Equal(t, gave, m.store.Break(ctx, "lane", time.Hour))
		release()
		time.Sleep(time.Second)
		m.crash()
		assert.Positive(t, m.left("lane"))
	})
}

func TestWatch(t *testing.T) {
	on(t, func(m *machine) {
		m.begin("before", time.Hour)
		m.begin("over", time.Second)
		m.crash()
		time.Sleep(time.Minute)
		var told []string
		began := time.Now()
		ended := make(chan error)
		go func() {
			ended <- m.store.Watch(m.Context(), func(c store.Change) {
				if c != (store.Change{}) || len(told) < 2 {
					told = append(told, fmt.Sprint(time.Since(began), " ", c.Lane, " ", c.Break))
				}
			})
		}()
		time.Sleep(100 * time.Millisecond)
		m.begin("lane", time.Hour)
		m.begin("lane", time.Minute)
		time.Sleep(100 * time.Millisecond)
		m.begin("lane", 2*time.Hour)
		time.Sleep(time.Second)
		m.store.Close()
		closed := time.Now()
		assert.ErrorIs(t, <-ended, os.ErrClosed)
		assert.Zero(t, time.Since(closed))
		assert.Zero(t, m.store.Watchers())
		assert.Equal(t, []string{"0s before 59m0s", "0s  0s", "100ms lane 1h0m0s", "200ms lane 2h0m0s"}, told)
	})
}

// A gap that a user chooses may be longer than a day.
func TestLongGap(t *testing.T) {
	on(t, func(m *machine) {
		const gap = 36 * time.Hour
		assert.Zero(t, m.take("lane", "a", gap))
		assert.Equal(t, gap, m.take("lane", "b", gap))
		m.done("lane", "b")
		time.Sleep(6 * time.Hour)
		m.restart()
		assert.Equal(t, 30*time.Hour, m.take("lane", "c", gap))
		m.crash()
		assert.Equal(t, gap, m.take("lane", "d", gap), "nobody knows the last start")
		m.done("lane", "d")
		assert.Equal(t, 50*time.Hour, m.ask("lane", store.Ask{Token: "e", Gap: gap, NotBefore: 50 * time.Hour}))
	})
}
