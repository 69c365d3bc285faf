package boltstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/go-polite/polite"
	"go.etcd.io/bbolt"
)

// Claim implements [polite.Store].
func (s *Store) Claim(ctx context.Context, key, seen string, lease time.Duration) (polite.Claim, error) {
	for {
		if err := s.check(ctx); err != nil {
			return polite.Claim{}, err
		}
		at := s.writer.find(string(keyOf(key)))
		found, err := s.find(key, at)
		if err != nil {
			return polite.Claim{}, err
		}
		if found != nil && found.version() != seen {
			return polite.Claim{Record: found.bytes, Version: found.version(), Age: s.age(found.put)}, nil
		}
		if lease <= 0 {
			return polite.Claim{}, nil
		}
		if answer, ok := s.take(key, lease, at); ok {
			return answer, nil
		}
	}
}

// find returns the record of a key, or nil.
func (s *Store) find(text string, at place) (*entry, error) {
	key := keyOf(text)
	var e entry
	var ok bool
	if at.value != nil {
		_, e, ok = entryOf(key, at.value)
	} else if err := s.disk.view(func(tx *bbolt.Tx) error {
		_, e, ok = entryOf(key, tx.Bucket(tableRecords).Get(key))
		e = e.clone()
		return nil
	}); err != nil {
		return nil, fmt.Errorf("boltstore: could not read the file: %w", err)
	}
	if !ok || s.age(e.put) > e.keep {
		return nil, nil
	}
	return &e, nil
}

// take claims a key. It returns false if a record may have come since it was looked
// for.
func (s *Store) take(key string, lease time.Duration, at place) (answer polite.Claim, ok bool) {
	s.claims.mu.Lock()
	defer s.claims.mu.Unlock()
	if !s.writer.find(string(keyOf(key))).same(at) {
		return answer, false
	}
	token := newToken()
	if answer.Wait = s.claims.take(key, token, lease); answer.Wait == 0 {
		answer.Token = token
	}
	return answer, true
}

func newToken() string {
	b := make([]byte, tokenBytes)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// Put implements [polite.Store]. The file has the record after a second at most. If the
// file could not be written, Put returns the error, once. The record is kept in memory
// then, and writing it is tried again, unless too much waits to be written.
func (s *Store) Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error {
	if err := s.check(ctx); err != nil {
		return err
	}
	var failed error
	if record != nil {
		room, err := s.writer.room(ctx)
		if !room {
			return err
		}
		failed = err
	}
	s.claims.mu.Lock()
	defer s.claims.mu.Unlock()
	if !s.claims.end(key, token) {
		return polite.ErrLost
	}
	if record != nil {
		s.keep(key, token, record, keep)
	}
	return failed
}

func (s *Store) keep(text, token string, record []byte, keep time.Duration) {
	raw, _ := base64.RawURLEncoding.DecodeString(token) // a token of ours
	put := stamp{epoch: s.epoch, passed: s.clock.Now(), wall: s.wall()}
	key := keyOf(text)
	s.writer.record(string(key), entry{put: put, keep: keep, token: raw, bytes: record}.seal(key, text))
}

// A Record is what [Store.Records] tells of a record.
type Record struct {
	Key   string
	Bytes []byte        // what [Store.Put] was given
	Age   time.Duration // since then; negative if the time of day was set back
	Keep  time.Duration // how long it may be of use, from then on
	Size  int64         // bytes that it takes in the file, about
}

const chunk = 256 // records that are read in one go

// Records returns all records, in the order of their keys. A record that is put or
// deleted meanwhile may be among them or not. After an error, there are no more.
func (s *Store) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		err := s.writer.flush(context.Background())
		var after []byte
		for err == nil {
			var records []Record
			if records, after, err = s.chunk(after); len(records) == 0 {
				break
			}
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
			}
		}
		if err != nil {
			yield(Record{}, err)
		}
	}
}

// chunk returns some records after a key, and the last key.
func (s *Store) chunk(after []byte) (records []Record, last []byte, err error) {
	if err := s.check(context.Background()); err != nil {
		return nil, nil, err
	}
	err = s.disk.view(func(tx *bbolt.Tx) error {
		c := tx.Bucket(tableRecords).Cursor()
		k, v := c.Seek(after)
		if k != nil && bytes.Equal(k, after) {
			k, v = c.Next()
		}
		for ; k != nil && len(records) < chunk; k, v = c.Next() {
			last = append(last[:0], k...)
			text, e, ok := entryOf(k, v)
			if age := s.age(e.put); ok && age <= e.keep {
				records = append(records, Record{Key: text, Bytes: bytes.Clone(e.bytes), Age: age, Keep: e.keep, Size: sizeOf(k, v)})
			}
		}
		return nil
	})
	return records, last, err
}

// Clear forgets all: records, claims, breaks and starts. Since it forgets when requests
// started, the first turn of each lane waits for one gap. The file keeps its size; what
// is put later takes the space.
func (s *Store) Clear() error {
	if err := s.check(context.Background()); err != nil {
		return err
	}
	s.claims.clear()
	s.writer.forget()
	s.pauses.clear()
	s.lanes.clear(s.now())
	return tell(s.disk.update(func(tx *bbolt.Tx) error {
		return errors.Join(dropTables(tx), setNumber(tx, aboutFloor, uint64(max(s.wall().UnixMilli(), 0))))
	}))
}
