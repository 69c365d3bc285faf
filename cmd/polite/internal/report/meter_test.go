package report

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// A run looks at a count ten times a second.
type run struct {
	meter
	now   time.Time
	count float64
}

func begin() *run {
	r := &run{now: start}
	r.Look(r.now, 0)
	return r
}

// grow lets the count grow for a while, and calls each after each look.
func (r *run) grow(passed time.Duration, perSecond func(now time.Time) float64, each func()) {
	const step = 100 * time.Millisecond
	for end := r.now.Add(passed); r.now.Before(end); {
		r.now = r.now.Add(step)
		r.count += perSecond(r.now) * step.Seconds()
		r.Look(r.now, int64(r.count))
		if each != nil {
			each()
		}
	}
}

func always(perSecond float64) func(time.Time) float64 {
	return func(time.Time) float64 { return perSecond }
}

func TestRate(t *testing.T) {
	r := begin()
	r.grow(900*time.Millisecond, always(1000), nil)
	assert.Zero(t, r.Rate(), "too early")
	r.grow(2*time.Second, always(1000), nil)
	assert.InDelta(t, 1000, r.Rate(), 1)
	r.grow(time.Minute, always(100), nil)
	assert.InDelta(t, 100, r.Rate(), 5, "it follows")
	r.Look(r.now, int64(r.count))
	r.Look(r.now.Add(-time.Hour), int64(r.count))
	assert.InDelta(t, 100, r.Rate(), 5, "time passes or does nothing")

	idle := begin()
	idle.grow(time.Minute, always(0), nil)
	assert.Zero(t, idle.Rate())
}

// A long memory bridges long gaps.
func TestMemory(t *testing.T) {
	r := begin()
	r.Memory = 5 * time.Minute
	once := func(now time.Time) float64 {
		if now.Sub(start)%(20*time.Second) == 0 {
			return 10
		}
		return 0
	}
	r.grow(2*time.Minute, once, nil)
	r.grow(2*time.Minute, once, func() { assert.InDelta(t, 3, r.Rate()*60, 0.6) })
}

func TestLeft(t *testing.T) {
	r := begin()
	_, known := r.Left(1000)
	assert.False(t, known, "no rate yet")
	r.grow(4*time.Second, always(100), nil)
	left, known := r.Left(1000)
	require.True(t, known)
	assert.Equal(t, 6*time.Second, left.Round(time.Second))
	_, known = r.Left(100)
	assert.False(t, known, "there is more than there should be")
	_, known = r.Left(math.MaxInt64)
	assert.False(t, known, "too long for a guess")
	left, known = r.Left(int64(r.count))
	assert.True(t, known)
	assert.Zero(t, left)
}

// While the rate wavers, the time left falls second by second.
func TestLeftIsSteady(t *testing.T) {
	r := begin()
	wavering := func(now time.Time) float64 { return 100 + 90*math.Sin(float64(now.UnixMilli())/300) }
	r.grow(5*time.Second, wavering, nil)
	last, known := r.Left(10_000)
	require.True(t, known)
	jumps := 0
	r.grow(80*time.Second, wavering, func() {
		left, _ := r.Left(10_000)
		if (last - left - 100*time.Millisecond).Abs() > time.Millisecond {
			jumps++
		}
		last = left
	})
	assert.LessOrEqual(t, jumps, 5)
	assert.InDelta(t, 15, last.Seconds(), 3)
}

// When the work stands still, the time left grows.
func TestLeftOfStall(t *testing.T) {
	r := begin()
	r.grow(10*time.Second, always(100), nil)
	before, _ := r.Left(2000)
	r.grow(20*time.Second, always(0), nil)
	after, known := r.Left(2000)
	assert.True(t, known)
	assert.Greater(t, after, 3*before)
	r.grow(time.Hour, always(0), nil)
	_, known = r.Left(2000)
	assert.False(t, known)
}
