package storetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/go-polite/polite/store"
)

// What is kept, and for how long.
var entries = []storeTest{
	{"an entry is returned as it was put", func(one, two *client) {
		for i, entry := range oddEntries() {
			key := fmt.Sprint("key", i)
			version := one.stores(key, "", entry, long)
			two.reads(key, "", version, entry)
		}
	}},
	{"a new entry replaces the old one", func(one, two *client) {
		first := one.stores("key", "", oldFile, long)
		second := two.stores("key", first, newFile, long)
		one.reads("key", "", second, newFile)
		one.reads("key", first, second, newFile) // who has seen the first has not seen the second
	}},
	{"an equal entry has a version of its own", func(one, two *client) {
		first := one.stores("key", "", oldFile, long)
		second := one.stores("key", first, oldFile, long)
		two.reads("key", first, second, oldFile)
	}},
	{"an entry does not change with the bytes that were put", func(one, two *client) {
		entry := bytes.Clone(oldFile)
		version := one.stores("key", "", entry, long)
		clear(entry)
		two.reads("key", "", version, oldFile)
	}},
	{"an entry that was returned does not change with a new one", func(one, two *client) {
		version := one.stores("key", "", oldFile, long)
		got := two.reads("key", "", version, oldFile)
		for i := range 20 {
			version = one.stores("key", version, bytes.Repeat(newFile, i+1), long)
		}
		if !bytes.Equal(got.Entry, oldFile) {
			one.Errorf("the entry became %q", got.Entry)
		}
	}},
	{"the age of an entry counts from its Put", func(one, two *client) {
		token := one.wins("key", "")
		one.pass(one.unit)
		before := one.moment()
		one.puts("key", token, oldFile)
		two.isAged("key", token, before)
		one.pass(2 * one.unit)
		two.isAged("key", token, before)
		one.puts("key", one.wins("key", token), nil) // this does not make it young
		two.isAged("key", token, before)
	}},
	{"an entry is kept for as long as was said", func(one, two *client) {
		version := one.stores("key", "", oldFile, one.unit)
		version = one.stores("key", version, newFile, long)
		one.outlast(2 * one.unit)
		two.reads("key", "", version, newFile)
	}},
	{"a claim does not shorten how long an entry is kept", func(one, two *client) {
		version := one.stores("key", "", oldFile, long)
		one.winsFor("key", version, one.unit)
		one.outlast(2 * one.unit)
		two.reads("key", "", version, oldFile)
	}},
	{"an entry that is past its time may be fetched again", func(one, two *client) {
		version := one.stores("key", "", oldFile, one.unit)
		one.outlast(2 * one.unit)
		got := two.claim("key", "", 0) // the store may still have it
		if got.Version != "" && (got.Version != version || !bytes.Equal(got.Entry, oldFile)) {
			two.Errorf("Claim = %+v, want nothing or what was put", short(got))
		}
		token := two.stores("key", version, newFile, long)
		one.reads("key", version, token, newFile)
	}},
}

// isAged looks at the age of an entry that was put right after some moment.
func (c *client) isAged(key, version string, before moment) {
	c.Helper()
	least := c.moment().passed - before.passed - c.tick()
	got := c.claim(key, "", 0)
	most := c.moment().to - before.from + c.tick()
	if got.Version != version || got.Age < least || got.Age > most {
		c.Errorf("Claim(%.40q) = %+v, want version %q with an Age of %v to %v", key, short(got), version, least, most)
	}
}

// Each key has an entry and a claim of its own.
var keys = []storeTest{
	{"keys have entries of their own", func(one, two *client) {
		versions := make(map[string]string)
		for _, key := range oddNames() {
			versions[key] = one.stores(key, "", []byte(key), long)
		}
		for key, version := range versions {
			two.reads(key, "", version, []byte(key))
		}
	}},
	{"keys have claims of their own", func(one, two *client) {
		tokens := make(map[string]string)
		for _, key := range oddNames() {
			tokens[key] = one.wins(key, "")
		}
		for key, token := range tokens {
			two.waits(key, "")
			one.puts(key, token, nil)
		}
	}},
}

// Entries outlive a process. Claims need not.
var storeRestarts = []storeTest{
	{"an entry outlives the process", func(one, _ *client) {
		before := one.moment()
		versions := make(map[string]string)
		for i, key := range oddNames() {
			versions[key] = one.stores(key, "", []byte(fmt.Sprint(i, key)), long)
		}
		one.reopen()
		for i, key := range oddNames() {
			one.reads(key, "", versions[key], []byte(fmt.Sprint(i, key)))
		}
		one.pass(one.unit)
		one.isAged("", versions[""], before)
	}},
	{"the next process may fetch again", func(one, _ *client) {
		version := one.stores("key", "", oldFile, long)
		one.reopen()
		token := one.stores("key", version, newFile, long)
		one.reopen()
		one.reads("key", version, token, newFile)
	}},
	{"a claim of the process before ends with its lease", func(one, _ *client) {
		lost := one.winsFor("key", "", one.unit)
		one.reopen()
		one.outlast(one.unit)
		token := one.wins("key", "")
		one.loses("key", lost, oldFile)
		one.puts("key", token, newFile)
		one.reads("key", "", token, newFile)
	}},
	{"tokens do not repeat in the next process", func(one, _ *client) {
		for range 5 {
			for i := range 5 { // claim looks at the tokens
				one.puts(fmt.Sprint("key", i), one.wins(fmt.Sprint("key", i), ""), nil)
			}
			one.reopen()
		}
	}},
}

// Arguments that make no sense.
var hostileStore = []storeTest{
	{"a lease without end does no harm", func(one, two *client) {
		token := one.winsFor("key", "", math.MaxInt64)
		one.pass(one.unit)
		if got := two.claim("key", "", math.MaxInt64); got.Wait <= 0 {
			one.Errorf("Claim = %+v, want a Wait", short(got))
		}
		one.puts("key", token, oldFile)
		two.reads("key", "", token, oldFile)
	}},
	{"an entry without end is kept", func(one, two *client) {
		version := one.stores("key", "", oldFile, math.MaxInt64)
		one.pass(one.unit)
		two.reads("key", "", version, oldFile)
		two.wins("key", version)
	}},
	{"an entry to be kept for no time does no harm", func(one, two *client) {
		version := ""
		for _, keep := range []time.Duration{0, -1, math.MinInt64} {
			version = one.stores("key", version, oldFile, keep)
		}
		two.stores("key", version, newFile, long)
	}},
	{"a Claim whose context has ended fails, or counts", func(one, two *client) {
		ctx, cancel := context.WithCancel(one.Context())
		cancel()
		got, err := one.store.Claim(ctx, "key", "", one.unit)
		if err == nil && got.Token == "" {
			one.Errorf("Claim = %+v without an error, want a Token", short(got))
		}
		for range 10 { // the claim may begin after Claim has returned
			one.outlast(one.unit)
			if two.claim("key", "", long).Token != "" {
				return
			}
		}
		one.Errorf("the claim does not end")
	}},
	{"a Put whose context has ended fails, or counts", func(one, two *client) {
		token := one.wins("key", "")
		ctx, cancel := context.WithCancel(one.Context())
		cancel()
		if err := one.store.Put(ctx, "key", token, oldFile, long); err != nil {
			err = one.store.Put(one.Context(), "key", token, oldFile, long) // again
			if err != nil && !errors.Is(err, store.ErrLost) {
				one.Errorf("Put again: %v", err)
			}
		}
		two.reads("key", "", token, oldFile)
		two.wins("key", token)
	}},
}
