package robotstxt

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/store"
	"github.com/go-polite/polite/store/memstore"
)

// A Memory is a Store that ends with the process. If its entries take too much memory, it forgets all but
// the newest. Make one with NewMemory.
type Memory struct {
	most int

	mu      sync.Mutex
	entries *memstore.Entries
	size    int // about how many octets the entries take; what was replaced counts, too
}

// Most is how many octets the robots.txt files of a run may take.
const Most = 64 << 20

// NewMemory returns a Memory that takes about as many octets as most says.
func NewMemory(most int) *Memory { return &Memory{most: most, entries: new(memstore.Entries)} }

// Claim is the method of store.Store.
func (m *Memory) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	claim, err := m.entries.Claim(ctx, key, seen, lease)
	if claim.Token != "" {
		const usual = 400 // octets of a claim, beside its key
		m.size += usual + 2*len(key)
	}
	return claim, err
}

// Put is the method of store.Store.
func (m *Memory) Put(ctx context.Context, key, token string, entry []byte, keep time.Duration) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.entries.Put(ctx, key, token, entry, keep)
	m.size += len(entry)
	if err != nil || m.size <= m.most {
		return err
	}
	m.entries, m.size = new(memstore.Entries), len(entry)
	claim, err := m.entries.Claim(ctx, key, "", keep)
	if err != nil {
		return err
	}
	return m.entries.Put(ctx, key, claim.Token, entry, keep)
}

// A Source is what a site has answered to a request for its robots.txt.
type Source struct {
	Status int
	Body   []byte // up to robots.MaxSize octets of it
}

// Of returns what the site of u has answered to a crawler, as the Store has it: package polite drops
// the text once it has the rules. ok is false if the Store has no answer.
func Of(ctx context.Context, s store.Store, userAgent string, u *url.URL) (source Source, ok bool, err error) {
	o, err := origin.OfURL(u)
	if err != nil {
		return Source{}, false, err
	}
	key := entry.Key(strings.ToLower(robots.ProductToken(userAgent)), o)
	claim, err := s.Claim(ctx, key, "", 0)
	if err != nil || claim.Entry == nil {
		return Source{}, false, err
	}
	e, err := entry.Decode(key, claim.Entry)
	if err != nil || e.Answer == nil {
		return Source{}, false, err
	}
	body := e.Answer.Body
	return Source{e.Answer.Status, body[:min(len(body), robots.MaxSize)]}, true, nil
}
