package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/store"
)

// A watcher is a process that hears of breaks.
type watcher struct {
	*bench
	heard    chan news
	count    atomic.Int64
	cancel   func()
	returned chan struct{}
	err      error // of Watch
}

// news is a Change, and the end of its break.
type news struct {
	store.Change
	until moment
}

// watch begins to watch. It stops at the end of the test.
func (a *asker) watch() *watcher { return a.watchWith(func(store.Change) {}) }

// watchWith watches, and calls f for each Change.
func (a *asker) watchWith(f func(store.Change)) *watcher {
	ctx, cancel := context.WithCancel(a.Context())
	w := &watcher{bench: a.bench, heard: make(chan news, 1<<16), cancel: cancel, returned: make(chan struct{})}
	go func() {
		defer close(w.returned)
		w.err = a.turns.Watch(ctx, func(c store.Change) {
			at := a.moment()
			w.count.Add(1)
			w.heard <- news{c, moment{at.from + c.Break, at.to + c.Break, at.passed + c.Break}}
			f(c)
		})
	}()
	a.Cleanup(w.stop)
	return w
}

// stop waits until Watch has returned.
func (w *watcher) stop() {
	w.cancel()
	<-w.returned
}

// patience is how long a test in a bubble waits for a Change.
const patience = 10 * time.Second

// next returns the next Change.
func (w *watcher) next() (got news) {
	w.Helper()
	var silent <-chan time.Time
	if w.bubble {
		silent = time.After(patience)
	}
	select {
	case got = <-w.heard:
	case <-w.returned:
		w.Fatalf("Watch returned: %v", w.err)
	case <-silent:
		w.Fatalf("Watch has told nothing for %v", patience)
	}
	return got
}

// all returns the changes before the next zero Change.
func (w *watcher) all() map[string]news {
	w.Helper()
	told := make(map[string]news)
	for got := w.next(); got.Change != (store.Change{}); got = w.next() {
		told[got.Lane] = got
	}
	return told
}

// tells waits until it is told of a break in a lane that lasts for so long from some
// moment.
func (w *watcher) tells(from moment, lane string, left time.Duration) {
	w.Helper()
	told := w.upTo("the break of "+lane, func(c store.Change) bool { return c.Lane == lane && c.Break > 0 })
	w.between(from, told[len(told)-1].until, left)
}

// upTo waits until it is told what is wanted. In a bubble this takes a second at most. It
// returns all that it is told meanwhile, but the zero Change.
func (w *watcher) upTo(want string, is func(store.Change) bool) (told []news) {
	w.Helper()
	began := w.moment()
	for zeros := 0; zeros < 20 || w.moment().to-began.to < patience; {
		got := w.next()
		if got.Change == (store.Change{}) {
			zeros++
			continue
		}
		if told = append(told, got); is(got.Change) {
			if took := w.moment().to - began.to; w.bubble && took > time.Second {
				w.Errorf("Watch told of %.60q after %v", want, took)
			}
			return told
		}
	}
	w.Fatalf("Watch did not tell of %.60q", want)
	return nil
}

// closes reports whether Turns has a Close.
func closes(turns store.Turns) bool {
	_, fails := turns.(io.Closer)
	_, never := turns.(interface{ Close() })
	return fails || never
}

func closeTurns(turns store.Turns) {
	switch c := turns.(type) {
	case io.Closer:
		c.Close()
	case interface{ Close() }:
		c.Close()
	}
}

// Who watches hears of all breaks.
var watching = []turnsTest{
	{"Watch tells at first that there is no break", func(one, two *asker) {
		two.take("lane", ask("a", long))
		if told := one.watch().all(); len(told) > 0 {
			one.Errorf("Watch told %v", told)
		}
	}},
	{"Watch tells of the breaks under way before the zero Change", func(one, two *asker) {
		began := make(map[string]moment)
		for _, lane := range oddNames() {
			began[lane] = two.begins(lane, long)
		}
		two.begins("over", one.unit)
		one.outlast(one.unit)
		told := one.watch().all()
		for lane, from := range began {
			got, ok := told[lane]
			if !ok {
				one.Fatalf("Watch did not tell of %.40q", lane)
			}
			one.between(from, got.until, long)
		}
		if len(told) != len(began) {
			one.Errorf("Watch told of %d breaks, want %d", len(told), len(began))
		}
	}},
	{"Watch tells of the breaks that begin", func(one, two *asker) {
		w := one.watch()
		w.all()
		for _, lane := range oddNames() {
			w.tells(two.begins(lane, long), lane, long)
		}
		w.all()
	}},
	{"Watch tells of a break that becomes longer", func(one, two *asker) {
		two.begins("lane", long)
		w := one.watch()
		w.all()
		w.tells(two.begins("lane", 3*long), "lane", 3*long)
	}},
	{"Watch does not tell that a break becomes shorter", func(one, two *asker) {
		began := two.begins("lane", 3*long)
		w := one.watch()
		w.all()
		two.begins("lane", long)
		two.begins("another", long)
		told := make(map[string]news)
		for told["another"].Break == 0 {
			maps.Copy(told, w.all())
		}
		if got, ok := told["lane"]; ok {
			one.between(began, got.until, 3*long)
		}
	}},
	{"Watch tells the zero Change again and again", func(one, _ *asker) {
		w := one.watch()
		for range 4 {
			w.all()
		}
		if one.bubble {
			began := w.count.Load()
			time.Sleep(10 * time.Second) // by the clock of the bubble: one.pass may set another
			if n := w.count.Load() - began; n < 9 {
				one.Errorf("Watch called %d times in 10 s", n)
			}
		}
	}},
	{"each watcher hears of all breaks", func(one, two *asker) {
		watchers := []*watcher{one.watch(), two.watch(), one.watch()}
		for _, w := range watchers {
			w.all()
		}
		began := two.begins("lane", long)
		for _, w := range watchers {
			w.tells(began, "lane", long)
		}
		another := two.watch()
		another.tells(began, "lane", long)
	}},
	{"Watch ends when its context does", func(one, two *asker) {
		w := one.watch()
		w.all()
		w.stop()
		calls := w.count.Load()
		two.begins("lane", long)
		one.pass(one.unit)
		if n := w.count.Load(); n != calls {
			one.Errorf("Watch has called f %d times after it returned", n-calls)
		}
		ctx, cancel := context.WithCancel(one.Context())
		cancel()
		one.turns.Watch(ctx, func(store.Change) {})
	}},
	{"Watch ends with ErrClosed when Turns is closed", func(one, _ *asker) {
		if !closes(one.turns) {
			return
		}
		w := one.watch()
		w.all()
		closeTurns(one.turns)
		<-w.returned
		later := one.turns.Watch(one.Context(), func(store.Change) {})
		for _, err := range []error{w.err, later} {
			if !errors.Is(err, store.ErrClosed) {
				one.Errorf("Watch returned %v, want an ErrClosed", err)
			}
		}
	}},
	{"who hears slowly holds up nobody", func(one, two *asker) {
		wait := make(chan struct{})
		w := one.watchWith(func(store.Change) { <-wait })
		one.Cleanup(func() { close(wait) }) // before the watcher's
		w.next()
		began := one.begins("lane", long)
		one.between(began, two.left("lane"), long)
		one.between(began, one.take("lane", ask("a", long)).moment, long)
		two.watch().tells(began, "lane", long)
	}},
}

