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

// Put puts an entry, and keeps what Watch is to tell.
func (s *flawedTurns) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	before, _ := s.store.Claim(ctx, key, "", 0)
	err := s.store.Put(ctx, key, token, entry, keep)
	if s.isNews(before, entry, err) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.entries = append(s.entries, key)
	}
	return err
}

// isNews reports whether Watch tells of a Put after which the entry is another than before.
func (s *flawedTurns) isNews(before store.Claim, entry []byte, err error) bool {
	switch {
	case s.is("tells of each Put"):
		return true
	case s.is("tells of no entry"), s.is("tells of no empty entry") && len(entry) == 0:
		return false
	case err != nil:
		return s.is("tells of what is lost")
	case before.Version == "":
		return s.is("tells of first entries")
	case s.is("compares entries up to a NUL"):
		entry, _, _ = bytes.Cut(entry, []byte{0})
	}
	return entry != nil && !bytes.Equal(before.Entry, entry)
}

// replaced returns the news of entries that are not told. The caller holds the lock.
func (s *flawedTurns) replaced(told *flawedTold) (changes []store.Change) {
	for i, key := range s.entries {
		known := slices.Contains(s.entries[:i], key)
		switch {
		case i < told.entries, s.is("tells of a key once") && known:
			continue
		case s.is("tells nothing after the empty key") && slices.Contains(s.entries[:i], ""):
			continue
		case s.is("trims names"):
			key = strings.TrimSpace(key)
		}
		changes = append(changes, store.Change{Key: key})
	}
	told.entries = len(s.entries)
	return changes
}
