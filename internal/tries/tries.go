// Package tries lets package queue send one request in several tries, of which a Transport tells as of one
// request: it is judged once, it waits from the try that was put off to the one that is sent, and it is refused
// if the queue gives it up.
package tries

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// A Request is a request that may be tried several times. The zero Request has not been tried. A nil Request
// is one that nobody tries again. It is safe for concurrent use.
type Request struct {
	mu      sync.Mutex
	turn    time.Duration // see With
	hop     time.Duration
	judged  bool
	began   time.Time       // when it was put off first; zero if it does not wait
	over    func(err error) // ends the wait that was told; nil if none was
	refusal *Refusal        // of the last try
}

// A Refusal is how a Transport tells that a try was refused only for now.
type Refusal struct {
	Of      *http.Request
	GivenUp func()                    // tells that the request is refused
	Waits   func() (over func(error)) // tells that the request waits, as Wait gets it; nil if it waits for no turn
	Long    func(began time.Time)     // tells it if the request waits for long; nil if it waits for no turn

	Awaits   bool // it may have its turn as soon as a request of its lane is answered, or the body done
	Reserves bool // its turn is reserved in a fleet, which takes a moment
}

type key struct{}

// A try is what a context has.
type try struct {
	of    *Request
	first *url.URL
}

// With returns a context for the next try of r. The try waits for its turn for at most turn, and its MaxWait is for
// robots.txt alone. A hop of a redirect waits for both for at most hop: it can go on in its own lane. If the try is
// such a hop, first is the URL that was asked for first, else nil.
func With(ctx context.Context, r *Request, first *url.URL, turn, hop time.Duration) context.Context {
	r.take()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.turn, r.hop = turn, hop
	return context.WithValue(ctx, key{}, try{r, first})
}

// Patience returns how long req, which is a try of r or a hop of it, waits for its turn.
func (r *Request) Patience(req *http.Request) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	if req.Response != nil {
		return r.hop
	}
	return r.turn
}

// Of returns what goes with a context, or nil.
func Of(ctx context.Context) *Request {
	t, _ := ctx.Value(key{}).(try)
	return t.of
}

// First returns the URL that was asked for before the redirects which led to a try, or nil.
func First(ctx context.Context) *url.URL {
	t, _ := ctx.Value(key{}).(try)
	return t.first
}

// Judge notes that the request was judged, and reports whether it was judged before.
func (r *Request) Judge() (before bool) {
	if r == nil {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	before, r.judged = r.judged, true
	return before
}

// Refuse notes that a try was refused for now.
func (r *Request) Refuse(refusal Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refusal = &refusal
}

// Wait notes that the request begins to wait for its turn, unless it waits already: waits tells of it. over,
// which may be nil, tells that the wait is over.
func (r *Request) Wait(waits func() (over func(error))) {
	r.mu.Lock()
	again := !r.began.IsZero()
	if !again {
		r.began = time.Now()
	}
	r.mu.Unlock()
	if again {
		return
	}
	over := waits() // without the lock: it calls functions of the user
	r.mu.Lock()
	r.over = over
	r.mu.Unlock()
}

// Refused returns how the last try was refused for now. Its Of is nil if it was not, or if this Transport has
// not refused it.
func (r *Request) Refused() (last Refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refusal != nil {
		last = *r.refusal
	}
	return last
}

// PutOff tells that the request, whose last try was refused for now, waits.
func (r *Request) PutOff() {
	if refusal := r.take(); refusal != nil && refusal.Waits != nil {
		r.Wait(refusal.Waits)
		refusal.Long(r.began)
	}
}

// GiveUp tells that the request is refused because of err, if its last try was.
func (r *Request) GiveUp(err error) {
	refusal := r.take()
	r.Over(err)
	if refusal != nil {
		refusal.GivenUp()
	}
}

func (r *Request) take() *Refusal {
	r.mu.Lock()
	defer r.mu.Unlock()
	refusal := r.refusal
	r.refusal = nil
	return refusal
}

// Over tells that the wait is over: the request was sent, or is not sent because of err. What is tried from
// now on is another request: a hop.
func (r *Request) Over(err error) {
	r.mu.Lock()
	over := r.over
	r.judged, r.began, r.over = false, time.Time{}, nil
	r.mu.Unlock()
	if over != nil {
		over(err)
	}
}
