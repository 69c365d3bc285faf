package limit_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// paced asks n times, one request in each gap.
func (p *play) paced(n int, gap time.Duration) {
	for range n {
		p.asks(limit.Good, 1)
		p.now += max(gap-usual, 0)
	}
}

func TestIncidentTeachesTheRateThatWasBorne(t *testing.T) {
	for _, tt := range []struct {
		kind limit.Kind
		gap  time.Duration // 0: none
	}{
		{limit.Busy, 100 * time.Millisecond},
		{limit.Silent, 100 * time.Millisecond},
		{limit.Refused, 0}, // nobody was there
	} {
		t.Run(tt.kind.String(), func(t *testing.T) {
			p := newPlay()
			p.paced(100, 100*time.Millisecond)
			p.asks(tt.kind, 1)
			assert.InDelta(t, tt.gap.Seconds(), p.lane.Gap(p.now).Seconds(), 0.2*tt.gap.Seconds())
		})
	}
}

// A site that fails before anything is known of it may bear any rate: no search there takes longer than a minute.
func TestSearchAfterTroubleFromTheFirstPage(t *testing.T) {
	for _, tt := range []struct {
		good  int // answers before
		first limit.Kind
		short bool
	}{{0, limit.Broken, true}, {0, limit.Silent, true}, {0, limit.Busy, false}, {1, limit.Broken, false}} {
		p := newPlay()
		p.asks(limit.Good, tt.good)
		p.asks(tt.first, 5)
		for range 4 {
			p.paced(8, p.lane.Gap(p.now))
			p.asks(limit.Busy, 1)
			p.asks(limit.Good, 1)
		}
		assert.Equal(t, tt.short, p.lane.Lesson(p.now).Plain <= time.Minute, "%+v", tt)
	}
}

// While a client waits for an answer in vain, it sends nothing. That is no rate.
func TestTimeoutTeachesTheRateBeforeIt(t *testing.T) {
	p := newPlay()
	p.paced(100, 100*time.Millisecond)
	p.lane.Begin(p.now)
	asks := p.lane.End(limit.Answer{Kind: limit.Silent, Begun: p.now, Now: p.now + 30*time.Second})
	assert.True(t, asks.Incident)
	assert.InDelta(t, 0.1, p.lane.Gap(p.now).Seconds(), 0.02)
}

// Once the rate is forgotten, a failure is one of a row again.
func TestFailureAfterTheRateIsForgotten(t *testing.T) {
	p := newPlay()
	p.paced(10, usual)
	p.asks(limit.Broken, 5)
	p.asks(limit.Good, 1)
	assert.True(t, p.asks(limit.Broken, 1).Incident, "it is known")
	for range 10_000 {
		if p.asks(limit.Good, 1); p.lane.Gap(p.now) == 0 {
			break
		}
	}
	assert.Zero(t, p.lane.Gap(p.now))
	assert.False(t, p.asks(limit.Broken, 4).Incident)
}

// limited returns a play whose second incident was at ten a second.
func limited() *play {
	p := newPlay()
	p.paced(100, 100*time.Millisecond)
	p.asks(limit.Busy, 1)
	p.paced(30, 100*time.Millisecond)
	p.asks(limit.Busy, 1)
	p.asks(limit.Good, 1)
	return p
}

// After the second incident, the rate stays below what was too much, and rises slowly.
func TestRateRisesSlowly(t *testing.T) {
	p := limited()
	first := p.lane.Gap(p.now)
	assert.Greater(t, first, 80*time.Millisecond)
	assert.False(t, p.lane.Healthy(p.now))
	start, gap := p.now, first
	for p.now-start < 10*time.Minute && gap > 0 {
		p.asks(limit.Good, 1)
		now := p.lane.Gap(p.now)
		require.LessOrEqual(t, now, gap, "it only rises")
		if p.now-start < 20*time.Second {
			require.Greater(t, now, first*3/4)
		}
		gap = now
	}
	assert.Zero(t, gap, "the limit is gone")
}

// One incident halves the rate at most. Where next to nothing is answered between two, it does so: what was sent
// before may have been a burst.
func TestOneIncidentHalvesTheRateAtMost(t *testing.T) {
	p := limited()
	first := p.lane.Gap(p.now)
	for i := range 20 {
		if i == 4 {
			assert.InDelta(t, 16, p.lane.Gap(p.now).Seconds()/first.Seconds(), 1)
		}
		before := p.lane.Gap(p.now)
		p.asks(limit.Busy, 1)
		after := p.lane.Gap(p.now)
		assert.LessOrEqual(t, after, before*5/2) // with the dip
		assert.LessOrEqual(t, after, time.Minute)
		p.asks(limit.Good, 1)
	}
}

