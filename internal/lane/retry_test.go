package lane_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What waits for a start elsewhere looks again when it is called, when a break begins, and when what is reserved
// elsewhere may be lost.
func TestRetryEndsWithWhatItWaitsFor(t *testing.T) {
	called := make(chan struct{}, 1)
	for name, event := range map[string]func(p *lane.Lanes[int]){
		"called": func(*lane.Lanes[int]) { called <- struct{}{} },
		"break":  func(p *lane.Lanes[int]) { p.Break(1, time.Now().Add(time.Second)) },
		"lost":   func(p *lane.Lanes[int]) { p.Wake() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				called = make(chan struct{}, 1)
				p := newPacer()
				place, err := p.Join(t.Context(), 1, lane.Terms{Slots: 1, MaxQueue: 1, Reserved: true})
				require.NoError(t, err)
				defer place.Leave()
				place.Await(time.Time{}, time.Now().Add(time.Hour), called)
				time.AfterFunc(time.Second, func() { event(p) })
				start := time.Now()
				step, err := place.Wait(t.Context(), nil, 0)
				require.NoError(t, err)
				assert.Equal(t, lane.Reserve, step)
				assert.LessOrEqual(t, time.Since(start), 2*time.Second)
			})
		})
	}
}

// If the terms change, nobody waits for the time at which the old ones could be reserved.
func TestRetryEndsWithTheTerms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer()
		terms := lane.Terms{Gap: time.Hour, Slots: 1, MaxQueue: 1, Reserved: true}
		place, err := p.Join(t.Context(), 1, terms)
		require.NoError(t, err)
		defer place.Leave()
		place.Retry(time.Now().Add(time.Hour))
		terms.Gap = time.Second
		place.Update(terms)
		start := time.Now()
		step, err := place.Wait(t.Context(), nil, 0)
		require.NoError(t, err)
		assert.Equal(t, lane.Reserve, step)
		assert.Zero(t, time.Since(start))
	})
}

// What waits for the right to go first looks again when it needs the right no more.
func TestRetryEndsWithTheTrial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer()
		p.Break(1, time.Now().Add(time.Second))
		time.Sleep(2 * time.Second) // on the bubble's clock
		trial, err := p.Take(t.Context(), 1, learned)
		require.NoError(t, err)
		place, err := p.Join(t.Context(), 1, lane.Terms{Gap: time.Second, Limit: true, MaxQueue: 1, Reserved: true})
		require.NoError(t, err)
		defer place.Leave()
		require.True(t, place.StartRequest().First)
		place.Await(time.Time{}, time.Now().Add(time.Hour), nil)
		time.AfterFunc(time.Second, func() {
			trial.Answered(lane.Answer{Kind: limit.Good, Answered: true})
			trial.Done()
		})
		start := time.Now()
		step, err := place.Wait(t.Context(), nil, 0)
		require.NoError(t, err)
		assert.Equal(t, lane.Reserve, step)
		assert.Equal(t, time.Second, time.Since(start))
		assert.False(t, place.StartRequest().First)
	})
}

// Who comes while another waits goes behind it, also if its turn could begin.
func TestComesBehindOneThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer()
		ticket, err := p.Join(t.Context(), 1, lane.Terms{MaxQueue: 2})
		require.NoError(t, err)
		_, ok := p.Begin(1, lane.Terms{}, lane.Arrival{})
		assert.False(t, ok)
		ticket.Leave()
		_, ok = p.Begin(1, lane.Terms{}, lane.Arrival{})
		assert.True(t, ok)
	})
}
