package storetest_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/store"
)

var storeFlaws = []flaw{
	{"grants nothing", "while one may fetch, another waits"},
	{"grants nothing to who has seen an entry", "while one fetches again, others have the entry"},
	{"grants a claim to all", "while one may fetch, another waits"},
	{"tells the lease for the wait", "a wait becomes shorter"},
	{"tells the asker's lease for the wait", "who has waited may fetch"},
	{"tells less than the wait", "who has waited may fetch"},
	{"hides an entry that is fetched again", "while one fetches again, others have the entry"},
	{"takes no entry for an empty one", "a Put without an entry keeps the entry"},
	{"keeps the old entry for as long as the new one", "a Put without an entry keeps the entry"},
	{"claims without a lease", "without a lease, Claim only looks"},
	{"drops the claim with the entry", "a claim outlives the entry"},
	{"numbers the tokens of a key", "tokens do not repeat"},
	{"lets who lost end the claim of another", "who has lost the claim to another cannot put"},
	{"lets who lost give the claim back", "who has lost the claim cannot give it back"},
	{"takes what comes too late", "a Put that comes too late keeps the entry"},
	{"counts tokens anew when all is forgotten", "what is lost stays lost when all is forgotten"},
	{"takes a token twice", "only the first Put of a token counts"},
	{"takes a token that was given back", "who has given the claim back cannot put"},
	{"takes any token", "a token that nobody was given is of no use"},
	{"takes the token of another key", "a token that nobody was given is of no use"},
	{"takes no empty entry", "an entry is returned as it was put"},
	{"cuts long entries", "an entry is returned as it was put"},
	{"keeps the first entry", "a new entry replaces the old one"},
	{"takes any version for the newest", "a new entry replaces the old one"},
	{"keeps the version of an equal entry", "an equal entry has a version of its own"},
	{"keeps the caller's bytes", "an entry does not change with the bytes that were put"},
	{"reuses its bytes", "an entry that was returned does not change with a new one"},
	{"counts the age from the claim", "the age of an entry counts from its Put"},
	{"keeps a new entry for as long as the old one", "an entry is kept for as long as was said"},
	{"keeps an entry no longer than the claim", "a claim does not shorten how long an entry is kept"},
	{"is stuck when an entry is past its time", "an entry that is past its time may be fetched again"},
	{"refuses an empty key", "keys have entries of their own"},
	{"trims keys", "keys have entries of their own"},
	{"ends keys at a NUL", "keys have entries of their own"},
	{"makes keys UTF-8", "keys have claims of their own"},
	{"cuts keys", "keys have claims of their own"},
	{"looks and claims in two steps", "of many who claim at once, one may fetch"},
	{"puts in two steps", "of many who put at once, one succeeds"},
	{"looks and claims in two steps", "many who share keys fetch one at a time"},
	{"forgets a claim when another begins", "many with keys of their own are not in each other's way"},
	{"adds a lease up beyond the largest number", "a lease without end does no harm"},
	{"takes a negative lease for its amount", "without a lease, Claim only looks"},
	{"adds a keep up beyond the largest number", "an entry without end is kept"},
	{"refuses to keep for no time", "an entry to be kept for no time does no harm"},
	{"says nothing if the context has ended", "a Claim whose context has ended fails, or counts"},
	{"claims without end if the context has ended", "a Claim whose context has ended fails, or counts"},
	{"says nothing if the context has ended", "a Put whose context has ended fails, or counts"},
	{"forgets all in the next process", "an entry outlives the process"},
	{"forgets the age in the next process", "an entry outlives the process"},
	{"has no more tokens in the next process", "the next process may fetch again"},
	{"takes tokens of the process before", "a claim of the process before ends with its lease"},
	{"counts tokens from the start of the process", "tokens do not repeat in the next process"},
	{"shares nothing between processes", "while one may fetch, another waits"},
}

// A flawedStore is a Store in memory that breaks one rule.
type flawedStore struct {
	flaw     string
	clock    func() time.Time
	reopened bool

	mu   sync.Mutex
	keys map[string]flawedKey
	n    int // counts tokens
}

type flawedKey struct {
	entry, bytes []byte
	version      string
	put, gone    time.Time
	token        string
	begun, ends  time.Time
	lease        time.Duration
	before       string // the token before
	n            int    // counts the tokens of the key
}

