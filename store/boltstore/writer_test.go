package boltstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A paper is what a writer writes on.
type paper struct {
	*testing.T
	*writer
	began time.Time

	mu      sync.Mutex
	takes   time.Duration // a write
	broken  error
	written []string // what, and when
}

func onPaper(t *testing.T, f func(p *paper)) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{T: t, began: time.Now()}
		p.writer = newWriter(p.write)
		f(p)
		p.is(0, nil)
		p.close()
	})
}

func (p *paper) write(b *batch) error {
	p.mu.Lock()
	takes, broken := p.takes, p.broken
	p.mu.Unlock()
	time.Sleep(takes)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.written = append(p.written, fmt.Sprintf("%v: %d entries, %d breaks", time.Since(p.began), len(b.entries), len(b.lanes)))
	return broken
}

// is says how writes go from now on.
func (p *paper) is(takes time.Duration, broken error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.takes, p.broken = takes, broken
}

func (p *paper) wrote(want ...string) {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Equal(p, want, p.written)
}

func (p *paper) wroteTimes(n int) {
	p.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	assert.Len(p, p.written, n)
}

var errBroken = errors.New("broken")

func (p *paper) put(key, value string) {
	p.Helper()
	require.NoError(p, p.add(key, []byte(value)))
}

// begin begins a break.
func (p *paper) begin(lane string) error {
	return p.addBreak(p.Context(), lane, func() bool { return true })
}

func (p *paper) has(key, value string) {
	p.Helper()
	assert.Equal(p, value, string(p.find([]byte(key)).pending))
}

func TestEntriesAreWrittenOnceASecond(t *testing.T) {
	onPaper(t, func(p *paper) {
		for i := range 25 {
			p.put(fmt.Sprint(i), "value")
			time.Sleep(101 * time.Millisecond)
		}
		time.Sleep(time.Hour)
		p.wrote(
			"1s: 10 entries, 0 breaks", "2.01s: 10 entries, 0 breaks", "3.02s: 5 entries, 0 breaks",
		)
	})
}

func TestABreakIsWrittenAtOnceWithAllThatIsPending(t *testing.T) {
	onPaper(t, func(p *paper) {
		p.is(10*time.Millisecond, nil)
		p.put("a", "value")
		require.NoError(t, p.begin("lane"))
		p.wrote("10ms: 1 entries, 1 breaks")
	})
}

func TestBreaksShareAWrite(t *testing.T) {
	onPaper(t, func(p *paper) {
		p.is(time.Second, nil)
		done := make(chan error)
		for i := range 100 {
			go func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				done <- p.begin(fmt.Sprint(i))
			}()
		}
		for range 100 {
			require.NoError(t, <-done)
		}
		p.wrote("1s: 0 entries, 1 breaks", "2s: 0 entries, 99 breaks")
	})
}

func TestWhatIsBeingWrittenIsFound(t *testing.T) {
	onPaper(t, func(p *paper) {
		p.is(time.Minute, nil)
		p.put("a", "old")
		p.put("b", "old")
		p.has("a", "old")
		before := p.find([]byte("a"))
		time.Sleep(2 * time.Second)
		p.has("a", "old")
		assert.True(t, before.same(p.find([]byte("a"))))
		p.put("a", "new")
		p.has("a", "new")
		assert.False(t, before.same(p.find([]byte("a"))))
		assert.Equal(t, map[string][]byte{"a": []byte("new"), "b": []byte("old")}, p.pending())
		time.Sleep(time.Hour)
		p.has("a", "")
		p.wroteTimes(2)
	})
}

func TestAWriteThatFailsIsTriedAgain(t *testing.T) {
	onPaper(t, func(p *paper) {
		p.is(0, errBroken)
		p.put("a", "old")
		p.put("b", "old")
		time.Sleep(2 * time.Second)
		p.put("a", "new")
		time.Sleep(time.Minute)
		p.has("a", "new")
		p.has("b", "old")
		failed, err := p.room(p.Context())
		assert.NoError(t, err)
		assert.Equal(t, errBroken, failed)
		failed, _ = p.room(p.Context())
		assert.NoError(t, failed, "it was told")

		p.is(0, nil)
		time.Sleep(time.Minute)
		failed, _ = p.room(p.Context())
		assert.NoError(t, failed, "it is over")
		p.put("a", "newer")
		time.Sleep(1100 * time.Millisecond)
		p.wrote(
			"1s: 2 entries, 0 breaks", "3s: 2 entries, 0 breaks", "7s: 2 entries, 0 breaks",
			"15s: 2 entries, 0 breaks", "31s: 2 entries, 0 breaks", "1m3s: 2 entries, 0 breaks", "2m3s: 1 entries, 0 breaks",
		)
	})
}

// What was put while a write failed is newer than what the write had.
func TestAWriteThatFailsBringsNothingOldBack(t *testing.T) {
	onPaper(t, func(p *paper) {
		p.is(time.Minute, errBroken)
		p.put("a", "old")
		time.Sleep(2 * time.Second)
		p.put("a", "new")
		time.Sleep(time.Hour)
		p.has("a", "new")
	})
}

