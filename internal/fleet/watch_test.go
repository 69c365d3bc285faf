package fleet

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/store"
	"github.com/stretchr/testify/assert"
)

// A listener is a watch, and what it has told.
type listener struct {
	*watch
	turns *script
	busy  atomic.Bool

	mu   sync.Mutex
	told []string
}

func newListener() *listener {
	l := &listener{turns: newScript()}
	note := func(text string) func() {
		return func() {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.told = append(l.told, fmt.Sprint(time.Since(l.turns.began), " ", text))
		}
	}
	l.watch = &watch{
		turns: l.turns, health: new(health), tell: func(c store.Change) { note("hears of " + c.Lane)() }, busy: l.busy.Load,
		wake: note("wakes"), miss: note("misses"), leave: note("leaves"), all: func(first bool) { note(fmt.Sprint("hears all ", first))() },
		born: l.turns.began,
	}
	return l
}

// so returns what was told since the last time.
func (l *listener) so() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	told := l.told
	l.told = nil
	return told
}

// A process hears all while Turns says so once in three seconds. Then those who wait are woken. What may have been
// missed before the first time, and after the last, is told.
func TestHears(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener()
		says, ends := make(chan store.Change), make(chan error)
		l.turns.watches(func(ctx context.Context, f func(store.Change)) error {
			for {
				select {
				case c := <-says:
					f(c)
				case err := <-ends:
					return err
				}
			}
		})
		say := func(c store.Change) { says <- c; synctest.Wait() }
		assert.False(t, l.hears())
		assert.False(t, l.hears(), "it listens once")
		say(store.Change{Lane: "a"})
		assert.False(t, l.hears())
		say(store.Change{})
		assert.True(t, l.hears())
		time.Sleep(2 * second)
		say(store.Change{})
		assert.Equal(t, []string{"0s hears of a", "0s misses", "0s hears all true", "2s hears all false"}, l.so())
		_, silent := l.silent()
		assert.False(t, silent)
		time.Sleep(2999 * ms)
		assert.True(t, l.hears())
		time.Sleep(2 * ms)
		synctest.Wait()
		assert.False(t, l.hears())
		since, silent := l.silent()
		assert.True(t, silent)
		assert.WithinDuration(t, time.Now(), since, 2*ms)
		assert.Equal(t, []string{"5s wakes"}, l.so())
		say(store.Change{})
		assert.True(t, l.hears())
		assert.EqualValues(t, 1, l.generation())
		ends <- errAway
		synctest.Wait()
		assert.False(t, l.hears())
		assert.EqualValues(t, 2, l.generation(), "reservations are void")
		assert.Equal(t, []string{"5.001s hears all false", "5.001s misses", "5.001s wakes"}, l.so())
		time.Sleep(second)
		ends <- errAway
		synctest.Wait()
		assert.EqualValues(t, 2, l.generation(), "it had heard nothing")
		assert.Empty(t, l.so())
		time.Sleep(second)
		ends <- store.ErrClosed
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Nil(t, l.end, "it listens no more")
		assert.False(t, l.health.get().listens)
	})
}

// A Watch that returns is called again after a second, or very soon if it had gone on for a while; also if it panics.
func TestWatchIsCalledAgain(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lasts []time.Duration // of each call; the next ones end at once
		hears bool
		ends  func() error
		calls []time.Duration
	}{
		{"at once", nil, false, func() error { return errAway }, []time.Duration{0, second, 2 * second, 3 * second}},
		{"it panics", nil, false, func() error { panic("of Watch") }, []time.Duration{0, second, 2 * second, 3 * second}},
		{"at once, when all was told", []time.Duration{499 * ms}, true, func() error { return errAway }, []time.Duration{0, 1499 * ms, 2499 * ms, 3499 * ms}},
		{"after a while in which nothing was heard", []time.Duration{second}, false, func() error { return errAway }, []time.Duration{0, 2 * second, 3 * second}},
		{"after a while", []time.Duration{500 * ms}, true, func() error { return errAway },
			[]time.Duration{0, 600 * ms, 700 * ms, 800 * ms, 900 * ms, 1000 * ms, 1125 * ms, 1281 * ms, 1477 * ms, 1721 * ms, 2026 * ms, 2407 * ms, 2884 * ms, 3480 * ms}},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := newListener()
			l.busy.Store(true)
			var calls []time.Duration
			l.turns.watches(func(ctx context.Context, f func(store.Change)) error {
				calls = append(calls, time.Since(l.turns.began).Round(ms))
				if tt.hears {
					f(store.Change{})
				}
				if n := len(calls); n <= len(tt.lasts) {
					time.Sleep(tt.lasts[n-1])
				}
				return tt.ends()
			})
			l.hears()
			time.Sleep(3600 * ms)
			l.stop()
			l.stop()
			time.Sleep(second)
			synctest.Wait()
			assert.Equal(t, tt.calls, calls, tt.name)
			assert.Nil(t, l.end, tt.name)
		})
	}
}

// A process listens until no request has come for ten seconds, and none is under way; also if Watch ends its goroutine.
func TestListensWhileUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newListener()
		l.turns.watches(func(ctx context.Context, f func(store.Change)) error {
			for ctx.Err() == nil {
				f(store.Change{})
				time.Sleep(second / 2)
			}
			return ctx.Err()
		})
		ended := func() bool {
			synctest.Wait()
			l.watch.mu.Lock()
			defer l.watch.mu.Unlock()
			return l.end == nil
		}
		assert.False(t, l.hears())
		time.Sleep(5 * second)
		assert.True(t, l.hears())
		time.Sleep(9900 * ms)
		assert.False(t, ended())
		l.busy.Store(true)
		time.Sleep(time.Minute)
		assert.False(t, ended(), "a request is under way")
		assert.NotContains(t, fmt.Sprint(l.so()), "leaves")
		l.busy.Store(false)
		time.Sleep(second)
		assert.True(t, ended())
		assert.Contains(t, fmt.Sprint(l.so()), "leaves")
		time.Sleep(10 * second)
		assert.NotContains(t, fmt.Sprint(l.so()), "wakes", "nobody waits to be called")

		l.turns.watches(func(context.Context, func(store.Change)) error { runtime.Goexit(); return nil })
		l.hears()
		assert.True(t, ended())
		l.turns.watches(func(context.Context, func(store.Change)) error { return errAway })
		l.hears()
		time.Sleep(9 * second)
		assert.False(t, ended())
		time.Sleep(3 * second)
		assert.True(t, ended(), "also if it does not hear")
	})
}
