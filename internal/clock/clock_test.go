package clock_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite/internal/clock"
	"github.com/stretchr/testify/assert"
)

const year = 365 * 24 * time.Hour

// Each row is a life: the time of day is set by so much, and then an hour passes.
func TestNow(t *testing.T) {
	tests := []struct {
		name string
		set  []time.Duration
		want time.Duration
	}{
		{"nobody sets it", []time.Duration{0, 0}, 2 * time.Hour},
		{"a year forward", []time.Duration{year}, year + time.Hour},
		{"a year back", []time.Duration{-year}, time.Hour},
		{"back and forward again", []time.Duration{-year, year}, year + 2*time.Hour},
		{"forward and back again", []time.Duration{year, -year}, year + 2*time.Hour},
		{"twice forward", []time.Duration{year, year}, 2*year + 2*time.Hour},
		{"set right by half a second, often", []time.Duration{time.Second / 2, -time.Second / 2, time.Second / 2, -time.Second / 2}, 4 * time.Hour},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var ahead time.Duration
				c := clock.New(func() time.Time { return time.Now().Add(ahead) })
				for _, by := range test.set {
					ahead += by
					time.Sleep(time.Hour)
					c.Now()
				}
				assert.Equal(t, test.want, c.Now())
			})
		})
	}
}

func TestNowNeverRunsBackward(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ahead time.Duration
		c := clock.New(func() time.Time { return time.Now().Add(ahead) })
		last := c.Now()
		for i := range 1000 {
			ahead = time.Duration(i*7919%2003-1000) * time.Hour
			time.Sleep(time.Duration(i*31%1500) * time.Millisecond)
			assert.GreaterOrEqual(t, c.Now(), last)
			last = c.Now()
		}
	})
}

// A machine sleeps: the monotonic clock stands still, and the time of day does not.
func TestSleepCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var slept time.Duration
		c := clock.New(func() time.Time { return time.Now().Add(slept) })
		slept = 8 * time.Hour
		time.Sleep(2 * time.Second)
		assert.Equal(t, 8*time.Hour+2*time.Second, c.Now())
		assert.Equal(t, time.Now().Add(slept), c.Wall(c.Now()))
	})
}

// Nothing overflows, whatever the time of day.
func TestOddTimesOfDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wall := time.Now()
		c := clock.New(func() time.Time { return wall })
		for _, wall = range []time.Time{time.Unix(1<<40, 0), {}, time.Unix(1<<40, 0), time.Unix(-1<<40, 0), time.Unix(1<<40, 0)} {
			last := c.Now()
			time.Sleep(time.Hour)
			assert.Greater(t, c.Now(), last)
			assert.Less(t, c.Now(), 100*year)
		}
	})
}

// The time of day is looked at once a second. A step of up to a second is one that somebody corrects slowly.
func TestSteps(t *testing.T) {
	for step, want := range map[time.Duration]time.Duration{time.Second: 0, time.Second + 1: time.Second + 1} {
		synctest.Test(t, func(t *testing.T) {
			var ahead time.Duration
			c := clock.New(func() time.Time { return time.Now().Add(ahead) })
			c.Now()
			ahead = step
			time.Sleep(time.Second - 1)
			assert.Equal(t, time.Second-1, c.Now())
			time.Sleep(time.Nanosecond)
			assert.Equal(t, time.Second+want, c.Now())
		})
	}
}

func TestPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		began := time.Now()
		assert.NoError(t, clock.Pause(ctx, time.Second))
		assert.Equal(t, time.Second, time.Since(began))
		why := errors.New("why")
		time.AfterFunc(time.Second, func() { cancel(why) })
		assert.Equal(t, why, clock.Pause(ctx, time.Hour))
		assert.Equal(t, 2*time.Second, time.Since(began))
		assert.NoError(t, clock.Pause(ctx, 0), "there is nothing to wait for")
		assert.NoError(t, clock.Pause(ctx, -1))
		assert.Equal(t, time.Now(), clock.Later(began, time.Now()))
		assert.Equal(t, time.Now(), clock.Later(time.Now(), began))
	})
}
