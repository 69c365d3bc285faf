package fleet

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// The slack follows what calls take. One slow call at most doubles what is usual, also if it stops
// many others at the same time, and quick ones bring it back.
func TestSlack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := new(slack)
		call := func(took time.Duration) {
			began := time.Now()
			time.Sleep(took)
			s.learn(began, took)
		}
		assert.Equal(t, leastSlack, s.now())
		call(10 * time.Millisecond)
		assert.Equal(t, 17*time.Millisecond, s.now(), "half as much again, and a little more")

		time.Sleep(time.Second)
		began := time.Now()
		time.Sleep(time.Second)
		for range 8 { // they stood still together
			s.learn(began, time.Second)
		}
		assert.Equal(t, 20*time.Millisecond, s.call())
		for range 20 {
			call(10 * time.Millisecond)
		}
		assert.InDelta(t, 10, s.call().Milliseconds(), 1)
		for range 20 { // a network that has become slow
			call(time.Second)
		}
		assert.Equal(t, time.Second, s.call())
	})
}

// A start that is missed although its connection was ready widens the slack a little, for a while.
func TestSlackOfMissedStarts(t *testing.T) {
	s := new(slack)
	for range 100 {
		s.missed()
	}
	assert.Equal(t, leastSlack+mostLate, s.now())
	for range 100 {
		s.learn(time.Now(), 0)
	}
	assert.InDelta(t, leastSlack.Microseconds(), s.now().Microseconds(), 10)
}
