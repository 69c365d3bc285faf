package limit_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWindowGrowsWithGoodAnswers(t *testing.T) {
	p := newPlay()
	assert.Equal(t, 2, p.lane.Window(), "nothing is known")
	p.round(limit.Good, usual)
	assert.Equal(t, 4, p.lane.Window(), "all that were under way count, also if all are answered at once")
	p.round(limit.Neutral, usual)
	assert.Equal(t, 8, p.lane.Window())
	p.asks(limit.Good, 20)
	assert.Equal(t, 8, p.lane.Window(), "one goroutine does not use it")
	p.ask(limit.Answer{Kind: limit.Good, Took: time.Minute})
	assert.Equal(t, 8, p.lane.Window(), "one slow page is no queue")
	assert.False(t, p.state().Cut)
	assert.True(t, p.lane.Healthy(p.now))
}

func TestRoomIsFreeAgainAfterAMinute(t *testing.T) {
	p := newPlay()
	for range 2 {
		require.True(t, p.lane.Room(p.now))
		p.lane.Begin(p.now)
	}
	assert.False(t, p.lane.Fits())
	assert.False(t, p.lane.Room(p.now+59*time.Second))
	assert.Equal(t, p.now+time.Minute, p.lane.Opens(p.now+time.Second))
	assert.True(t, p.lane.Room(p.now+time.Minute))
	assert.Equal(t, p.now+time.Hour, p.lane.Opens(p.now+time.Hour))
}

// A queue at the server makes all answers slow. Then the window is cut until they are
// quick.
func TestQueueCutsTheWindow(t *testing.T) {
	p := newPlay()
	most := 0
	for range 60 { // one at a time: the last of a round waits for all the others
		p.now = p.lane.Next(p.now)
		var begun []time.Duration
		for p.lane.Room(p.now) {
			p.lane.Begin(p.now)
			begun = append(begun, p.now)
		}
		most = max(most, len(begun))
		took := usual * time.Duration(len(begun))
		start := p.now
		p.now += took
		for range begun {
			p.lane.End(limit.Answer{Kind: limit.Good, Begun: start, Now: p.now, Took: took})
		}
	}
	assert.LessOrEqual(t, most, 16)
	assert.LessOrEqual(t, p.lane.Window(), 8)
	assert.Zero(t, p.state().Gap, "a queue teaches no rate")
	assert.True(t, p.state().Cut)
}

func (p *play) grow(t *testing.T, size int) {
	for range 20 {
		if p.lane.Window() >= size {
			return
		}
		p.round(limit.Good, usual)
	}
	require.GreaterOrEqual(t, p.lane.Window(), size)
}

func TestBadAnswerBeginsABreak(t *testing.T) {
	for _, kind := range []limit.Kind{limit.Busy, limit.Down, limit.Refused, limit.Silent} {
		t.Run(kind.String(), func(t *testing.T) {
			p := newPlay()
			p.grow(t, 16)
			asks := p.ask(limit.Answer{Kind: kind})
			assert.True(t, asks.Incident)
			within(t, time.Second, asks.Break)
			assert.Equal(t, p.now+asks.Break, p.lane.Next(p.now))
			assert.Equal(t, 1, p.lane.Window())
			assert.Equal(t, kind, p.state().Why)
			assert.False(t, p.lane.Healthy(p.now))
		})
	}
}

// within asserts that a break is up to a tenth longer than it should be.
func within(t *testing.T, least, rest time.Duration) {
	t.Helper()
	assert.GreaterOrEqual(t, rest, least)
	assert.LessOrEqual(t, rest, least+least/10)
}

