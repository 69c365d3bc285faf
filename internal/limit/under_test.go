package limit_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/require"
)

// Whatever breaks begin, and whoever begins in one, Under is the number of requests that have begun and
// have not ended.
func TestUnderIsWhatHasBegunAndNotEnded(t *testing.T) {
	kinds := []limit.Kind{limit.Good, limit.Good, limit.Good, limit.Neutral, limit.Busy, limit.Silent, limit.Refused, limit.Broken}
	for seed := range uint64(50) {
		var l limit.Limit
		chance, now := rand.New(rand.NewPCG(seed, 1)), time.Hour
		under := []time.Duration{} // when each began
		for range 2000 {
			now += time.Duration(chance.Int64N(int64(3 * time.Second)))
			switch end, asked := l.BreakEnd(); chance.IntN(8) {
			case 0:
				l.Break(now, now+time.Duration(chance.Int64N(int64(10*time.Second))))
			case 1:
				l.Learn(now, limit.Lesson{Incident: chance.IntN(2) == 0, Why: limit.Busy, Break: time.Second, Asked: asked})
			case 2, 3, 4: // also in a break
				l.Begin(now)
				under = append(under, now)
			case 5: // one from before the break is written
				for i, begun := range under {
					if l.Slow() > 0 && begun < end && now >= end {
						l.Again(now)
						under[i] = now
						break
					}
				}
			default:
				if len(under) > 0 {
					i := chance.IntN(len(under))
					a := limit.Answer{Begun: under[i], Now: now, Kind: kinds[chance.IntN(len(kinds))], Took: time.Second, Obeys: seed%2 == 0}
					if chance.IntN(5) == 0 {
						a.RetryAfter = 5 * time.Second
					}
					l.End(a)
					under = append(under[:i], under[i+1:]...)
				}
			}
			require.Equal(t, len(under), l.Under(), "seed %d", seed)
		}
	}
}

// A request that nobody counted, since so many are under way, takes nothing away from the others.
func TestMoreThanAnybodyCounts(t *testing.T) {
	var l limit.Limit
	for range 3 {
		for range 40_000 {
			l.Begin(time.Hour)
		}
		l.Break(time.Hour, time.Hour+time.Second)
	}
	many := l.Under()
	require.Equal(t, math.MaxUint16, many)
	for now := time.Hour + time.Second; l.Under() > 0; now++ { // each is written after the break, and answered
		l.Again(now)
		require.LessOrEqual(t, l.Under(), many)
		l.End(limit.Answer{Begun: now, Now: now, Kind: limit.Neutral})
		many = l.Under()
	}
	l.Again(2 * time.Hour)
	require.Equal(t, 1, l.Under())
}
