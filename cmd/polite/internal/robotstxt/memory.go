package robotstxt

import (
	"container/list"
	"context"
	"crypto/rand"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/store"
)

// A Memory is a Store that ends with the process. If its entries take too much memory, it
// forgets those that were not used for the longest time. Make one with NewMemory.
type Memory struct {
	mu     sync.Mutex
	most   int
	size   int
	places map[string]*list.Element // by key
	recent list.List                // of *place, the one used last first
}

// A place has the entry of a key, and the claim of who may replace it.
type place struct {
	key     string
	entry   []byte // nil if there is none
	version string
	put     time.Time
	token   string
	ends    time.Time // of the claim
}

// size is about how many octets of memory a place takes.
func (p *place) size() int { return 400 + 2*len(p.key) + len(p.entry) }

// Most is how many octets the robots.txt files of a run may take.
const Most = 64 << 20

// NewMemory returns a Memory that takes about as many octets as most says.
func NewMemory(most int) *Memory {
	return &Memory{most: most, places: make(map[string]*list.Element)}
}

// Claim is the method of store.Store.
func (m *Memory) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	if err := ctx.Err(); err != nil {
		return store.Claim{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.find(key)
	if p != nil && p.entry != nil && p.version != seen {
		return store.Claim{Entry: p.entry, Version: p.version, Age: time.Since(p.put)}, nil
	}
	if lease <= 0 {
		return store.Claim{}, nil
	}
	if p != nil && p.token != "" && time.Now().Before(p.ends) {
		return store.Claim{Wait: time.Until(p.ends)}, nil
	}
	if p == nil {
		p = m.make(key)
	}
	p.token, p.ends = rand.Text(), time.Now().Add(lease)
	return store.Claim{Token: p.token}, nil
}

// Put is the method of store.Store. An entry stays longer than keep says if there is room.
func (m *Memory) Put(ctx context.Context, key, token string, entry []byte, _ time.Duration) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p := m.find(key)
	if p == nil || token == "" || p.token != token || !time.Now().Before(p.ends) {
		return store.ErrLost
	}
	p.token = ""
	if entry == nil {
		return nil
	}
	m.size -= p.size()
	p.entry, p.version, p.put = append([]byte{}, entry...), token, time.Now()
	m.size += p.size()
	m.shrink()
	return nil
}

// find returns the place of key, or nil.
func (m *Memory) find(key string) *place {
	at, ok := m.places[key]
	if !ok {
		return nil
	}
	m.recent.MoveToFront(at)
	return at.Value.(*place)
}

func (m *Memory) make(key string) *place {
	p := &place{key: key}
	m.places[key] = m.recent.PushFront(p)
	m.size += p.size()
	m.shrink()
	return p
}

// shrink forgets places until the others take no more than they may. It keeps one.
func (m *Memory) shrink() {
	for m.size > m.most && m.recent.Len() > 1 {
		oldest := m.recent.Remove(m.recent.Back()).(*place)
		delete(m.places, oldest.key)
		m.size -= oldest.size()
	}
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
