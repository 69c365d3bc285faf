// Package reserve asks sites for their tdmrep.json, and remembers it.
package reserve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// A Reader reads the tdmrep.json of sites. It asks an origin once at a time, and not again
// for as long as an answer for robots.txt would hold, or for a minute after a failure. It is
// safe for concurrent use once its fields are set.
type Reader struct {
	Client  *http.Client     // sends the requests
	Refused func(error) bool // reports whether an error says that nothing was sent

	mu    sync.Mutex
	known map[origin.Origin]*entry
	size  int // of all that is known
}

// An entry is what is known of one origin.
type entry struct {
	turn  chan struct{} // has room for whoever may ask the site, or look at what follows
	said  usage.Reservations
	err   error
	until time.Time
	size  int // that the Reader counts
}

const (
	maxSize    = 16 << 20 // of all that is known, in bytes
	entrySize  = 500      // of an entry, without what is said
	afterError = time.Minute
)

// Of returns what the site of u says. It waits until ctx ends.
func (r *Reader) Of(ctx context.Context, u *url.URL) (usage.Reservations, error) {
	o, err := origin.OfURL(u)
	if err != nil {
		return usage.Reservations{}, err
	}
	e := r.entry(o)
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return usage.Reservations{}, context.Cause(ctx)
	}
	if time.Now().Before(e.until) {
		return e.said, e.err
	}
	said, age, err := r.ask(ctx, u)
	if err != nil && (ctx.Err() != nil || r.Refused(err)) {
		return said, err // another caller may do better
	}
	e.said, e.err, e.until = said, err, time.Now().Add(age)
	r.count(o, e)
	return said, err
}

// entry returns the entry of o.
func (r *Reader) entry(o origin.Origin) *entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	e := r.known[o]
	if e == nil {
		e = &entry{turn: make(chan struct{}, 1)}
		if r.known == nil {
			r.known = make(map[origin.Origin]*entry)
		}
		r.known[o] = e
		r.resize(e, entrySize)
	}
	return e
}

// count counts what is known of o now.
func (r *Reader) count(o origin.Origin, e *entry) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[o] == e { // it was not forgotten meanwhile
		r.resize(e, entrySize+e.said.Size())
	}
}

// resize counts the size of e, and forgets others if all is too much. One that is being
// asked for may be forgotten, too: it is asked again.
func (r *Reader) resize(e *entry, size int) {
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

// ask asks the site of u. It returns how long the answer holds.
func (r *Reader) ask(ctx context.Context, u *url.URL) (said usage.Reservations, age time.Duration, err error) {
	at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/.well-known/tdmrep.json"}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return said, afterError, err
	}
	resp, err := r.Client.Do(req)
	if err != nil {
		return said, afterError, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode/100 == 2:
		body, err := io.ReadAll(io.LimitReader(resp.Body, robots.MaxSize+1))
		if err == nil && len(body) > robots.MaxSize {
			err = errors.New("polite: the tdmrep.json is too long")
		}
		if err != nil {
			return said, afterError, err
		}
		said, _ = usage.ParseReservations(body) // a page that says that there is none says nothing
	case resp.StatusCode/100 != 4 || resp.StatusCode == http.StatusTooManyRequests:
		return said, afterError, fmt.Errorf("polite: the site has answered %d for its tdmrep.json", resp.StatusCode)
	}
	age = known.MaxAge
	if stated := fetch.MaxAge(resp.Header); stated >= 0 {
		age = min(max(stated, known.MinAge), known.MaxAge)
	}
	return said, age, nil
}
