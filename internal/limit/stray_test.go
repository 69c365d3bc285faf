package limit_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
)

// known returns a play that keeps to a limit and has had so many good answers since the last
// incident.
func known(good int) *play {
	p := limited()
	p.paced(good, 120*time.Millisecond)
	return p
}

// One refusal among hundreds of good answers is no incident. Its break is short, and the rate stays
// about what it was.
func TestStrayRefusal(t *testing.T) {
	p := known(250)
	gap := p.state().Gap
	asks := p.asks(limit.Busy, 1)
	assert.False(t, asks.Incident)
	assert.False(t, p.state().Incident)
	assert.InDelta(t, 4*gap.Seconds(), asks.Break.Seconds(), 0.2*gap.Seconds())
	assert.InDelta(t, gap.Seconds(), p.state().Gap.Seconds(), 0.04*gap.Seconds())
	assert.Greater(t, p.state().Gap, gap)
}

// What is refused after so few good answers that they do not pay for it begins an incident.
func TestRefusalsThatAreNotStray(t *testing.T) {
	for _, tt := range []struct {
		name   string
		play   *play
		answer limit.Answer
	}{
		{"too early", known(100), limit.Answer{Kind: limit.Busy}},
		{"the second of two", func() *play { p := known(250); p.asks(limit.Busy, 1); return p }(), limit.Answer{Kind: limit.Down}},
		{"a refused connection", known(250), limit.Answer{Kind: limit.Refused}},
		{"a timeout", known(250), limit.Answer{Kind: limit.Silent}},
		{"in a fleet", func() *play { p := known(250); p.lane.NoteFleet(3); return p }(), limit.Answer{Kind: limit.Busy}},
		{"no limit is known", func() *play { p := newPlay(); p.asks(limit.Good, 500); return p }(), limit.Answer{Kind: limit.Busy}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asks := tt.play.ask(tt.answer)
			assert.True(t, asks.Incident)
			assert.GreaterOrEqual(t, asks.Break, time.Second)
		})
	}
}

// Early refusals may be chance, but those of a fleet are all incidents.
func TestEarlyRefusals(t *testing.T) {
	for all, each := range map[float32]bool{1: false, 3: true} {
		p, counted := limited(), 0
		for range 12 {
			p.lane.NoteFleet(all)
			p.paced(7, p.lane.Gap(p.now))
			if p.asks(limit.Busy, 1).Incident {
				counted++
				p.asks(limit.Good, 1)
			}
		}
		assert.Equal(t, each, counted == 12, "%v times its own", all)
	}
}

// Whatever a site asks for in a stray refusal is kept.
func TestStrayRefusalWithRetryAfter(t *testing.T) {
	p := known(250)
	asks := p.ask(limit.Answer{Kind: limit.Busy, RetryAfter: 20 * time.Second})
	assert.Equal(t, 20*time.Second, asks.Break)
}
