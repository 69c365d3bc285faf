package limit_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
)

// A site may answer what it likes, as cunning as it likes. It slows nobody but itself, and
// that only for a while. It also makes nobody hurry: what follows a bad answer comes after
// a break.
func TestHostileSites(t *testing.T) {
	good := limit.Answer{Kind: limit.Good}
	for _, tt := range []struct {
		name   string
		answer func(i int) limit.Answer
		most   int // requests in the hour of the attack
	}{
		{"busy always", func(int) limit.Answer { return limit.Answer{Kind: limit.Busy} }, 20},
		{"refused always", func(int) limit.Answer { return limit.Answer{Kind: limit.Refused} }, 20},
		{"silent always", func(int) limit.Answer { return limit.Answer{Kind: limit.Silent, Took: 0} }, 20},
		{"barred after one", func(i int) limit.Answer { return pick(i == 0, good, limit.Answer{Kind: limit.Barred}) }, 80},
		{"every second busy, at any rate", func(i int) limit.Answer { return pick(i%2 == 0, good, limit.Answer{Kind: limit.Busy}) }, 100_000},
		{"busy when it is quick again", func(i int) limit.Answer { return pick(i%100 < 99, good, limit.Answer{Kind: limit.Busy}) }, 100_000},
		{"busy for one target", func(i int) limit.Answer { return pick(i%10 > 0, good, limit.Answer{Kind: limit.Busy, Target: 1}) }, 100_000},
		{"ever slower", func(i int) limit.Answer {
			return limit.Answer{Kind: limit.Good, Took: time.Duration(i) * time.Millisecond}
		}, 100_000},
		{"quick, then slow", func(i int) limit.Answer {
			return pick(i%64 < 32, good, limit.Answer{Kind: limit.Good, Took: 20 * time.Second})
		}, 100_000},
		{"negative times", func(int) limit.Answer {
			return limit.Answer{Kind: limit.Busy, Took: -1, RetryAfter: -1 << 62, QuotaGap: -1 << 62, QuotaLeft: -1 << 62}
		}, 20},
		{"404 after a 429", func(i int) limit.Answer { return pick(i == 0, limit.Answer{Kind: limit.Busy}, limit.Answer{}) }, 100_000},
		{"a quota without end", func(int) limit.Answer { return limit.Answer{Kind: limit.Good, QuotaGap: 1 << 62, QuotaLeft: time.Hour} }, 61},
		{"sections without end", func(i int) limit.Answer {
			return pick(i%8 < 2, limit.Answer{Kind: limit.Good, Section: uint8(i)}, limit.Answer{Kind: limit.Barred, Section: uint8(i)})
		}, 100_000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newPlay()
			start, asked := p.now, 0
			for ; p.now-start < time.Hour && asked < 1_000_000; asked++ {
				asks := p.ask(tt.answer(asked))
				assert.LessOrEqual(t, asks.Break, 11*time.Minute)
				if asks.Incident {
					assert.GreaterOrEqual(t, p.lane.Next(p.now), p.now+time.Second)
				}
			}
			assert.LessOrEqual(t, asked, tt.most)
			assertRecovers(t, p)
		})
	}
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// assertRecovers asserts that a site that is well from now on is asked at full speed again
// in half a day.
func assertRecovers(t *testing.T, p *play) {
	t.Helper()
	start := p.now
	for p.now-start < 12*time.Hour && !p.lane.Healthy(p.now) {
		p.asks(limit.Good, 1)
	}
	assert.LessOrEqual(t, p.now-start, 6*time.Hour)
	assert.True(t, p.lane.Healthy(p.now))
}