// writer returns the process as one that puts entries. Its Turns is a Store, too.
func (a *asker) writer() *client {
	return &client{bench: a.bench, store: a.turns.(store.Store)}
}

// tellsOf waits until it is told of an entry. It returns of which entries it is told
// meanwhile.
func (w *watcher) tellsOf(key string) (told []string) {
	w.Helper()
	for _, one := range w.upTo("the entry of "+key, func(c store.Change) bool { return c.Key == key }) {
		told = append(told, one.Key)
	}
	return told
}

// tellsNothingBut checks that it is told of the entry of key and of no other.
func (w *watcher) tellsNothingBut(key string) {
	w.Helper()
	w.tellsOnly(key)
	w.tellsNoMore()
}

// tellsOnly waits until it is told of the entry of key, and checks that it is told of no other
// before.
func (w *watcher) tellsOnly(key string) {
	w.Helper()
	for _, told := range w.tellsOf(key) {
		if told != key {
			w.Errorf("Watch told of the entry of %.40q", told)
		}
	}
}

// tellsNoMore checks that it is told of nothing before the next zero Change.
func (w *watcher) tellsNoMore() {
	w.Helper()
	for _, told := range w.all() {
		w.Errorf("Watch told %+v", told.Change)
	}
}

// replaces puts another entry in place of the one that the key has or gets.
func (c *client) replaces(key string) {
	c.Helper()
	first := c.stores(key, "", []byte("first"), long)
	c.stores(key, first, []byte("other"), long)
}

// Who watches hears of the entries that are replaced by others.
var telling = []turnsTest{
	{"Watch tells of an entry that is replaced by another", func(one, two *asker) {
		watchers := []*watcher{one.watch(), two.watch(), one.watch()}
		names := slices.DeleteFunc(oddNames(), func(name string) bool { return name == "" })
		for _, w := range watchers {
			w.all()
		}
		for i, key := range names {
			pick(i, one, two).writer().replaces(key)
			for _, w := range watchers {
				w.tellsOnly(key)
			}
		}
		for _, w := range watchers {
			w.tellsNoMore()
		}
	}},
	{"Watch tells of each entry that replaces another", func(one, two *asker) {
		put := two.writer()
		version := put.stores("key", "", []byte("first"), long)
		w := one.watch()
		w.all()
		for _, entry := range [][]byte{[]byte("second"), {}, []byte("First"), []byte("first"), []byte("first\x00")} {
			version = put.stores("key", version, entry, long)
			w.tellsOf("key")
		}
	}},
	{"Watch tells of nothing but entries of other octets", func(one, two *asker) {
		put := two.writer()
		w := one.watch()
		w.all()
		for i, entry := range oddEntries() {
			key := fmt.Sprint("same", i)
			version := put.stores(key, "", entry, long)
			one.pass(one.unit)
			version = put.stores(key, version, entry, long)
			put.puts(key, put.wins(key, version), nil)
		}
		put.replaces("replaced")
		w.tellsNothingBut("replaced")
	}},
	{"a Put that is lost tells nothing", func(one, two *asker) {
		put := two.writer()
		version := put.stores("key", "", []byte("first"), long)
		w := one.watch()
		w.all()
		late := put.winsFor("key", version, one.unit)
		one.outlast(one.unit)
		put.loses("key", late, []byte("late"))
		put.puts("key", put.wins("key", version), nil)
		put.loses("key", late, []byte("late"))
		put.replaces("replaced")
		w.tellsNothingBut("replaced")
	}},
	{"an entry of the empty key does no harm", func(one, two *asker) {
		w := one.watch()
		w.all()
		two.writer().replaces("")
		two.writer().replaces("replaced")
		w.tellsNothingBut("replaced")
	}},
	{"who hears slowly of entries holds up nobody", func(one, two *asker) {
		wait := make(chan struct{})
		w := one.watchWith(func(store.Change) { <-wait })
		one.Cleanup(func() { close(wait) }) // before the watcher's
		w.next()
		other := two.watch()
		other.all()
		one.writer().replaces("key")
		two.writer().replaces("another")
		other.tellsOf("another")
	}},
}
