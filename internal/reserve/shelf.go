package reserve

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite/internal/claims"
	"github.com/go-polite/polite/internal/clock"
	"github.com/go-polite/polite/internal/entry"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/robots/usage"
)

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
