package boltstore

import (
	"bytes"
	"cmp"
	"context"
	"iter"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/go-polite/polite/store"
	"go.etcd.io/bbolt"
)

// Claim implements [store.Store]. Claims are in memory: they end with the process.
func (s *Store) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	name := keyOf(key)
	for {
		if err := s.check(ctx); err != nil {
			return store.Claim{}, err
		}
		at := s.writer.find(name)
		found, err := s.read(name, at)
		if err != nil {
			return store.Claim{}, err
		}
		if found != nil && found.token != seen {
			return store.Claim{Entry: found.bytes, Version: found.token, Age: s.age(found.put)}, nil
		}
		if lease <= 0 {
			return store.Claim{}, nil
		}
		if answer, ok := s.take(key, name, lease, at); ok {
			return answer, nil
		}
	}
}

// read returns the entry of a key, or nil.
func (s *Store) read(key []byte, at lookup) (*storedEntry, error) {
	look := func(value []byte) *storedEntry {
		if _, e, ok := readEntry(key, value); ok && s.age(e.put) <= e.keep {
			e.bytes = bytes.Clone(e.bytes)
			return &e
		}
		return nil
	}
	if at.pending != nil {
		return look(at.pending), nil
	}
	found, err := view(s.disk, func(tx *bbolt.Tx) (*storedEntry, error) {
		return look(tx.Bucket(tableEntries).Get(key)), nil
	})
	return found, ofRead(err)
}

// take claims a key. It returns false if an entry may have come since it was looked for.
func (s *Store) take(key string, name []byte, lease time.Duration, at lookup) (answer store.Claim, ok bool) {
	s.claiming.Lock()
	defer s.claiming.Unlock()
	if !s.writer.find(name).same(at) {
		return store.Claim{}, false
	}
	return s.claims.Take(key, lease), true
}

// Put implements [store.Store]. The file has the entry within a second. If the file could not be
// written lately, Put returns the error once. The entry is kept in memory nevertheless, and writing it
// is tried again. If too much waits to be written, Put changes nothing.
func (s *Store) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	if entry == nil {
		return s.put(key, token, func() error { return nil })
	}
	failed, err := s.writer.room(ctx)
	if err != nil {
		return err
	}
	other := s.replaces(key, entry)
	err = s.put(key, token, func() error {
		e := storedEntry{put: stamp{epoch: s.epoch, passed: s.clock.Now(), wall: s.wall()}, keep: keep, token: token, bytes: entry}
		return s.writer.add(string(keyOf(key)), e.seal(keyOf(key), key))
	})
	if err == nil && other {
		s.turns.Replaced(key)
	}
	return cmp.Or(err, failed)
}

// replaces reports whether key has another entry, as far as the file can be read. If the
// caller has the claim of key, nobody else puts one meanwhile.
func (s *Store) replaces(key string, entry []byte) bool {
	if key == "" {
		return false // it is not told
	}
	name := keyOf(key)
	before, err := s.read(name, s.writer.find(name))
	return err != nil || before != nil && !bytes.Equal(before.bytes, entry)
}

// put ends a claim, if do can do its part.
func (s *Store) put(key, token string, do func() error) error {
	s.claiming.Lock()
	defer s.claiming.Unlock()
	if !s.claims.Has(key, token) {
		return store.ErrLost
	}
	if err := do(); err != nil {
		return err
	}
	delete(s.claims, key)
	return nil
}

// An Entry is an entry as [Store.Entries] returns it.
type Entry struct {
	Key   string
	Bytes []byte        // as [Store.Put] got them
	Age   time.Duration // since Put; negative if the time of day was set back since then
	Keep  time.Duration // how long it may be of use, counted from Put
	Size  int64         // bytes that it takes in the file, about
}

// Entries returns all entries, in no order. An entry that is put or deleted meanwhile may be among them
// or not. After an error there are no more entries.
func (s *Store) Entries() iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		pending := s.writer.pending()
		for key, value := range pending {
			if r, ok := s.entryOf([]byte(key), value); ok && !yield(r, nil) {
				return
			}
		}
		for last := []byte{}; last != nil; {
			next, err := s.chunk(last, pending)
			if err != nil {
				yield(Entry{}, ofRead(err))
				return
			}
			last = next.last
			for _, r := range next.entries {
				if !yield(r, nil) {
					return
				}
			}
		}
	}
}

func (s *Store) entryOf(key, value []byte) (r Entry, ok bool) {
	text, e, ok := readEntry(key, value)
	r = Entry{Key: text, Bytes: bytes.Clone(e.bytes), Age: s.age(e.put), Keep: e.keep, Size: sizeOf(key, value)}
	return r, ok && r.Age <= r.Keep
}

