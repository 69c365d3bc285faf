package boltstore

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/go-polite/polite/store"
	"go.etcd.io/bbolt"
)

// A Journal keeps in the file of a [Store] what a queue has to do. It is a [store.Journal], and on disk when
// Write returns. Options.MaxBytes does not bound it, and Store.Clear leaves it alone.
type Journal struct {
	store *Store
	table []byte
}

var _ store.Journal = (*Journal)(nil)

// Journal returns the Journal with a name. Each queue needs a name of its own: once a queue has read the Journal,
// no other can, until the Store is opened again.
func (s *Store) Journal(name string) *Journal {
	if len(name) > longestKey { // bbolt writes a table of any name, and does not read it again
		name = string(keyOf(name))
	}
	return &Journal{store: s, table: []byte(ofQueue + name)}
}

// ofQueue begins the name of the table of a Journal.
const ofQueue = "queue "

// Write implements [store.Journal].
func (j *Journal) Write(ctx context.Context, changes map[string][]byte) error {
	if err := j.store.check(ctx); err != nil {
		return err
	}
	return ofWrite(j.store.disk.update(func(tx *bbolt.Tx) error {
		table, err := tx.CreateBucketIfNotExists(j.table)
		if err != nil {
			return err
		}
		table.FillPercent = 0.9 // most keys come in order
		for _, text := range slices.Sorted(maps.Keys(changes)) {
			key, value := keyOf(text), changes[text]
			if value == nil {
				err = table.Delete(key)
			} else {
				err = table.Put(key, seal(key, text, value))
			}
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// Lines implements [store.Journal]. The error is [ErrDamaged] if a line is damaged. After all lines were read, the
// Journal is in use, and Lines returns an error.
func (j *Journal) Lines(ctx context.Context) iter.Seq2[store.Line, error] {
	return func(yield func(store.Line, error) bool) {
		name, whole := string(j.table), false
		if _, used := j.store.journals.LoadOrStore(name, true); used {
			yield(store.Line{}, cmp.Or(j.store.check(ctx), fmt.Errorf("boltstore: another queue of this process uses the journal %.100q: let each queue have its own name", name[len(ofQueue):])))
			return
		}
		defer func() {
			if !whole {
				j.store.journals.Delete(name)
			}
		}()
		for last := []byte{}; last != nil; {
			err := j.store.check(ctx)
			var next part
			if err == nil {
				next, err = j.after(last)
			}
			if err != nil {
				yield(store.Line{}, ofRead(err))
				return
			}
			last = next.last
			for _, line := range next.lines {
				if !yield(line, nil) {
					return
				}
			}
		}
		whole = true
	}
}

// A part is some lines of a Journal.
type part struct {
	lines []store.Line
	last  []byte // the last key; nil if there are none after it
}

// linesAtOnce is how many lines one transaction reads.
const linesAtOnce = 10_000

// after returns the next lines after a key.
func (j *Journal) after(key []byte) (part, error) {
	return view(j.store.disk, func(tx *bbolt.Tx) (next part, err error) {
		table := tx.Bucket(j.table)
		if table == nil {
			return next, nil
		}
		for k, v := range all(table, key) {
			if len(next.lines) == linesAtOnce {
				return next, nil
			}
			text, r := unseal(k, v)
			if r.bad || bytes.Compare(k, key) <= 0 { // this would never end
				return part{}, ErrDamaged
			}
			next.last = bytes.Clone(k)
			next.lines = append(next.lines, store.Line{Key: text, Value: bytes.Clone(r.rest)})
		}
		next.last = nil
		return next, nil
	})
}
