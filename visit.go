package polite

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/pace"
	"github.com/go-polite/polite/internal/printable"
)

// A visitor lets fetches that were redirected ask at other origins.
type visitor struct{ line *line }

// answeredItself reports whether the answer came from o, and not from another origin to
// which o redirected.
func answeredItself(o origin.Origin, answer fetch.Answer) bool {
	if len(answer.Hops) == 0 {
		return true
	}
	last, err := url.Parse(answer.Hops[len(answer.Hops)-1])
	if err != nil {
		return false
	}
	at, err := origin.OfURL(last)
	o.Dial = ""
	return err == nil && at == o
}

// maxVisits is how many redirected fetches may be under way at an origin at the same
// time.
const maxVisits = 2

// visit waits until a fetch that was redirected to another origin may ask there. It
// respects the breaks of this origin: during one it returns an error. It does not wait
// behind the requests for pages of this origin.
func (v visitor) visit(ctx context.Context, at origin.Origin) (leave func(status int, retryAfter time.Duration), err error) {
	to, err := v.visited(at)
	if err != nil {
		return nil, err
	}
	turn, err := v.line.cache.visits.Take(ctx, at, pace.Terms{Slots: maxVisits, MaxQueue: math.MaxInt})
	if err != nil {
		return nil, err
	}
	if hold := v.line.cache.lanes.Held(to.lane()); hold.After(time.Now()) {
		turn.Done()
		return nil, fmt.Errorf("redirected to %s, which has asked for a break until %s", at, hold.Format(time.RFC3339))
	}
	return func(status int, retryAfter time.Duration) {
		defer turn.Done()
		v.line.learn(&to, status, retryAfter)
	}, nil
}

// visited returns the site to which a fetch was redirected. If Sites or Pace.Key
// panics, this is a failure like any other: polite remembers it.
func (v visitor) visited(at origin.Origin) (to site, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in Sites or Pace.Key: %s", printable.Text(fmt.Sprint(p)))
		}
	}()
	to.origin = at
	v.line.paces.settle(&to, &http.Request{Method: http.MethodGet, URL: at.RobotsURL()})
	return to, nil
}
