package ask

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/answers"
	"github.com/go-polite/polite/internal/fetch"
	"github.com/go-polite/polite/internal/origin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var here = origin.Origin{Host: "example.com", Port: 80}

// A site is asked by flights. Each fetch takes a second, or until its flight ends.
type site struct {
	*testing.T
	flights
	asked   int
	ended   []error // why flights ended early
	yielded int
	waiting sync.WaitGroup
}

func atSite(t *testing.T, f func(s *site)) {
	synctest.Test(t, func(t *testing.T) {
		s := &site{T: t}
		s.flights.yielded = func() { s.yielded++ }
		f(s)
		s.waiting.Wait()
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Empty(t, s.under, "all have landed")
	})
}

func (s *site) ask(ctx context.Context) (*answers.Known, error) {
	s.asked++
	select {
	case <-time.After(time.Second):
		return new(answers.Known), nil
	case <-ctx.Done():
		s.ended = append(s.ended, context.Cause(ctx))
		return nil, context.Cause(ctx)
	}
}

// wait lets a request wait until it has an answer, or gives up for a reason.
func (s *site) wait(dry int) (giveUp context.CancelCauseFunc) {
	ctx, giveUp := context.WithCancelCause(s.Context())
	s.waiting.Go(func() { s.flights.wait(ctx, here, dry, anyone, s.ask) })
	synctest.Wait()
	return giveUp
}

// flying returns the flight under way.
func (s *site) flying() *flight {
	s.mu.Lock()
	defer s.mu.Unlock()
	require.NotNil(s, s.under[here])
	return s.under[here]
}

// All who come while a flight is under way have its answer. Who comes later begins another.
func TestOneFlight(t *testing.T) {
	atSite(t, func(s *site) {
		for range 2 {
			came := time.Now()
			for range 3 {
				s.wait(0)
			}
			assert.Equal(t, came, s.flying().began)
			s.waiting.Wait()
			assert.Equal(t, time.Second, time.Since(came))
		}
		assert.Equal(t, 2, s.asked)
		ctx, cancel := context.WithCancelCause(s.Context())
		gone := errors.New("gone")
		cancel(gone)
		_, err := s.flights.wait(ctx, here, 0, anyone, s.ask)
		assert.Equal(t, gone, err)
		_, err = s.flights.wait(context.WithValue(s.Context(), inFlight{}, new(flight)), here, 0, anyone, s.ask)
		assert.NoError(t, err, "another flight")
		assert.Equal(t, 3, s.asked)
	})
}

// A request that gives up while others wait disturbs nobody. If it was the last, the flight ends, unless somebody
// learns from it.
func TestLastGivesUp(t *testing.T) {
	impatient := new(impatience)
	for name, test := range map[string]struct {
		asks, claims, refresh bool
		why                   error
		ends, yields          bool
	}{
		"cancelled":                            {asks: true, ends: true},
		"impatient":                            {asks: true, why: impatient, yields: true},
		"impatient, and it waits for its turn": {why: impatient, ends: true},
		"cancelled, with a claim":              {asks: true, claims: true, yields: true},
		"with a claim, and it waits":           {claims: true, ends: true},
		"a refresh":                            {refresh: true},
		"a refresh with a claim":               {refresh: true, asks: true, claims: true, why: impatient},
	} {
		t.Run(name, func(t *testing.T) {
			atSite(t, func(s *site) {
				first, last := s.wait(0), s.wait(0)
				flying := s.flying()
				if test.refresh {
					s.refresh(here, s.ask)
				}
				s.asking(flying.ctx, test.asks)
				if test.claims {
					s.claimed(flying.ctx)
				}
				first(test.why)
				synctest.Wait()
				assert.False(t, flying.yields)
				assert.NoError(t, flying.ctx.Err())
				last(test.why)
				synctest.Wait()
				assert.Equal(t, test.yields, flying.yields)
				assert.Equal(t, test.yields, s.yielded == 1)
				if test.ends {
					assert.Equal(t, []error{errNobodyWaits}, s.ended)
				} else {
					assert.Empty(t, s.ended)
				}
				if s.wait(0); !test.ends {
					assert.False(t, s.flying().yields, "somebody waits again")
				}
				assert.Equal(t, test.ends, s.asked == 2)
			})
		})
	}
}

// A flight for which nobody waits makes way for others, and polite remembers a slow site. Stop ends it, too, and one
// for which dry runs alone wait.
func TestMakesWay(t *testing.T) {
	for name, test := range map[string]struct {
		dry, wet, refresh, yields bool
		slow, stop                bool
		want                      error
	}{
		"yields":                  {yields: true, want: errNobodyWaits},
		"yields, and is slow":     {yields: true, slow: true, want: errGaveWay},
		"somebody waits":          {wet: true},
		"stopped":                 {yields: true, stop: true, want: errNobodyWaits},
		"stopped, somebody waits": {wet: true, stop: true},
		"stopped, a dry run":      {dry: true, stop: true, want: errNobodyWaits},
		"stopped, both wait":      {dry: true, wet: true, stop: true},
		"stopped, a refresh":      {refresh: true, stop: true},
		"stopped, a dry refresh":  {refresh: true, dry: true, stop: true},
	} {
		t.Run(name, func(t *testing.T) {
			atSite(t, func(s *site) {
				if test.dry {
					s.wait(1)
				}
				if test.wet {
					s.wait(0)
				}
				if test.refresh {
					s.refresh(here, s.ask)
				}
				if test.yields {
					giveUp := s.wait(0)
					s.asking(s.flying().ctx, true)
					giveUp(new(impatience))
				}
				synctest.Wait()
				if flying := s.flying(); test.stop {
					s.stop()
				} else {
					assert.Equal(t, test.want != nil, flying.giveWay(test.slow))
				}
				synctest.Wait()
				if test.want == nil {
					assert.Empty(t, s.ended)
				} else {
					assert.Equal(t, []error{test.want}, s.ended)
				}
			})
		})
	}
}

