package polite

import (
	"context"
	"time"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/record"
	"github.com/go-polite/polite/store"
)

// A shelf is where a crawler keeps its records in a Store. If there is no Store, it is
// empty.
type shelf struct {
	cache  *Cache
	agent  string // in lower case
	agents []string
	policy *Policy
	told   told
}

// A find is a record that lies on a shelf.
type find struct {
	*record.Record // nil if it is damaged
	version        string
	at             int64 // when it was put, by the cache's clock
	doubtful       bool  // nobody knows when it was put
}

// record returns the record, or nil if there is none.
func (f *find) record() *record.Record {
	if f == nil {
		return nil
	}
	return f.Record
}

// seen returns the version of f.
func (f *find) seen() string {
	if f == nil {
		return ""
	}
	return f.version
}

// A claim is what came of a look on the shelf: a find, the right to fetch, or how long
// to wait for another who has it.
type claim struct {
	find  *find
	token string // "" if the Store is not to be told
	wait  time.Duration
	alone bool // there is no Store, or it fails
}

// leaseMargin is how much longer a claim lasts than a fetch. The call that claims is over
// by half of it, so the fetch ends before the claim does.
const leaseMargin = 10 * time.Second

// claim returns the record of o if its version is not seen. If there is no such record,
// it claims the right to fetch, for as long as fetch. If fetch is zero, it only looks.
func (s *shelf) claim(ctx context.Context, o origin.Origin, seen string, fetch time.Duration) claim {
	if s.cache.Store == nil {
		return claim{alone: true}
	}
	lease := time.Duration(0)
	if fetch > 0 {
		lease = min(fetch, longAge) + leaseMargin
		ctx = context.WithoutCancel(ctx) // who has claimed must learn it, to give it back
	}
	now := s.cache.now()
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	began := time.Now()
	c, err := s.cache.Store.Claim(ctx, s.key(o), seen, lease)
	s.told.called(ctx, "claim", began, err)
	switch {
	case err != nil:
		return claim{alone: true}
	case c.Entry != nil:
		return claim{find: s.read(o, c, now)}
	case c.Token != "":
		return claim{token: c.Token}
	default:
		return claim{wait: c.Wait}
	}
}

// read reads the record in c. now is a time before the Store was asked.
func (s *shelf) read(o origin.Origin, c store.Claim, now int64) *find {
	f := &find{version: c.Version, at: now - int64(min(max(c.Age, 0), longAge)), doubtful: c.Age < 0}
	f.Record, _ = s.cache.coder.Decode(s.key(o), c.Entry)
	return f
}

// put keeps r as the record of o, if the right to fetch that token stands for has not
// been lost. If r is nil, put gives this right back.
func (s *shelf) put(ctx context.Context, o origin.Origin, token string, r *record.Record, keep time.Duration) {
	var form []byte
	if r != nil {
		form = s.cache.coder.Encode(r, s.key(o))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	began := time.Now()
	s.told.called(ctx, "put", began, s.cache.Store.Put(ctx, s.key(o), token, form, keep))
}

// key returns the key of o's record.
func (s *shelf) key(o origin.Origin) string {
	return recordKey(s.agent, o)
}