// An entry that was put and written meanwhile leaves a trace.
func TestALookupTellsOfWrites(t *testing.T) {
	onPaper(t, func(p *paper) {
		before := p.find([]byte("a"))
		p.put("a", "value")
		require.NoError(t, p.flush(p.Context()))
		p.has("a", "")
		assert.False(t, before.same(p.find([]byte("a"))))
	})
}

// A break that cannot be written is tried again, as long as it is kept.
func TestABreakThatCannotBeWrittenIsTriedAgain(t *testing.T) {
	onPaper(t, func(p *paper) {
		p.kept = func(lane string) bool { return lane == "lane" }
		p.is(0, errBroken)
		assert.Equal(t, errBroken, p.begin("lane"))
		assert.Equal(t, errBroken, p.begin("over"))
		p.is(0, nil)
		time.Sleep(time.Hour)
		p.wrote("0s: 0 entries, 1 breaks", "0s: 0 entries, 2 breaks", "2s: 0 entries, 1 breaks")
	})
}

// Too much is pending by its bytes, or by its number.
func TestTooMuchIsWrittenAtOnce(t *testing.T) {
	tests := []struct {
		name string
		n    int
		size int
	}{
		{"large entries", 9, 1 << 20},
		{"small entries", mostValues + 1, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			onPaper(t, func(p *paper) {
				p.is(time.Minute, nil)
				for i := range test.n {
					_, err := p.room(p.Context())
					require.NoError(t, err)
					p.put(fmt.Sprint(i), string(make([]byte, test.size)))
				}
				assert.Zero(t, time.Since(p.began), "the first is being written, and one more fits")
				for i := range test.n {
					_, err := p.room(p.Context())
					require.NoError(t, err)
					p.put(fmt.Sprint("more", i), string(make([]byte, test.size)))
				}
				assert.Equal(t, 2*time.Minute, time.Since(p.began))
			})
		})
	}
}

// The smaller the file has to be, the smaller are batches.
func TestLimit(t *testing.T) {
	for file, want := range map[int64][2]int{0: {64 << 10, 64}, 64 << 20: {2 << 20, 2 << 10}, 4 << 30: {mostBytes, mostValues}} {
		w := newWriter(nil)
		w.limit(file)
		assert.Equal(t, want, [2]int{w.most, w.many})
	}
}

func TestAnEntryThatIsPutAgainCountsOnce(t *testing.T) {
	onPaper(t, func(p *paper) {
		for range 20 {
			p.put("a", string(make([]byte, 1<<20)))
		}
		time.Sleep(time.Hour)
		p.wrote("1s: 1 entries, 0 breaks")
	})
}

func TestTooMuchThatCannotBeWritten(t *testing.T) {
	onPaper(t, func(p *paper) {
		p.is(0, errBroken)
		for i := range mostValues {
			p.put(fmt.Sprint(i), "value")
		}
		time.Sleep(1100 * time.Millisecond)
		_, err := p.room(p.Context())
		assert.Equal(t, errBroken, err, "there is no room")
		p.has("0", "value")

		p.is(time.Minute, errBroken)
		ctx, cancel := context.WithTimeout(p.Context(), time.Second)
		defer cancel()
		_, err = p.room(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)

		p.is(0, nil)
		time.Sleep(time.Hour)
		_, err = p.room(p.Context())
		assert.NoError(t, err)
		assert.Zero(t, len(p.pending()))
	})
}

func TestForgottenEntriesAreNotWrittenAgain(t *testing.T) {
	onPaper(t, func(p *paper) {
		p.is(time.Minute, errBroken)
		p.put("a", "value")
		time.Sleep(2 * time.Second)
		p.put("b", "value")
		p.forget()
		assert.Zero(t, p.next.bytes)
		time.Sleep(time.Hour)
		assert.Zero(t, len(p.pending()))
		p.wroteTimes(1)
	})
}

func TestCloseWritesWhatIsPending(t *testing.T) {
	onPaper(t, func(p *paper) {
		p.is(time.Second, nil)
		p.put("a", "value")
		time.Sleep(1500 * time.Millisecond)
		p.put("b", "value")
		require.NoError(t, p.close())
		p.wrote("2s: 1 entries, 0 breaks", "3s: 1 entries, 0 breaks")
		assert.ErrorIs(t, p.add("c", nil), errClosed)
		assert.ErrorIs(t, p.begin("lane"), errClosed)
		time.Sleep(time.Hour)
		p.wroteTimes(2)
	})
}

func TestCloseWhileAWriteFails(t *testing.T) {
	onPaper(t, func(p *paper) {
		p.is(time.Minute, errBroken)
		p.put("a", "value")
		time.Sleep(2 * time.Second)
		assert.Equal(t, errBroken, p.close())
		time.Sleep(time.Hour)
		p.wroteTimes(1)
	})
}