func TestBadProbesDoubleTheBreak(t *testing.T) {
	second := time.Second
	for _, tt := range []struct {
		kind   limit.Kind
		breaks []time.Duration
	}{
		{limit.Busy, []time.Duration{second, 2 * second, 4 * second, 8 * second, 16 * second, 32 * second, 64 * second, 128 * second, 256 * second, 300 * second, 300 * second}},
		{limit.Down, []time.Duration{second, 2 * second, 4 * second}},
		{limit.Refused, []time.Duration{second, 2 * second, 4 * second}},
		{limit.Silent, []time.Duration{second, 2 * second, 4 * second}},
		{limit.Broken, []time.Duration{second, 2 * second, 4 * second, 8 * second, 10 * second, 10 * second}},
		{limit.Barred, []time.Duration{second, 2 * second, 4 * second, 8 * second, 16 * second, 32 * second, 60 * second, 60 * second}},
	} {
		t.Run(tt.kind.String(), func(t *testing.T) {
			p := newPlay()
			p.asks(limit.Good, 3)
			if tt.kind == limit.Broken || tt.kind == limit.Barred {
				p.asks(tt.kind, 4)
			}
			for _, want := range tt.breaks {
				asks := p.ask(limit.Answer{Kind: tt.kind})
				assert.True(t, asks.Incident)
				within(t, want, asks.Break)
			}
			asks := p.ask(limit.Answer{Kind: limit.Good})
			assert.Equal(t, limit.Asks{Over: true}, asks)
		})
	}
}

func TestOneProbeGoesAfterABreak(t *testing.T) {
	p := newPlay()
	p.grow(t, 16)
	p.asks(limit.Busy, 1)
	assert.False(t, p.lane.Begin(p.now), "what is written in the break is none")
	p.now = p.lane.Next(p.now)
	require.True(t, p.lane.Room(p.now))
	assert.True(t, p.lane.Begin(p.now), "it is a probe")
	assert.False(t, p.lane.Room(p.now))
	begun := p.now
	p.now += usual
	asks := p.lane.End(limit.Answer{Kind: limit.Neutral, Begun: begun, Now: p.now, Took: usual})
	assert.Zero(t, asks)
	assert.True(t, p.lane.Begin(p.lane.Next(p.now)), "a neutral answer ends nothing")
}

func TestAnswersToEarlierRequestsAreOfTheSameIncident(t *testing.T) {
	p := newPlay()
	p.grow(t, 16)
	p.now = p.lane.Next(p.now)
	start := p.now
	for range 16 {
		p.lane.Begin(p.now)
	}
	incidents := 0
	for range 15 {
		p.now += 10 * time.Millisecond
		if p.lane.End(limit.Answer{Kind: limit.Busy, Begun: start, Now: p.now, Took: p.now - start}).Incident {
			incidents++
		}
	}
	assert.Equal(t, 1, incidents)
	within(t, time.Second, p.lane.Next(p.now)-start-10*time.Millisecond)
	p.asks(limit.Good, 1)
	asks := p.lane.End(limit.Answer{Kind: limit.Busy, Begun: start, Now: p.now + time.Minute, Took: time.Minute})
	assert.Zero(t, asks, "also after it is over")
}

func TestIncidentsThatFollowSoonHaveLongerBreaks(t *testing.T) {
	p := newPlay()
	p.asks(limit.Good, 1)
	for _, want := range []time.Duration{1, 2, 4, 4, 4} { // the search for a rate leads to no long break
		within(t, want*time.Second, p.asks(limit.Busy, 1).Break)
		p.asks(limit.Good, 1)
	}
	p.now += time.Minute
	p.asks(limit.Good, 2)
	within(t, time.Second, p.asks(limit.Busy, 1).Break)
}

