package reach

import (
	"bytes"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/store"
)

// A Store keeps with each entry whether it came from the public internet. If it did not, or if
// nobody knows, the entry is shown only where the site is open. A failure to reach a private
// address that is closed is not kept: it says nothing of the site.
type Store struct {
	store.Store

	// Open reports whether the site of a URL may be at a private address. If nil, each may.
	Open func(*url.URL) bool
}

// mark begins an entry that did not come from the public internet.
const mark = "private\n"

// Plain returns an entry as it was before it was kept.
func Plain(kept []byte) []byte {
	plain, _ := bytes.CutPrefix(kept, []byte(mark))
	return plain
}

// Claim is as if there was no entry that must not be shown.
func (s Store) Claim(ctx context.Context, key, seen string, lease time.Duration) (store.Claim, error) {
	for {
		claim, err := s.Store.Claim(ctx, key, seen, lease)
		if err != nil || !bytes.HasPrefix(claim.Entry, []byte(mark)) || s.isOpen(key) {
			claim.Entry = Plain(claim.Entry)
			return claim, err
		}
		seen = claim.Version
	}
}

// Put keeps an entry, with what is known of its sites.
func (s Store) Put(ctx context.Context, key, token string, form []byte, keep time.Duration) error {
	if form != nil {
		form = marked(key, form)
	}
	return s.Store.Put(ctx, key, token, form, keep)
}

func (s Store) isOpen(key string) bool {
	o, ok := originOf(key)
	return s.Open == nil || ok && o.Dial == "" && s.Open(o.RobotsURL())
}

// originOf returns the origin of an entry: of robots.txt, or of tdmrep.json.
func originOf(key string) (o origin.Origin, ok bool) {
	return entry.OriginOf(strings.TrimPrefix(key, "tdmrep.json "))
}

// marked returns an entry as it is kept, or nil if it is not.
func marked(key string, form []byte) []byte {
	e, err := entry.Decode(key, form)
	if err != nil {
		return form // nobody can read it
	}
	first, _ := originOf(key)
	all, hops := at(first), []string(nil) // of the site, and of those that it has redirected to
	unknown := all == 0
	if e.Answer != nil {
		hops = e.Answer.Hops
	}
	if e.Failure != nil {
		hops = slices.Concat(hops, e.Failure.Hops)
	}
	for _, hop := range hops {
		u, err := url.Parse(hop)
		if err != nil {
			u = new(url.URL)
		}
		o, _ := origin.OfURL(u)
		r := at(o)
		all, unknown = all|r, unknown || r == 0
	}
	switch {
	case e.Failure != nil && all&refused != 0:
		return nil
	case all&^publicly != 0, e.Answer != nil && unknown:
		return append([]byte(mark), form...)
	default:
		return form
	}
}