func newFlawedStore(flaw string) *flawedStore {
	return &flawedStore{flaw: flaw, clock: time.Now, keys: make(map[string]flawedKey)}
}

func (s *flawedStore) is(flaw string) bool { return s.flaw == flaw }

func (s *flawedStore) join() *flawedStore {
	if s.is("shares nothing between processes") {
		return newFlawedStore(s.flaw)
	}
	return s
}

func (s *flawedStore) reopen() *flawedStore {
	next := &flawedStore{flaw: s.flaw, clock: s.clock, keys: s.keys, reopened: true}
	switch {
	case s.is("forgets all in the next process"):
		clear(next.keys)
	case s.is("forgets the age in the next process"):
		for key, k := range next.keys {
			k.put = s.clock().Add(time.Hour)
			next.keys[key] = k
		}
	}
	return next
}

// key returns a key as the flaw has it, and what is kept of it.
func (s *flawedStore) key(key string) (string, flawedKey) {
	switch {
	case s.is("trims keys"):
		key = strings.TrimSpace(key)
	case s.is("ends keys at a NUL"):
		key, _, _ = strings.Cut(key, "\x00")
	case s.is("makes keys UTF-8"):
		key = strings.ToValidUTF8(key, "?")
	case s.is("cuts keys"):
		key = key[:min(len(key), 1<<12)]
	}
	k, now := s.keys[key], s.clock()
	if !now.Before(k.gone) && !s.is("is stuck when an entry is past its time") {
		if s.is("drops the claim with the entry") && k.version != "" {
			k.token = ""
		}
		k.entry, k.version = nil, ""
		if !now.Before(k.ends) && s.is("counts tokens anew when all is forgotten") {
			k.n = 0
		}
	}
	return key, k
}

func (s *flawedStore) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	if ctx.Err() != nil {
		switch {
		case s.is("says nothing if the context has ended"):
			return store.Claim{}, nil
		case s.is("claims without end if the context has ended"):
			lease = math.MaxInt64
		default:
			return store.Claim{}, ctx.Err()
		}
	}
	if key == "" && s.is("refuses an empty key") {
		return store.Claim{}, errors.New("an empty key")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key, k := s.key(key)
	if lease < 0 && s.is("takes a negative lease for its amount") {
		lease = -lease
	}
	if entry, ok := s.entry(k, seen, lease); ok {
		return entry, nil
	}
	if claim, ok := s.others(k, lease); ok {
		return claim, nil
	}
	if s.is("looks and claims in two steps") {
		s.mu.Unlock()
		time.Sleep(time.Nanosecond)
		s.mu.Lock()
	}
	if s.is("grants nothing") || seen != "" && s.is("grants nothing to who has seen an entry") || s.reopened && s.is("has no more tokens in the next process") {
		return store.Claim{}, nil
	}
	if s.is("forgets a claim when another begins") {
		for other, k := range s.keys {
			k.token = ""
			s.keys[other] = k
		}
	}
	return s.grant(key, k, lease), nil
}

// entry returns the entry of k if it is to be returned.
func (s *flawedStore) entry(k flawedKey, seen string, lease time.Duration) (store.Claim, bool) {
	version := k.version
	switch fetched := k.token != "" && s.clock().Before(k.ends); {
	case version == "",
		version == seen && !(s.is("is stuck when an entry is past its time") && !s.clock().Before(k.gone)),
		seen != "" && s.is("takes any version for the newest"),
		fetched && lease > 0 && s.is("hides an entry that is fetched again"):
		return store.Claim{}, false
	}
	got := store.Claim{Entry: k.entry, Version: version, Age: s.clock().Sub(k.put)}
	if s.is("counts the age from the claim") {
		got.Age = s.clock().Sub(k.begun)
	}
	return got, true
}

// others returns what the claim of another means for who asks.
func (s *flawedStore) others(k flawedKey, lease time.Duration) (store.Claim, bool) {
	left := k.ends.Sub(s.clock())
	claimed := k.token != "" && left > 0 && !s.is("grants a claim to all")
	if lease <= 0 && !s.is("claims without a lease") || !claimed {
		return store.Claim{}, lease <= 0
	}
	switch {
	case s.is("tells the lease for the wait"):
		left = k.lease
	case s.is("tells less than the wait"):
		left /= 2
	case s.is("tells the asker's lease for the wait"):
		left = lease
	}
	return store.Claim{Wait: max(left, 1)}, true
}