// A refresh that nobody waits for does not yield to others, also if a request has left before.
func TestRefreshDoesNotYield(t *testing.T) {
	atSite(t, func(s *site) {
		giveUp := s.wait(0)
		flying := s.flying()
		s.asking(flying.ctx, true)
		giveUp(new(impatience))
		synctest.Wait()
		s.refresh(here, s.ask)
		assert.False(t, flying.giveWay(true))
		s.stop()
		synctest.Wait()
		assert.Empty(t, s.ended)
	})
}

// A Base that asks for what it is to fetch would wait for itself.
func TestOwnAnswer(t *testing.T) {
	atSite(t, func(s *site) {
		_, err := s.flights.wait(s.Context(), here, 0, anyone, func(ctx context.Context) (*answers.Known, error) {
			return s.flights.wait(ctx, here, 0, anyone, s.ask)
		})
		assert.Equal(t, errOwnAnswer, err)
	})
}

// When a request gives up, and why.
func TestWithin(t *testing.T) {
	const none, early = -1, time.Minute - 50*time.Millisecond
	for _, test := range []struct {
		deadline, most, want time.Duration
		why                  string
	}{
		{none, 0, none, ""},
		{none, time.Second, time.Second, "robots.txt has not come within 1s"},
		{time.Minute, time.Second, time.Second, "robots.txt has not come within 1s"},
		{time.Minute, time.Hour, early, notInTime},
		{time.Minute, 0, early, notInTime},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, now := t.Context(), time.Now()
			if test.deadline != none {
				var cancel context.CancelFunc
				ctx, cancel = context.WithDeadline(ctx, now.Add(test.deadline))
				defer cancel()
			}
			for _, leaves := range []bool{false, true} {
				waiting, leave := within(ctx, now, test.most)
				end, ok := waiting.Deadline()
				assert.Equal(t, test.want != none, ok)
				if ok {
					assert.Equal(t, test.want, end.Sub(now))
				}
				if leaves || !ok {
					gone := errors.New("gone")
					leave(gone)
					assert.Equal(t, gone, context.Cause(waiting))
					continue
				}
				leave(nil)
				assert.Error(t, waiting.Err())
			}
			if test.want != none {
				waiting, leave := within(ctx, now, test.most)
				defer leave(nil)
				<-waiting.Done()
				assert.Equal(t, test.want, time.Since(now))
				why, ok := context.Cause(waiting).(*impatience)
				require.True(t, ok)
				assert.Equal(t, impatience{since: now, why: test.why, cause: map[bool]error{true: context.DeadlineExceeded}[test.why == notInTime]}, *why)
				assert.True(t, gaveUp(waiting))
			}
		})
	}
}

// Who comes to a flight that has been under way for long, or for which many wait, does not wait.
func TestEnter(t *testing.T) {
	for _, test := range []struct {
		old, most      time.Duration
		waiting, queue int
		at             time.Duration // it leaves; 0: it does not
		why            string
		full           bool
	}{
		{old: 0, waiting: 1, queue: 1},
		{old: time.Second, waiting: 1, queue: 1},
		{old: time.Second, most: time.Second + 1, waiting: 1, queue: 1},
		{old: time.Second, most: time.Second, waiting: 1, queue: 1, at: time.Second, why: "robots.txt has not come within 1s"},
		{old: 0, waiting: 2, queue: 1, at: moment, why: "1 requests are waiting already for robots.txt", full: true},
		{old: moment - 1, waiting: 2, queue: 1, at: moment, why: "1 requests are waiting already for robots.txt", full: true},
		{old: moment, waiting: 2, queue: 1, at: moment, why: "1 requests are waiting already for robots.txt", full: true},
		{old: time.Second, waiting: 1, queue: 0, at: time.Second, why: "robots.txt is being fetched for another request", full: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &flight{began: time.Now(), waiting: test.waiting}
			time.Sleep(test.old)
			var why error
			left := test.old
			err := enter(f, test.most, test.queue, func(cause error) { why, left = cause, time.Since(f.began) })
			if err == nil {
				time.Sleep(time.Minute)
				synctest.Wait()
				err = why
			}
			if test.at == 0 {
				assert.NoError(t, err)
				return
			}
			assert.Equal(t, &impatience{since: f.began, why: test.why, full: test.full}, err)
			assert.Equal(t, test.at, left)
		})
	}
}

// An answer that came from elsewhere says nothing of how the site fares.
func TestAnsweredItself(t *testing.T) {
	for _, test := range []struct {
		hops []string
		want bool
	}{
		{nil, true}, {[]string{"http://example.com/x"}, true}, {[]string{"http://other.example/", "http://EXAMPLE.com:80/x"}, true},
		{[]string{"http://example.com/x", "http://other.example/"}, false}, {[]string{"https://example.com/"}, false}, {[]string{"http://:1/"}, false},
	} {
		for _, dial := range []string{"", "192.0.2.1:80"} {
			assert.Equal(t, test.want, answeredItself(origin.Origin{Host: "example.com", Port: 80, Dial: dial}, fetch.Answer{Hops: test.hops}), test.hops)
		}
	}
}
