package limit_test

import (
	"testing"
	"time"

	"github.com/go-polite/polite/internal/limit"
	"github.com/stretchr/testify/assert"
)

// manyHear lets a lane of many sites hear an answer of each of some sites.
func manyHear(lane *limit.Limit, now time.Duration, kind limit.Kind, witness limit.Witness, sites ...uint32) (asks limit.Asks) {
	for _, site := range sites {
		lane.Begin(now)
		took := 10 * time.Millisecond
		if kind == limit.Refused || kind == limit.Silent {
			took = 0
		}
		asks = lane.End(limit.Answer{Begun: now, Now: now + 10*time.Millisecond, Kind: kind, Took: took, Section: uint8(site), Target: site, Witness: witness})
	}
	return asks
}

// It takes a row of failures of several sites that were well to say that all of them are down.
func TestManySites(t *testing.T) {
	for _, tt := range []struct {
		name    string
		kind    limit.Kind
		witness limit.Witness
		sites   []uint32
		down    bool
	}{
		{"all fail", limit.Down, limit.Well, []uint32{1, 2, 3, 4, 5}, true},
		{"all refuse", limit.Refused, limit.Well, []uint32{1, 2, 3, 4, 5}, true},
		{"none answers", limit.Silent, limit.Well, []uint32{1, 2, 3, 4, 5}, true},
		{"two fail again and again", limit.Broken, limit.Well, []uint32{1, 2, 1, 2, 1}, true},
		{"few fail", limit.Down, limit.Well, []uint32{1, 2, 3, 4}, false},
		{"one fails", limit.Down, limit.Well, []uint32{1, 1, 1, 1, 1, 1, 1}, false},
		{"they have trouble of their own", limit.Down, limit.Stranger, []uint32{1, 2, 3, 4, 5, 6, 7}, false},
		{"they have counted", limit.Down, limit.Shaken, []uint32{1, 2, 3, 4, 5, 6, 7}, false},
		{"all say 429", limit.Busy, limit.Well, []uint32{1, 2, 3, 4, 5, 6, 7}, false},
	} {
		var lane limit.Limit
		manyHear(&lane, time.Second, limit.Good, limit.Well, 1, 2, 3, 4, 5, 6, 7)
		asks := manyHear(&lane, 2*time.Second, tt.kind, tt.witness, tt.sites...)
		assert.Equal(t, tt.down, asks.Incident, tt.name)
		assert.Equal(t, tt.down, asks.Counted, tt.name)
		assert.Equal(t, tt.down && (tt.kind == limit.Refused || tt.kind == limit.Silent), asks.Taken, tt.name)
		assert.Zero(t, lane.Gap(3*time.Second), "no rate is learned")
	}
}

// Good answers between failures say that a few are sick. A break ends with a good answer, becomes no
// longer than half a minute, and is made longer by those that counted, and by no stranger.
func TestManySitesThatAreDown(t *testing.T) {
	var lane limit.Limit
	for range 20 {
		manyHear(&lane, time.Second, limit.Good, limit.Well, 1)
		assert.False(t, manyHear(&lane, time.Second, limit.Down, limit.Well, 2, 3, 4).Incident)
	}
	now := time.Minute
	manyHear(&lane, now, limit.Good, limit.Well, 1)
	manyHear(&lane, now, limit.Down, limit.Well, make([]uint32, 40)...)
	assert.False(t, lane.State(now).Incident, "one alone")
	manyHear(&lane, now, limit.Down, limit.Well, 1)
	assert.True(t, lane.State(now).Incident)
	for range 10 {
		now = lane.Next(now + 20*time.Millisecond)
		assert.Zero(t, manyHear(&lane, now, limit.Down, limit.Stranger, 30).Break)
		longer := manyHear(&lane, now, limit.Down, limit.Shaken, 5).Break
		assert.Positive(t, longer)
		assert.LessOrEqual(t, longer, 33*time.Second)
	}
	now = lane.Next(now + 20*time.Millisecond)
	assert.True(t, manyHear(&lane, now, limit.Good, limit.Well, 5).Over)
	assert.Equal(t, now+time.Second, lane.Next(now+time.Second))
}

// A site is a witness if it is well. Trouble, and a limit, of its own make it a stranger.
func TestWitness(t *testing.T) {
	p := newPlay()
	assert.Equal(t, limit.Stranger, p.lane.Witness(), "it was never well")
	p.asks(limit.Good, 1)
	assert.Equal(t, limit.Well, p.lane.Witness())
	p.asks(limit.Broken, 1)
	assert.Equal(t, limit.Stranger, p.lane.Witness(), "its last answer was bad")
	p.asks(limit.Good, 1)
	p.asks(limit.Busy, 1)
	assert.Equal(t, limit.Stranger, p.lane.Witness(), "it has a break")
	p.now += 2 * time.Second
	p.asks(limit.Good, 1)
	assert.Equal(t, limit.Stranger, p.lane.Witness(), "it has a limit")

	p = newPlay()
	p.asks(limit.Good, 1)
	p.lane.Begin(p.now)
	p.lane.End(limit.Answer{Begun: p.now, Now: p.now, Kind: limit.Refused, Counted: true, Taken: true})
	assert.Equal(t, limit.Shaken, p.lane.Witness())
	assert.False(t, p.lane.State(p.now).Incident, "it was one of all")
	p.asks(limit.Good, 1)
	assert.Equal(t, limit.Well, p.lane.Witness())
}

// Several sites that are refused again and again, although each was well between, are on one machine, which refuses.
// Many good answers between say that each has a limit of its own.
func TestMachineOfManySites(t *testing.T) {
	for good, machine := range map[int]bool{1: true, 30: false} {
		var lane limit.Limit
		now, incident := time.Second, false
		for range 4 {
			for range good {
				now += time.Second
				manyHear(&lane, now, limit.Good, limit.Well, 1, 2, 3)
			}
			now += time.Second
			incident = manyHear(&lane, now, limit.Busy, limit.Stranger, 1, 2, 3).Incident || incident
		}
		assert.Equal(t, machine, incident, "%d good answers between", good)
	}
}
