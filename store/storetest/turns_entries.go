package storetest

import (
	"fmt"
	"slices"

	"github.com/go-polite/polite/store"
)

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
