package storetest

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/go-polite/polite/store"
)

// TestStore tests whether e keeps to the contract of [store.Store]. It runs a subtest
// for each rule.
func TestStore[E store.Store](t *testing.T, e Engine[E]) {
	tests := slices.Concat(claims, fencing, entries, keys, crowds, hostileStore)
	if e.Reopen != nil {
		tests = append(tests, storeRestarts...)
	}
	for _, test := range tests {
		e.run(t, test.name, func(b *bench, first, second E) {
			one, two := &client{bench: b, store: first}, &client{bench: b, store: second}
			one.reopen = func() {
				first = e.Reopen(b.T, first)
				one.store, b.restarted = first, true
			}
			test.run(one, two)
		})
	}
}

// A storeTest plays two processes that share a store.
type storeTest struct {
	name string
	run  func(one, two *client)
}

// A client is a process that uses a store.
type client struct {
	*bench
	store  store.Store
	reopen func()
}

// claim calls Claim and checks what holds of all claims.
func (c *client) claim(key, seen string, lease time.Duration) store.Claim {
	c.Helper()
	got, err := c.store.Claim(c.Context(), key, seen, lease)
	if err != nil {
		c.Errorf("Claim(%.40q, seen %q, lease %v): %v", key, seen, lease, err)
	} else if fault := c.fault(got, seen, lease); fault != "" {
		c.Errorf("Claim(%.40q, seen %q, lease %v) = %+v: %s", key, seen, lease, short(got), fault)
	}
	return got
}

// fault says which rule of all claims is broken.
func (c *client) fault(got store.Claim, seen string, lease time.Duration) string {
	entry, token, wait := got.Version != "", got.Token != "", got.Wait != 0
	switch {
	case len(got.Entry) > 0 && !entry:
		return "an Entry without its Version"
	case entry && token || entry && wait || token && wait:
		return "more than one of Entry, Token and Wait"
	case entry && got.Version == seen:
		return "a Version that was seen: return the zero Claim, a Token or a Wait"
	case got.Wait < 0:
		return "a negative Wait"
	case lease <= 0 && (token || wait):
		return "without a lease, Claim only looks"
	}
	if _, repeated := c.tokens.LoadOrStore(got.Token, true); token && repeated {
		return "a Token that another claim has had"
	}
	return ""
}

// short returns a claim without most of its entry, to print it.
func short(claim store.Claim) store.Claim {
	claim.Entry = claim.Entry[:min(len(claim.Entry), 20)]
	return claim
}

// wins claims for a long time, and must get a token.
func (c *client) wins(key, seen string) (token string) {
	c.Helper()
	return c.winsFor(key, seen, long)
}

// winsFor claims for a lease, and must get a token.
func (c *client) winsFor(key, seen string, lease time.Duration) (token string) {
	c.Helper()
	got := c.claim(key, seen, lease)
	if got.Token == "" {
		c.Fatalf("Claim(%.40q, seen %q) = %+v, want a Token", key, seen, short(got))
	}
	return got.Token
}

// waits asks for a claim that another has, and returns how long it may wait: at most
// for a long time.
func (c *client) waits(key, seen string) time.Duration {
	c.Helper()
	got := c.claim(key, seen, long)
	if got.Wait <= 0 || got.Wait > long {
		c.Fatalf("Claim(%.40q, seen %q) = %+v, want a Wait of up to %v", key, seen, short(got), long)
	}
	return got.Wait
}

// reads must get the entry of a version.
func (c *client) reads(key, seen, version string, entry []byte) store.Claim {
	c.Helper()
	got := c.claim(key, seen, long)
	if got.Version != version || !bytes.Equal(got.Entry, entry) {
		c.Fatalf("Claim(%.40q, seen %q) = %+v (%d bytes), want the entry of version %q (%d bytes)",
			key, seen, short(got), len(got.Entry), version, len(entry))
	}
	return got
}

// findsNothing looks, and must find no entry.
func (c *client) findsNothing(key string) {
	c.Helper()
	if got := c.claim(key, "", 0); got.Version != "" {
		c.Fatalf("Claim(%.40q) = %+v, want no entry", key, short(got))
	}
}

// puts puts an entry that the store keeps for a long time.
func (c *client) puts(key, token string, entry []byte) {
	c.Helper()
	c.putsFor(key, token, entry, long)
}

func (c *client) putsFor(key, token string, entry []byte, keep time.Duration) {
	c.Helper()
	if err := c.store.Put(c.Context(), key, token, entry, keep); err != nil {
		c.Fatalf("Put(%.40q, %q, %d bytes, keep %v): %v", key, token, len(entry), keep, err)
	}
}

// loses puts an entry, and must get ErrLost.
func (c *client) loses(key, token string, entry []byte) {
	c.Helper()
	if err := c.store.Put(c.Context(), key, token, entry, long); !errors.Is(err, store.ErrLost) {
		c.Fatalf("Put(%.40q, %q) = %v, want ErrLost", key, token, err)
	}
}

// stores claims and puts.
func (c *client) stores(key, seen string, entry []byte, keep time.Duration) (version string) {
	c.Helper()
	token := c.wins(key, seen)
	c.putsFor(key, token, entry, keep)
	return token
}
