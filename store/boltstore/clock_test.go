package boltstore_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// An entry, a break of an hour and a start with a gap of an hour are ten minutes old. The
// time of day is set while the process runs, or before the next one, or both. An hour and
// a minute would still be kept.
func TestTimeOfDay(t *testing.T) {
	const (
		old  = 10 * time.Minute
		left = 50 * time.Minute
	)
	tests := []struct {
		name            string
		running, closed time.Duration // by which the time of day is set
		ageBefore, age  time.Duration // in this process, in the next
		wait, gap       time.Duration // in the next
	}{
		{"nobody sets it", 0, 0, old, old, left, left},
		{"a year forward while running", year, 0, old + year, old + year, left, left},
		{"a year back while running", -year, 0, old, old - year, left, left},
		{"a year forward before the next", 0, year, old, old + year, 0, 0},
		{"a year back before the next", 0, -year, old, old - year, time.Hour, time.Hour},
		{"a year forward, and right again", year, -year, old + year, old, time.Hour, time.Hour},
		{"a year back, and right again", -year, year, old, old, 0, 0},
		{"an hour back before the next", 0, -time.Hour, old, old - time.Hour, time.Hour, time.Hour},
		{"five minutes forward before the next", 0, 5 * time.Minute, old, old + 5*time.Minute, left - 5*time.Minute, left - 5*time.Minute},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			on(t, func(m *machine) {
				m.put("key", "entry", 3*year)
				m.begin("break", time.Hour)
				assert.Zero(t, m.take("lane", "a", time.Hour))
				time.Sleep(old - 2*time.Second)

				m.ahead += test.running
				time.Sleep(2 * time.Second)
				assert.Equal(t, test.ageBefore, m.look("key").Age)
				assert.Equal(t, left, m.left("break"))
				assert.Equal(t, left, m.take("lane", "b", time.Hour))
				m.done("lane", "b")

				m.store.Close()
				m.ahead += test.closed
				m.start()
				assert.Equal(t, test.age, m.look("key").Age)
				assert.Equal(t, test.wait, m.left("break"))
				assert.Equal(t, test.gap, m.take("lane", "c", time.Hour))
			})
		})
	}
}

// What is past its use is gone by whichever clock ran further.
func TestKeepGoesByBothClocks(t *testing.T) {
	on(t, func(m *machine) {
		m.put("key", "entry", time.Hour)
		time.Sleep(59 * time.Minute)
		m.has("key", "entry")
		m.ahead = -year
		time.Sleep(2 * time.Minute)
		m.has("key", "")

		m.put("key", "another", time.Hour)
		time.Sleep(time.Minute)
		assert.Equal(t, time.Minute, m.look("key").Age)
		m.ahead = 0
		time.Sleep(2 * time.Second)
		m.has("key", "")
	})
}

// An entry of the future is there, and due at once: its age is negative.
func TestAnEntryOfTheFutureIsKept(t *testing.T) {
	on(t, func(m *machine) {
		m.ahead = year
		m.put("key", "entry", time.Hour)
		m.restart()
		m.ahead = 0
		m.restart()
		assert.Less(t, m.look("key").Age, time.Duration(0))
		m.has("key", "entry")
		time.Sleep(time.Minute)
		m.put("other", "", time.Hour) // lets old ones be deleted
		time.Sleep(time.Minute)
		m.has("key", "entry")

		m.put("key", "anew", time.Hour)
		time.Sleep(time.Minute)
		assert.Equal(t, time.Minute, m.look("key").Age)
	})
}

// A lease goes by the monotonic clock.
func TestLeaseAndTheTimeOfDay(t *testing.T) {
	for _, set := range []time.Duration{year, -year} {
		on(t, func(m *machine) {
			m.win("key")
			m.ahead = set
			time.Sleep(30 * time.Second)
			c, err := m.store.Claim(m.Context(), "key", "", time.Minute)
			assert.NoError(t, err)
			assert.Equal(t, 30*time.Second, c.Wait)
		})
	}
}