// A challenge that only the body shows is taken for a good answer at first. It is one of a row all the same,
// whatever the order in which bodies are read; a good answer ends the row, as ever.
func TestCorrect(t *testing.T) {
	const good, wall = true, false
	for _, test := range []struct {
		name    string
		answers []bool
		behind  int // how many answers come before a body is read
		bad     bool
	}{
		{"a row", []bool{wall, wall, wall, wall, wall}, 0, true},
		{"too short", []bool{wall, wall, wall, wall}, 0, false},
		{"a good one between", []bool{wall, wall, wall, wall, good, wall, wall, wall, wall}, 0, false},
		{"every other", []bool{wall, good, wall, good, wall, good, wall, good, wall, good, wall, good}, 0, false},
		{"read late", []bool{wall, wall, wall, wall, wall, wall, wall, wall}, 1, true},
		{"read very late", []bool{wall, wall, wall, wall, wall, wall, wall, wall, wall, wall}, 4, true},
		{"read late, many good ones between", []bool{wall, good, good, good, wall, good, good, good, wall, good, good, good, wall, good, good, good, wall, good, good, good}, 1, false},
	} {
		p := newPlay()
		type told struct {
			answer  limit.Answer
			trouble limit.Trouble
			isWall  bool
		}
		var open []told
		bad := false
		read := func() {
			if first := open[0]; first.isWall {
				first.answer.Kind, first.answer.Now = limit.Challenged, p.now
				bad = bad || p.lane.Correct(first.answer, first.trouble).Incident
			}
			open = open[1:]
		}
		for _, isGood := range test.answers {
			trouble := p.lane.Trouble()
			answer := limit.Answer{Kind: limit.Good, Begun: p.now, Took: usual}
			p.lane.Begin(p.now)
			p.now += usual
			answer.Now = p.now
			p.lane.End(answer)
			if open = append(open, told{answer, trouble, !isGood}); len(open) > test.behind {
				read()
			}
		}
		for len(open) > 0 {
			read()
		}
		assert.Equal(t, test.bad, bad, test.name)
	}
}

// A challenge to the request after a break, which seemed good, makes the break twice as long. One to a
// request from before the break is of the same incident.
func TestCorrectAfterABreak(t *testing.T) {
	p := newPlay()
	p.asks(limit.Challenged, 5)
	within(t, time.Second, p.state().Break)
	before := limit.Answer{Kind: limit.Challenged, Begun: p.now - usual, Now: p.now, Took: 1}
	assert.Zero(t, p.lane.Correct(before, limit.Trouble{}))
	trouble := p.lane.Trouble()
	assert.True(t, p.asks(limit.Good, 1).Over)
	asks := p.lane.Correct(limit.Answer{Kind: limit.Challenged, Begun: p.now - usual, Now: p.now, Took: 1}, trouble)
	assert.True(t, asks.Incident)
	within(t, 2*time.Second, asks.Break)
	assert.Equal(t, 1, p.state().Tries)
	assert.Zero(t, p.lane.Correct(limit.Answer{Kind: limit.Challenged, Obeys: true, Begun: p.now, Now: p.now, Took: 1}, trouble), "nobody looks for a limit")
}

func TestQuota(t *testing.T) {
	p := newPlay()
	p.grow(t, 8)
	asks := p.ask(limit.Answer{Kind: limit.Good, QuotaGap: 2 * time.Second, QuotaLeft: 10 * time.Second})
	assert.Zero(t, asks)
	assert.Equal(t, 2*time.Second, p.lane.Gap(p.now))
	assert.Equal(t, p.now+2*time.Second-usual, p.lane.Next(p.now+usual)-usual)
	assert.Equal(t, 2*time.Second, p.lane.Gap(p.now+10*time.Second-1))
	assert.Zero(t, p.lane.Gap(p.now+10*time.Second), "the quota is new")

	asks = p.ask(limit.Answer{Kind: limit.Good, QuotaBreak: time.Minute})
	assert.Equal(t, limit.Asks{Break: time.Minute}, asks, "this is no incident")
	assert.Equal(t, p.now+time.Minute, p.lane.Next(p.now))
	assert.Equal(t, 1, p.lane.Window(), "one goes first")
	p.asks(limit.Good, 1)
	assert.Equal(t, 2, p.lane.Window())

	p.ask(limit.Answer{Kind: limit.Good, QuotaGap: 1 << 62, QuotaLeft: 1 << 62})
	assert.Equal(t, time.Minute, p.lane.Gap(p.now))
}
