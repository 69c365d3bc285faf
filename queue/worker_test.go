package queue_test

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// slowly returns a web in which slow.example has a gap of a second and takes long, and quick.example takes a tenth
// of a second and has no gap.
func slowly(takes time.Duration) *web {
	return &web{site: func(host string) site {
		if host == "slow.example" {
			return site{robots: delayed(1), takes: takes, rules: time.Millisecond}
		}
		return site{takes: 100 * time.Millisecond, rules: time.Millisecond}
	}}
}

// A page of a site with a gap is sent as soon as an answer lets it go. Until then, its lane says what it waits for.
func TestAnswerEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := slowly(3500 * time.Millisecond)
		q, start := newQueue(w, polite.Pace{}), time.Now()
		push(t, q, "slow.example", 6)
		ended := make(chan error)
		go func() { ended <- q.Run(t.Context(), 4, nothing(t)) }()
		time.Sleep(1351 * time.Millisecond) // and at no time at which a worker looks whether others have answers
		for range 8 {                       // two requests are under way
			lanes := slices.Collect(q.Lanes())
			require.Len(t, lanes, 1)
			assert.Equal(t, 2, lanes[0].UnderWay)
			assert.Equal(t, polite.CauseWindow, lanes[0].Cause)
			assert.Contains(t, lanes[0].Why, "2 requests have no answer")
			assert.Zero(t, lanes[0].Next)
			assert.Equal(t, 4, q.Progress().Parked)
			assert.Zero(t, q.Progress().Next)
			time.Sleep(250 * time.Millisecond)
		}
		time.Sleep(time.Until(start.Add(3501 * time.Millisecond)))
		synctest.Wait()
		assert.Equal(t, 3501*time.Millisecond, time.Since(start))
		assert.Len(t, w.pages("slow.example"), 3)
		time.Sleep(250 * time.Millisecond)
		for lane := range q.Lanes() {
			assert.Equal(t, polite.CauseGap, lane.Cause)
			assert.Equal(t, 750*time.Millisecond, time.Until(lane.Next).Round(time.Millisecond))
		}
		require.NoError(t, <-ended)
	})
}

// What waits for the answer of a trial does not say when it goes on.
func TestNextOfATrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		w := &web{site: func(string) site {
			s := site{rules: time.Millisecond, takes: 10 * time.Second}
			if time.Since(start) < 10*time.Second {
				s.takes, s.page = 0, func(string) (int, http.Header) {
					return http.StatusServiceUnavailable, http.Header{"Retry-After": {"20"}}
				}
			}
			return s
		}}
		q := newQueue(w, polite.Pace{})
		push(t, q, "example.com", 5)
		ended := make(chan error)
		go func() { ended <- q.Run(t.Context(), 2, nothing(t)) }()
		time.Sleep(22 * time.Second)
		for range 7 {
			for lane := range q.Lanes() {
				assert.Equal(t, polite.CauseTrial, lane.Cause)
				assert.Zero(t, lane.Next)
			}
			time.Sleep(time.Second)
		}
		require.NoError(t, <-ended)
	})
}

// A request that may wait in no queue is sent as soon as an answer lets it go, too.
func TestAnswerEndsTheWaitWithoutAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		takes := 3300 * time.Millisecond
		w := &web{site: func(string) site { return site{takes: takes, rules: time.Millisecond} }}
		q := newQueue(w, polite.Pace{Concurrency: 1, MaxQueue: polite.NoQueue})
		push(t, q, "example.com", 5)
		require.NoError(t, q.Run(t.Context(), 3, nothing(t)))
		assert.Equal(t, []time.Duration{takes, takes, takes, takes}, w.gaps("example.com"))
	})
}
