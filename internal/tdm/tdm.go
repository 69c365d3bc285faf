// Package tdm asks sites for their tdmrep.json, and keeps it as robots.txt is kept: in
// memory, and in the Store.
//
//	reserve  what is known in memory, and for how long
//	shelf    what the Store has, and who of all processes asks the site
//	ask      what the site says
package tdm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/go-polite/polite/internal/claims"
	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/known"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/status"
	"github.com/go-polite/polite/robots"
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

// ask asks the site of u. It returns what came as an entry of a Store: an answer, or a
// failure. The error is the one that ended the request, if there is one.
func ask(ctx context.Context, client *http.Client, u *url.URL) (*entry.Entry, error) {
	at := url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/.well-known/tdmrep.json"}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return failure(err), err
	}
	resp, err := client.Do(req)
	if err != nil {
		return failure(err), err
	}
	defer resp.Body.Close()
	came := &entry.Answer{Status: resp.StatusCode, MaxAge: fetch.MaxAge(resp.Header)}
	switch file := status.Of(came.Status).File; {
	case status.IsChallenge(resp.Header):
		err = status.ErrChallenge
	case came.Status == http.StatusPartialContent && !fetch.IsWhole(resp.Header):
		err = fetch.ErrPart
	case file == status.Content:
		came.Body, err = io.ReadAll(io.LimitReader(resp.Body, robots.MaxSize+1))
		if err == nil && len(came.Body) > robots.MaxSize {
			err = errors.New("polite: the tdmrep.json is too long")
		} else if status.IsWall(came.Body) {
			err = status.ErrChallenge
		}
	case fetch.IsWall(ctx, resp):
		err = status.ErrChallenge
	case !file.Exists():
		err = fmt.Errorf("polite: the site has answered %d for its tdmrep.json", came.Status)
	}
	if err != nil {
		return failure(err), err
	}
	return &entry.Entry{Answer: came}, nil
}

func failure(err error) *entry.Entry {
	return &entry.Entry{Failure: &entry.Failure{Tries: 1, Err: err.Error()}}
}

// afterError is how long a site is not asked after it has failed.
const afterError = time.Minute

// holds returns how long an answer is of use: as long as one for robots.txt. If came is nil,
// the site has failed.
func holds(came *entry.Answer) time.Duration {
	switch {
	case came == nil:
		return afterError
	case came.MaxAge < 0:
		return known.MaxAge
	default:
		return min(max(came.MaxAge, known.MinAge), known.MaxAge)
	}
}

// said returns what an answer says. A page that says that there is no such file says nothing.
func said(came *entry.Answer) (r usage.Reservations) {
	if came != nil && came.Status/100 == 2 {
		r, _ = usage.ParseReservations(came.Body)
	}
	return r
}

// A Shelf is where the files come from: the Store, or the site itself.
type Shelf struct {
	Client  *http.Client     // sends the requests
	Refused func(error) bool // reports whether an error says that nothing was sent
	Claims  claims.Claims
	Agent   string // the product token that sites see, in lower case
}

// An answer is what a site has said, and until when it holds, by the clock of Claims.
type answer struct {
	said  usage.Reservations
	err   error
	until int64
}

const (
	// longestAsk is how long other processes wait for one that asks a site, in its turn. If
	// it takes longer, another may ask, too.
	longestAsk = 5 * time.Minute

	// Between two looks whether another has asked, a process pauses so long.
	leastPause, mostPause = 25 * time.Millisecond, time.Second

	// maxLooks is how often a process looks before it asks the site all the same.
	maxLooks = int(longestAsk / mostPause)
)

// find takes the answer of the site of u, which is o, from the Store or from the site. If ok
// is false, no answer came, and none failed to come: others may ask at once.
func (s *Shelf) find(ctx context.Context, o origin.Origin, u *url.URL) (found answer, ok bool) {
	key, seen := s.key(o), ""
	for n := 0; ; n++ {
		c := s.Claims.Claim(ctx, key, seen, longestAsk)
		if found, ok = s.recalled(c.Found); ok {
			return found, true
		}
		if c.Alone || c.Token != "" || n == maxLooks {
			return s.ask(ctx, key, c.Token, u)
		}
		if f := c.Found; f != nil {
			seen = f.Version
		} else if err := clock.Pause(ctx, min(max(c.Wait, leastPause), mostPause)); err != nil {
			return answer{err: err}, false
		}
	}
}

// key returns the key of the entry of o. It differs from those of robots.txt, since no
// origin has a space.
func (s *Shelf) key(o origin.Origin) string { return "tdmrep.json " + entry.Key(s.Agent, o) }

// recalled returns what an entry of the Store says. If there is none, or if it does not hold
// any more, ok is false.
func (s *Shelf) recalled(f *claims.Found) (found answer, ok bool) {
	if f.Kept() == nil || f.Doubtful {
		return found, false
	}
	if f.Answer == nil {
		found.err = errors.New(f.Failure.Err)
	}
	found.said, found.until = said(f.Answer), f.At+int64(holds(f.Answer)) // it was put when it came
	return found, s.Claims.Now() < found.until
}

// ask asks the site, and keeps in the Store what came, if token is the right to do so.
func (s *Shelf) ask(ctx context.Context, key, token string, u *url.URL) (found answer, ok bool) {
	e, err := ask(ctx, s.Client, u)
	ok = err == nil || ctx.Err() == nil && !s.Refused(err)
	keep := holds(e.Answer)
	found = answer{said(e.Answer), err, s.Claims.Now() + int64(keep)}
	if token == "" {
		return found, ok
	}
	if !ok {
		e = nil // gives the claim back
	}
	s.Claims.Put(ctx, key, token, e, keep)
	return found, ok
}
