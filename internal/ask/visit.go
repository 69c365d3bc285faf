package ask

import (
	"context"
	"fmt"
	"math"
	"net/url"
	"time"

	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/origin"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/internal/turns"
)

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
	at, _ := origin.OfURL(last) // no origin is equal to none
	o.Dial = ""
	return at == o
}

// maxVisits is how many redirected fetches may be under way at an origin at the same
// time.
const maxVisits = 2

// visit waits until a fetch that was redirected to another origin may ask there. It respects the breaks
// of this origin: during a break the fetch fails. It does not wait behind the requests for pages of
// this origin.
func (a *Asker) visit(ctx context.Context, at origin.Origin) (visit fetch.Visit, err error) {
	to, err := a.visited(at)
	if err != nil {
		return visit, err
	}
	turn, err := a.Desk.visits.Take(ctx, at, lane.Terms{Slots: maxVisits, MaxQueue: math.MaxInt})
	if err != nil {
		return visit, err
	}
	pass := a.Taker.Lanes.Enter(to.Lane)
	visit.Guard = a.Taker.GuardRobots(&to, nil, func() error {
		if until := a.Taker.Lanes.BreakEnd(to.Lane); until.After(time.Now()) {
			return fmt.Errorf("redirected to %s, which has asked for a break until %s", at, until.Format(time.RFC3339))
		}
		return nil
	})
	visit.Leave = func(status int, retryAfter time.Duration) {
		defer turn.Done()
		defer pass.Done()
		a.Taker.Learn(&to, status, retryAfter)
	}
	return visit, nil
}

// visited returns the site to which a fetch was redirected. If Sites or Pace.Key
// panics, this is a failure like any other: polite remembers it.
func (a *Asker) visited(at origin.Origin) (to turns.Site, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic in Sites or Pace.Key: %s", printable.Text(fmt.Sprint(p)))
		}
	}()
	return a.SiteOf(at), nil
}
