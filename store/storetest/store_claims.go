package storetest

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/store"
)

var (
	oldFile = []byte("User-agent: *\nDisallow: /old\n")
	newFile = []byte("User-agent: *\nDisallow: /new\n")
)

// Who may fetch.
var claims = []storeTest{
	{"while one may fetch, another waits", func(one, two *client) {
		one.wins("key", "")
		two.waits("key", "")
		two.waits("key", "a version")
		one.waits("key", "")
		one.wins("another key", "a version")
	}},
	{"a wait becomes shorter", func(one, two *client) {
		one.wins("key", "")
		one.pass(one.unit)
		if wait, most := two.waits("key", ""), long-one.unit+one.tick(); wait > most {
			one.Errorf("Wait is %v, want %v at most", wait, most)
		}
	}},
	{"who has waited may fetch", func(one, two *client) {
		one.winsFor("key", "", one.unit)
		wait := two.claim("key", "", long).Wait
		if wait > one.unit {
			one.Errorf("Wait is %v for a claim of %v", wait, one.unit)
		}
		one.pass(wait)
		two.wins("key", "")
	}},
	{"while one fetches again, others have the entry", func(one, two *client) {
		version := one.stores("key", "", oldFile, long)
		one.wins("key", version)
		two.reads("key", "", version, oldFile)
		two.waits("key", version)
	}},
	{"a Put without an entry keeps the entry", func(one, two *client) {
		version := one.stores("key", "", oldFile, long)
		one.putsFor("key", one.wins("key", version), nil, one.unit)
		one.outlast(one.unit)
		two.reads("key", "", version, oldFile)
		two.wins("key", version)
	}},
	{"without a lease, Claim only looks", func(one, two *client) {
		for _, lease := range []time.Duration{0, -1, -long, math.MinInt64} {
			one.claim("key", "", lease)
		}
		token := two.wins("key", "")
		one.claim("key", "", 0)
		two.puts("key", token, oldFile)
		if got := one.claim("key", "", 0); got.Version != token {
			one.Errorf("Claim = %+v, want the entry of version %q", short(got), token)
		}
		one.claim("key", token, 0)
		two.wins("key", token)
	}},
	{"a claim outlives the entry", func(one, two *client) {
		version := one.stores("key", "", oldFile, one.unit)
		token := one.wins("key", version)
		one.outlast(one.unit)
		two.waits("key", version)
		one.puts("key", token, newFile)
		two.reads("key", "", token, newFile)
	}},
	{"tokens do not repeat", func(one, two *client) {
		for range 50 { // claim looks at the tokens
			one.puts("key", one.wins("key", ""), nil)
			two.puts("another", two.wins("another", ""), nil)
		}
	}},
}

// Who has lost the claim writes no more.
var fencing = []storeTest{
	{"who has lost the claim to another cannot put", func(one, two *client) {
		lost := one.winsFor("key", "", one.unit)
		one.outlast(one.unit)
		token := two.wins("key", "")
		one.loses("key", lost, oldFile)
		one.waits("key", "")
		two.puts("key", token, newFile)
		one.loses("key", lost, oldFile)
		one.reads("key", "", token, newFile)
	}},
	{"who has lost the claim cannot give it back", func(one, two *client) {
		lost := one.winsFor("key", "", one.unit)
		one.outlast(one.unit)
		two.wins("key", "")
		one.loses("key", lost, nil)
		one.waits("key", "")
	}},
	{"a Put that comes too late keeps the entry", func(one, two *client) {
		version := one.stores("key", "", oldFile, long)
		lost := one.winsFor("key", version, one.unit)
		one.outlast(one.unit)
		one.loses("key", lost, newFile)
		two.reads("key", "", version, oldFile)
	}},
	{"what is lost stays lost when all is forgotten", func(one, two *client) {
		version := one.stores("key", "", oldFile, one.unit)
		lost := one.winsFor("key", version, one.unit)
		one.outlast(3 * one.unit)
		one.loses("key", lost, newFile)
		token := two.wins("key", version)
		one.loses("key", version, newFile)
		one.loses("key", lost, newFile)
		two.puts("key", token, oldFile)
		one.reads("key", "", token, oldFile)
	}},
	{"only the first Put of a token counts", func(one, two *client) {
		token := one.stores("key", "", oldFile, long)
		one.loses("key", token, newFile)
		two.reads("key", "", token, oldFile)
		again := two.wins("key", token)
		one.loses("key", token, newFile)
		one.waits("key", token)
		two.puts("key", again, newFile)
	}},
	{"who has given the claim back cannot put", func(one, two *client) {
		token := one.wins("key", "")
		one.puts("key", token, nil)
		one.loses("key", token, oldFile)
		two.findsNothing("key")
		two.wins("key", "")
	}},
	{"a token that nobody was given is of no use", func(one, two *client) {
		one.loses("key", "made up", oldFile)
		one.loses("key", "", oldFile)
		token, another := one.wins("key", ""), one.wins("another key", "")
		for _, wrong := range []string{"", "made up", "0", "1", token + "0", token[:len(token)-1], another, "{}", "\x00"} {
			two.loses("key", wrong, oldFile)
		}
		two.waits("key", "")
		one.puts("key", token, newFile)
	}},
}

