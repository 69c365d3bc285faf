package ask

import (
	"context"
	"time"

	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/turns"
	"github.com/go-polite/polite/store"
)

// claims are what a crawler asks of the Store: entries, and the right to fetch.
type claims struct {
	desk   *Desk
	agent  string // in lower case
	called turns.Called
}

// A claim is what came of a look into the Store: an entry, the right to fetch, or how long
// to wait for another process that has this right.
type claim struct {
	found *found
	token string // "" if there is nothing to put
	wait  time.Duration
	alone bool // there is no Store, or it fails
}

// A found is an entry that was in the Store.
type found struct {
	*entry.Entry // nil if it is damaged
	version      string
	at           int64 // when it was put, by the clock of the memory
	doubtful     bool  // nobody knows when it was put
}

// entry returns the entry, or nil if there is none.
func (f *found) entry() *entry.Entry {
	if f == nil {
		return nil
	}
	return f.Entry
}

// seen returns the version of f.
func (f *found) seen() string {
	if f == nil {
		return ""
	}
	return f.version
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

// claim returns the entry of o if its version is not seen. If there is no such entry, it
// claims the right to fetch, for as long as fetch. If fetch is zero, it only looks.
func (c *claims) claim(ctx context.Context, o origin.Origin, seen string, fetch time.Duration) claim {
	if c.desk.store == nil {
		return claim{alone: true}
	}
	lease := time.Duration(0)
	if fetch > 0 {
		lease = min(fetch, longest) + leaseMargin
		ctx = context.WithoutCancel(ctx) // a claim must be known here, to be given back
	}
	now := c.desk.memory.Now()
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	began := time.Now()
	got, err := c.desk.store.Claim(ctx, c.key(o), seen, lease)
	c.called(ctx, "claim", began, err)
	switch {
	case err != nil:
		return claim{alone: true}
	case got.Entry != nil:
		return claim{found: c.read(o, got, now)}
	case got.Token != "":
		return claim{token: got.Token}
	default:
		return claim{wait: got.Wait}
	}
}

// read reads the entry in got. now is a time before the Store was asked.
func (c *claims) read(o origin.Origin, got store.Claim, now int64) *found {
	f := &found{version: got.Version, at: now - int64(min(max(got.Age, 0), longest)), doubtful: got.Age < 0}
	f.Entry, _ = c.desk.coder.Decode(c.key(o), got.Entry)
	return f
}

// put keeps e as the entry of o, if the right to fetch that token stands for has not been
// lost. If e is nil, put gives this right back.
func (c *claims) put(ctx context.Context, o origin.Origin, token string, e *entry.Entry, keep time.Duration) {
	var form []byte
	if e != nil {
		form = c.desk.coder.Encode(e, c.key(o))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout)
	defer cancel()
	began := time.Now()
	c.called(ctx, "put", began, c.desk.store.Put(ctx, c.key(o), token, form, keep))
}

// key returns the key of o's entry.
func (c *claims) key(o origin.Origin) string { return entry.Key(c.agent, o) }