// A chunk is some entries of the file.
type chunk struct {
	entries []Entry
	last    []byte // the last key; nil if there are none after it
}

// chunk returns the next entries after a key, without the pending ones. It reads few:
// while somebody reads, the space of old pages is not used again.
func (s *Store) chunk(after []byte, pending map[string][]byte) (chunk, error) {
	return view(s.disk, func(tx *bbolt.Tx) (next chunk, err error) {
		n := 0
		for k, v := range all(tx.Bucket(tableEntries), after) {
			if n++; n > sweepKeys {
				return next, nil
			}
			if bytes.Compare(k, after) <= 0 { // this would never end
				return next, ErrDamaged
			}
			if r, ok := s.entryOf(k, v); ok && pending[string(k)] == nil {
				next.entries = append(next.entries, r)
			}
			next.last = bytes.Clone(k)
		}
		next.last = nil
		return next, nil
	})
}

// Clear forgets all: entries, claims, breaks, and when requests started. So the first
// request to each site waits for one gap. The file does not get smaller: later
// entries take the space.
func (s *Store) Clear() error {
	if err := s.check(context.Background()); err != nil {
		return err
	}
	s.claiming.Lock()
	clear(s.claims)
	s.claiming.Unlock()
	s.writer.forget()
	s.turns.Clear()
	s.clean.Store(false)
	return ofWrite(s.disk.update(func(tx *bbolt.Tx) error {
		st, err := stateOf(tx)
		if err != nil {
			return err
		}
		if err := dropTables(tx); err != nil {
			return err
		}
		st.bytes, st.swept, st.floor = 0, nil, s.wall()
		return st.put(tx)
	}))
}

// A shelf is the table of entries in a transaction.
type shelf struct {
	table *bbolt.Bucket
	bytes int64 // that all entries take
	most  int64 // that they may take
	age   func(stamp) time.Duration
}

// sizeOf returns about what an entry takes in the file, with the space in its page that
// stays free. Where keys come in random order and old ones go, pages are somewhat more
// than half full. A large entry has pages of its own, and wastes less.
func sizeOf(key, value []byte) int64 {
	n := int64(len(key) + len(value) + elemSize)
	return n + min(n, pageSize/4)*3/4
}

// put replaces an entry. One that takes more than all may is not kept.
func (s *shelf) put(key, value []byte) error {
	if old := s.table.Get(key); old != nil {
		s.bytes -= sizeOf(key, old)
	}
	size := sizeOf(key, value)
	if size > s.most {
		return s.table.Delete(key)
	}
	s.bytes += size
	return s.table.Put(key, value)
}

// A sight is what a sweep sees of an entry.
type sight struct {
	key  []byte
	size int64
	age  time.Duration
	over bool // past its use
}

// sweep looks at n entries after a key. It removes those that are past their use and,
// if all take too much, the oldest quarter of the others. It returns the last key, or
// nil: then the next sweep begins anew.
func (s *shelf) sweep(after []byte, n int) (last []byte, err error) {
	var seen []sight
	for k, v := range all(s.table, after) {
		if len(seen) == n {
			break
		}
		_, e, ok := readEntry(k, v)
		last = bytes.Clone(k)
		r := sight{key: last, size: sizeOf(k, v), age: s.age(e.put)}
		r.over = !ok || r.age > e.keep
		if r.age < 0 { // of the future: it is asked for anew, so it is the least loss
			r.age = math.MaxInt64
		}
		seen = append(seen, r)
	}
	slices.SortFunc(seen, func(a, b sight) int { return cmp.Compare(b.age, a.age) })
	quarter := (len(seen) + 3) / 4
	for i, r := range seen {
		if r.over || i < quarter && s.bytes > s.most {
			s.bytes -= r.size
			err = cmp.Or(err, s.table.Delete(r.key))
		}
	}
	return last, err
}

const (
	sweepKeys   = 64 // looked at in one go
	sweepRounds = 16 // of a batch, for each that it needs itself
)

// putEntries writes entries, in the order of their keys, and sweeps: twice as many as it
// writes, and more while all take too much.
func putEntries(tx *bbolt.Tx, st *state, entries map[string][]byte, most int64, age func(stamp) time.Duration) error {
	s := &shelf{table: tx.Bucket(tableEntries), bytes: st.bytes, most: most, age: age}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		if err := s.put([]byte(key), entries[key]); err != nil {
			return err
		}
	}
	rounds := 1 + 2*len(entries)/sweepKeys
	for i := 0; i < rounds || s.bytes > most && i < sweepRounds*rounds; i++ {
		last, err := s.sweep(st.swept, sweepKeys)
		if err != nil {
			return err
		}
		st.swept = last
	}
	st.bytes = max(s.bytes, 0)
	return nil
}