// Many at once.
var crowds = []storeTest{
	{"of many who claim at once, one may fetch", func(one, two *client) {
		for range 10 {
			var tokens sync.Map
			together(crowd, func(i int) {
				if got := pick(i, one, two).claim("key", "", long); got.Token != "" {
					tokens.Store(got.Token, true)
				} else if got.Wait == 0 {
					one.Errorf("Claim = %+v, want a Token or a Wait", short(got))
				}
			})
			if token := only(one, &tokens); token != "" {
				one.puts("key", token, nil)
			}
		}
	}},
	{"of many who put at once, one succeeds", func(one, two *client) {
		for i := range 10 {
			key := fmt.Sprint("key", i)
			token := one.wins(key, "")
			var kept sync.Map
			together(crowd, func(i int) {
				entry := fmt.Sprint("entry", i)
				switch err := pick(i, one, two).store.Put(one.Context(), key, token, []byte(entry), long); {
				case err == nil:
					kept.Store(entry, true)
				case !errors.Is(err, store.ErrLost):
					one.Errorf("Put: %v, want ErrLost", err)
				}
			})
			two.reads(key, "", token, []byte(only(one, &kept)))
		}
	}},
	{"many who share keys fetch one at a time", func(one, two *client) {
		var fetching [3]atomic.Int32
		together(crowd, func(i int) {
			seen := [len(fetching)]string{}
			for round := range 20 {
				key := (i + round) % len(fetching)
				pick(i, one, two).fetches(fmt.Sprint("key", key), &seen[key], &fetching[key])
			}
		})
	}},
	{"many with keys of their own are not in each other's way", func(one, two *client) {
		together(crowd, func(i int) {
			var fetching atomic.Int32
			seen := ""
			for range 5 {
				before := seen
				pick(i, one, two).fetches(fmt.Sprint("key", i), &seen, &fetching)
				if seen == before {
					one.Errorf("nothing was put for key %d", i)
				}
			}
		})
	}},
}

// only returns the one text in a set.
func only(b interface{ Errorf(string, ...any) }, set *sync.Map) (text string) {
	n := 0
	set.Range(func(key, _ any) bool {
		text = key.(string)
		n++
		return true
	})
	if n != 1 {
		b.Errorf("%d succeeded, want 1", n)
	}
	return text
}

// fetches puts the token as the entry if it may, so that each entry must be equal to
// its version.
func (c *client) fetches(key string, seen *string, fetching *atomic.Int32) {
	got := c.claim(key, *seen, long)
	switch {
	case got.Version != "":
		if string(got.Entry) != got.Version {
			c.Errorf("the entry of version %q is %q", got.Version, got.Entry)
		}
		*seen = got.Version
	case got.Token != "":
		if n := fetching.Add(1); n != 1 {
			c.Errorf("%d fetch %q at the same time", n, key)
		}
		time.Sleep(time.Millisecond)
		fetching.Add(-1)
		if err := c.store.Put(c.Context(), key, got.Token, []byte(got.Token), long); err != nil {
			c.Errorf("Put(%q, %q): %v", key, got.Token, err)
		}
		*seen = got.Token
	default:
		time.Sleep(time.Millisecond)
	}
}