// A ban teaches to stay far below what was asked for, for three times as long as it was seen.
func TestBan(t *testing.T) {
	for _, tt := range []struct {
		kind limit.Kind
		ban  bool
	}{{limit.Busy, true}, {limit.Barred, true}, {limit.Down, false}, {limit.Silent, false}, {limit.Refused, false}, {limit.Broken, false}} {
		t.Run(tt.kind.String(), func(t *testing.T) {
			p := newPlay()
			p.paced(300, 100*time.Millisecond)
			p.asks(tt.kind, 1)
			first := p.now
			p.asks(tt.kind, 5)
			p.now, first = p.now-time.Hour, first-time.Hour // the clock is set
			p.asks(tt.kind, 6)
			seen := p.now - first
			p.asks(limit.Good, 1)
			if !tt.ban {
				assert.Less(t, p.lane.Gap(p.now), 150*time.Millisecond)
				return
			}
			assert.InDelta(t, 350, p.lane.Gap(p.now).Milliseconds(), 100)
			for over := p.now; p.now-over < 5*seen; p.asks(limit.Good, 1) {
				switch kept := p.lane.Gap(p.now) > 250*time.Millisecond; {
				case p.now-over < 29*seen/10:
					require.True(t, kept, "%v after a ban of %v", p.now-over, seen)
				case p.now-over > 4*seen:
					require.False(t, kept, "%v after a ban of %v", p.now-over, seen)
				}
			}
		})
	}
}

// A ban is seen for half a minute at least, and in three probes.
func TestLeastBan(t *testing.T) {
	for _, tt := range []struct {
		probes int
		seen   time.Duration
		ban    bool
	}{{3, 29 * time.Second, false}, {3, 31 * time.Second, true}, {2, 31 * time.Second, false}} {
		p := newPlay()
		p.paced(300, 100*time.Millisecond)
		p.asks(limit.Busy, 1)
		began := p.now
		p.asks(limit.Busy, tt.probes)
		p.now = began + tt.seen - usual
		p.asks(limit.Good, 1)
		assert.Equal(t, began+tt.seen, p.now)
		assert.Equal(t, tt.ban, p.lane.Gap(p.now) > 200*time.Millisecond, "%d probes in %v", tt.probes, tt.seen)
	}
}

// After the break of a site, each bad answer to a caller that looks for no limit doubles a break of a second,
// up to half a minute. A good one ends that.
func TestSetbacks(t *testing.T) {
	p := newPlay()
	p.ask(limit.Answer{Obeys: true, Kind: limit.Busy, RetryAfter: time.Minute})
	breaks := func(times int) (all []time.Duration) {
		for range times {
			p.ask(limit.Answer{Obeys: true, Kind: limit.Busy})
			all = append(all, p.lane.Next(p.now)-p.now)
		}
		return all
	}
	const s = time.Second
	assert.Equal(t, []time.Duration{s, 2 * s, 4 * s, 8 * s, 16 * s, 30 * s, 30 * s}, breaks(7))
	p.ask(limit.Answer{Obeys: true, Kind: limit.Good})
	assert.Equal(t, []time.Duration{s, 2 * s}, breaks(2))
}

// A State tells who has asked for the break.
func TestAsked(t *testing.T) {
	p := newPlay()
	p.asks(limit.Busy, 1)
	assert.False(t, p.state().Asked)
	p.ask(limit.Answer{Kind: limit.Busy, RetryAfter: time.Minute})
	assert.True(t, p.state().Asked)
	p.now = p.lane.Next(p.now)
	assert.False(t, p.state().Asked, "the break is over")
}

// A site that answers 503 for long was down. If it does so again while the rate is still
// remembered, then it bans, also if another of the fleet has seen the end of the first time.
func TestBanBy503(t *testing.T) {
	for name, isOver := range map[string]func(*play){
		"own":     func(p *play) { p.asks(limit.Good, 1) },
		"another": func(p *play) { p.lane.Learn(p.now, limit.Lesson{}) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlay()
			p.paced(300, 100*time.Millisecond)
			p.asks(limit.Down, 12)
			isOver(p)
			assert.Less(t, p.lane.Gap(p.now), 150*time.Millisecond)
			p.paced(20, 100*time.Millisecond)
			p.asks(limit.Down, 12)
			p.asks(limit.Good, 1)
			gap := p.lane.Gap(p.now)
			assert.Greater(t, gap, 250*time.Millisecond)
			p.paced(100, gap)
			assert.Greater(t, p.lane.Gap(p.now), 200*time.Millisecond)
		})
	}
}

func TestClockThatJumps(t *testing.T) {
	for _, jump := range []time.Duration{-time.Hour + time.Second, -10 * time.Minute, -2 * time.Second, -time.Millisecond, 2 * time.Second, 24 * time.Hour, 1 << 61} {
		t.Run(jump.String(), func(t *testing.T) {
			p := limited()
			gap := p.lane.Gap(p.now)
			p.asks(limit.Busy, 1)
			p.now += jump
			if jump == -10*time.Minute { // one of ours is news
				assert.True(t, p.lane.Break(p.now, p.now+4*time.Second))
			}
			wait := p.lane.Next(p.now) - p.now
			assert.GreaterOrEqual(t, wait, time.Duration(0))
			assert.LessOrEqual(t, wait, 5*time.Second)
			p.asks(limit.Good, 1)
			assert.LessOrEqual(t, p.lane.Gap(p.now), 5*gap/2)
			assert.True(t, p.lane.Room(p.now))
		})
	}
}
