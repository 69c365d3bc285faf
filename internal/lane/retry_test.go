package lane_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
