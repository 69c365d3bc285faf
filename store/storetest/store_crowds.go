package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-polite/polite/store"
)

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
