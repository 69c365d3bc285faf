package storetest_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/store"
)

func (s *flawedTurns) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	return s.store.Claim(ctx, key, seen, lease)
}

// Put puts a record, and keeps what Watch is to tell.
func (s *flawedTurns) Put(ctx context.Context, key, token string, record []byte, keep time.Duration) error {
	before, _ := s.store.Claim(ctx, key, "", 0)
	err := s.store.Put(ctx, key, token, record, keep)
	if s.isNews(before, record, err) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.records = append(s.records, key)
	}
	return err
}

// isNews reports whether Watch tells of a Put after which the record is another than before.
func (s *flawedTurns) isNews(before store.Claim, record []byte, err error) bool {
	switch {
	case s.is("tells of each Put"):
		return true
	case s.is("tells of no record"), s.is("tells of no empty record") && len(record) == 0:
		return false
	case err != nil:
		return s.is("tells of what is lost")
	case before.Version == "":
		return s.is("tells of first records")
	case s.is("compares records up to a NUL"):
		record, _, _ = bytes.Cut(record, []byte{0})
	}
	return record != nil && !bytes.Equal(before.Entry, record)
}

// replaced returns the news of records that are not told. The caller holds the lock.
func (s *flawedTurns) replaced(told *flawedTold) (changes []store.Change) {
	for i, key := range s.records {
		known := slices.Contains(s.records[:i], key)
		switch {
		case i < told.records, s.is("tells of a key once") && known:
			continue
		case s.is("tells nothing after the empty key") && slices.Contains(s.records[:i], ""):
			continue
		case s.is("trims names"):
			key = strings.TrimSpace(key)
		}
		changes = append(changes, store.Change{Key: key})
	}
	told.records = len(s.records)
	return changes
}
