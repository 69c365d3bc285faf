// Package claims asks a Store for entries, and for the right to ask a site for one.
package claims

import (
	"context"
	"time"

	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/store"
)

// Claims are what a crawler asks of the Store. They are safe for concurrent use once their
// fields are set.
type Claims struct {
	Store  store.Store // nil if there is none
	Coder  *entry.Coder
	Now    func() int64                                                       // the clock of all times here
	Called func(ctx context.Context, call string, began time.Time, err error) // called after each call of the Store
}

// A Claim is what came of a look into the Store: an entry, the right to fetch, or how long
// to wait for another process that has this right.
type Claim struct {
	Found *Found
	Token string    // "" if there is nothing to put
	Until time.Time // when the right to fetch ends; zero without a Token
	Wait  time.Duration
	Alone bool // there is no Store, or it fails
}

// A Found is an entry that was in the Store.
type Found struct {
	*entry.Entry // nil if it is damaged
	Version      string
	At           int64 // when it was put, by the clock of Claims
	Doubtful     bool  // nobody knows when it was put
}

// Kept returns the entry, or nil if there is none.
func (f *Found) Kept() *entry.Entry {
	if f == nil {
		return nil
	}
	return f.Entry
}

// Seen returns the version of f.
func (f *Found) Seen() string {
	if f == nil {
		return ""
	}
	return f.Version
}

const (
	// leaseMargin is how much longer a claim lasts than a fetch. The call that claims is
	// over by half of it, so the fetch ends before the claim does.
	leaseMargin = 10 * time.Second

	// callTimeout is the longest time that polite waits for a Store.
	callTimeout = 5 * time.Second

	// longest is longer than any time that a Store tells and that is of use.
	longest = 10 * 365 * 24 * time.Hour
)

// Claim returns the entry of key if its version is not seen. If there is no such entry, it
// claims the right to fetch, for as long as fetch. If fetch is zero, it only looks.
func (c *Claims) Claim(ctx context.Context, key, seen string, fetch time.Duration) Claim {
	if c.Store == nil {
		return Claim{Alone: true}
	}
	lease := time.Duration(0)
	if fetch > 0 {
		lease = min(fetch, longest) + leaseMargin
		ctx = context.WithoutCancel(ctx) // a claim must be known here, to be given back
	}
	now, asked := c.Now(), time.Now()
	got, stoodStill, err := c.call(ctx, key, seen, lease)
	if err != nil && stoodStill { // the error tells nothing of the Store
		now, asked = c.Now(), time.Now()
		got, _, err = c.call(ctx, key, seen, lease)
	}
	switch {
	case err != nil:
		return Claim{Alone: true}
	case got.Entry != nil:
		return Claim{Found: c.read(key, got, now)}
	case got.Token != "":
		return Claim{Token: got.Token, Until: asked.Add(lease)}
	default:
		return Claim{Wait: got.Wait}
	}
}

// call calls the Store's Claim. It reports whether this process stood still meanwhile: whether the call took longer
// than its deadline allows.
func (c *Claims) call(ctx context.Context, key, seen string, lease time.Duration) (got store.Claim, stoodStill bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	began := time.Now()
	got, err = c.Store.Claim(ctx, key, seen, lease)
	c.Called(ctx, "claim", began, err)
	return got, time.Since(began) > callTimeout+time.Second, err
}

// read reads the entry in got. now is a time before the Store was asked.
func (c *Claims) read(key string, got store.Claim, now int64) *Found {
	f := &Found{Version: got.Version, At: now - int64(min(max(got.Age, 0), longest)), Doubtful: got.Age < 0}
	f.Entry, _ = c.Coder.Decode(key, got.Entry)
	return f
}

// Put keeps e as the entry of key, if the right to fetch that token stands for has not been
// lost. If e is nil, Put gives this right back.
func (c *Claims) Put(ctx context.Context, key, token string, e *entry.Entry, keep time.Duration) {
	var form []byte
	if e != nil {
		form = c.Coder.Encode(e, key)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	began := time.Now()
	c.Called(ctx, "put", began, c.Store.Put(ctx, key, token, form, keep))
}
