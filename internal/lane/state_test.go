package lane_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/lane"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A request has waited for long, and nothing keeps the first in this moment, which looks at its rules. What
// keeps it a moment later is told.
func TestTellsAgainSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPacer()
		terms := lane.Terms{Gap: time.Millisecond, MaxQueue: 2}
		first, err := p.Join(t.Context(), 1, terms)
		require.NoError(t, err)
		defer first.Leave()
		second, err := p.Join(t.Context(), 1, terms)
		require.NoError(t, err)
		defer second.Leave()
		second.TellAfter(time.Minute)
		for _, want := range []lane.Cause{lane.NoCause, lane.InBreak} {
			step, err := second.Wait(t.Context(), nil, 0)
			require.NoError(t, err)
			require.Equal(t, lane.Tell, step)
			state, tell := second.Long()
			assert.Equal(t, want, state.Cause)
			assert.Equal(t, want != lane.NoCause, tell)
			p.Break(1, time.Now().Add(time.Hour))
		}
		step, err := second.Wait(t.Context(), nil, 10*time.Minute)
		require.NoError(t, err)
		assert.Equal(t, lane.Look, step, "it is told once")
	})
}