func (s *flawedStore) grant(key string, k flawedKey, lease time.Duration) store.Claim {
	now := s.clock()
	s.n++
	k.n++
	k.before, k.token, k.begun, k.lease, k.ends = k.token, rand.Text(), now, lease, now.Add(lease)
	switch {
	case s.is("numbers the tokens of a key"), s.is("counts tokens anew when all is forgotten"):
		k.token = fmt.Sprint("token", k.n)
		if !s.is("numbers the tokens of a key") {
			k.token = fmt.Sprint(key, " token", k.n)
		}
	case s.is("counts tokens from the start of the process"):
		k.token = fmt.Sprint("token", s.n)
	case s.is("adds a lease up beyond the largest number"):
		k.ends = time.Unix(0, now.UnixNano()+int64(lease))
	}
	if s.is("keeps an entry no longer than the claim") && k.version != "" {
		k.gone = k.ends
	}
	s.keys[key] = k
	return store.Claim{Token: k.token}
}

func (s *flawedStore) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	if ctx.Err() != nil {
		if s.is("says nothing if the context has ended") {
			return nil
		}
		return ctx.Err()
	}
	if keep <= 0 && s.is("refuses to keep for no time") && entry != nil {
		return errors.New("no time")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	key, k := s.key(key)
	if !s.may(k, token) {
		if entry != nil && s.is("lets who lost end the claim of another") || entry == nil && s.is("lets who lost give the claim back") {
			k.token = ""
			s.keys[key] = k
		}
		return store.ErrLost
	}
	if s.is("puts in two steps") {
		s.mu.Unlock()
		time.Sleep(time.Nanosecond)
		s.mu.Lock()
	}
	twice := s.is("takes a token twice") && entry != nil || s.is("takes a token that was given back") && entry == nil
	if twice {
		k.ends = s.clock() // the claim is over, the token is not
		k.lease = -1
	} else {
		k.token = ""
	}
	s.keep(&k, token, entry, keep)
	s.keys[key] = k
	return nil
}

// may reports whether a token is good for a Put.
func (s *flawedStore) may(k flawedKey, token string) bool {
	late := !s.clock().Before(k.ends)
	switch {
	case s.is("takes any token"):
		return true
	case s.is("takes tokens of the process before") && s.reopened && token != "" && token == k.before:
		return true
	case s.is("takes the token of another key"):
		for _, other := range s.keys {
			if token != "" && token == other.token {
				return true
			}
		}
		return false
	case token == "" || token != k.token:
		return false
	}
	return !late || k.lease < 0 || s.is("takes what comes too late") || s.is("counts tokens anew when all is forgotten")
}

func (s *flawedStore) keep(k *flawedKey, token string, entry []byte, keep time.Duration) {
	now, first := s.clock(), k.version == ""
	switch {
	case entry == nil && s.is("takes no entry for an empty one"), len(entry) == 0 && entry != nil && s.is("takes no empty entry"):
		entry = []byte("none")
	case entry == nil && s.is("keeps the old entry for as long as the new one"):
		k.gone = now.Add(keep)
	case !first && s.is("keeps the first entry"):
		entry = k.entry
	}
	if entry == nil {
		return
	}
	gone, equal := now.Add(keep), bytes.Equal(entry, k.entry)
	switch {
	case s.is("cuts long entries"):
		entry = entry[:min(len(entry), 1<<16)]
	case s.is("adds a keep up beyond the largest number"):
		gone = time.Unix(0, now.UnixNano()+int64(keep))
	case s.is("keeps a new entry for as long as the old one") && !first:
		gone = k.gone
	case equal && !first && s.is("keeps the version of an equal entry"):
		token = k.version
	}
	switch {
	case s.is("keeps the caller's bytes"):
	case s.is("reuses its bytes"):
		k.bytes = append(k.bytes[:0], entry...)
		entry = k.bytes
	default:
		entry = bytes.Clone(entry)
	}
	k.entry, k.version, k.put, k.gone = entry, token, now, gone
}
