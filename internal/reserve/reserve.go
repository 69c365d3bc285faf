// Package reserve asks sites for their tdmrep.json, and keeps it as robots.txt is kept: in
// memory, and in the Store.
//
//	reserve  what is known in memory, and for how long
//	shelf    what the Store has, and who of all processes asks the site
//	ask      what the site says
package reserve

import (
	"context"
	"net/url"
	"sync"

	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots/usage"
)

// A Reader reads the tdmrep.json of sites. It asks an origin once at a time, and not again
// for as long as an answer for robots.txt would hold, or for a minute after a failure. It is
// safe for concurrent use once its Shelf is set.
type Reader struct {
	Shelf

	mu    sync.Mutex
	known map[origin.Origin]*site
	size  int // of all that is known
}

// A site is what is known of one origin.
type site struct {
	turn chan struct{} // has room for whoever may ask the site, or look at what follows
	answer
	size int // that the Reader counts
}

const (
	maxSize  = 16 << 20 // of all that is known, in bytes
	siteSize = 500      // of a site, without what is said
)

// Of returns what the site of u says. It waits until ctx ends.
func (r *Reader) Of(ctx context.Context, u *url.URL) (usage.Reservations, error) {
	o, err := origin.OfURL(u)
	if err != nil {
		return usage.Reservations{}, err
	}
	e := r.site(o)
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return usage.Reservations{}, context.Cause(ctx)
	}
	if r.Claims.Now() < e.until {
		return e.said, e.err
	}
	found, ok := r.find(ctx, o, u)
	if !ok {
		return found.said, found.err // another caller may do better
	}
	e.answer = found
	r.count(o, e)
	return found.said, found.err
}

// site returns what is known of o.
func (r *Reader) site(o origin.Origin) *site {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.known[o]
	if e == nil {
		e = &site{turn: make(chan struct{}, 1)}
		if r.known == nil {
			r.known = make(map[origin.Origin]*site)
		}
		r.known[o] = e
		r.resize(e, siteSize)
	}
	return e
}

// count counts what is known of o now.
func (r *Reader) count(o origin.Origin, e *site) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[o] == e { // it was not forgotten meanwhile
		r.resize(e, siteSize+e.said.Size())
	}
}

// resize counts the size of e, and forgets others if all is too much. One that is being
// asked for may be forgotten, too: it is asked again.
func (r *Reader) resize(e *site, size int) {
	r.size += size - e.size
	e.size = size
	for other, forgotten := range r.known {
		if r.size <= maxSize {
			break
		}
		if forgotten != e {
			delete(r.known, other)
			r.size -= forgotten.size
		}
	}
}
