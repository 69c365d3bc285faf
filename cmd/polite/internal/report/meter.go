package report

import (
	"cmp"
	"math"
	"time"
)

// A meter measures how fast a count grows, and when it will be done. What is long ago counts little, so that the
// rate follows a change, and is steady all the same. The zero meter is ready.
type meter struct {
	// Memory is the time in which the past fades to about a third. If zero, it is 10
	// seconds. It is longer than the count ever stands still.
	Memory time.Duration

	last          time.Time // of the last look
	count         int64     // at the last look
	began         time.Time // of the first look
	grown, passed float64   // by how much, in how many seconds; the past fades
	end           time.Time // when the work is expected to be done; zero if that is not known
}

const usualMemory = 10 * time.Second

// enough is the time after which there is a rate.
const enough = time.Second

// Look notes the count at a time. The first look notes where the work begins.
func (m *meter) Look(now time.Time, count int64) {
	if m.began.IsZero() {
		m.began, m.last, m.count = now, now, count
		return
	}
	passed := now.Sub(m.last)
	if passed <= 0 {
		return
	}
	fade := math.Exp(-float64(passed) / float64(cmp.Or(m.Memory, usualMemory)))
	m.grown = m.grown*fade + float64(count-m.count)
	m.passed = m.passed*fade + passed.Seconds()
	m.last, m.count = now, count
}

// Rate returns by how much the count grows in a second. It is 0 if this is not known yet,
// or if the count does not grow.
func (m *meter) Rate() float64 {
	if m.last.Sub(m.began) < enough || m.grown <= 0 {
		return 0
	}
	return m.grown / m.passed
}

// longest is the longest time left that is worth a guess.
const longest = 100 * time.Hour

// Left returns the time until the count is total, and whether it is known. It falls as
// time passes: a new guess counts only if it differs by more than a tenth.
func (m *meter) Left(total int64) (left time.Duration, known bool) {
	rate := m.Rate()
	seconds := float64(total-m.count) / rate
	if rate == 0 || total < m.count || seconds > longest.Seconds() {
		m.end = time.Time{}
		return 0, false
	}
	guess := time.Duration(seconds * float64(time.Second))
	differs := (guess - m.end.Sub(m.last)).Abs()
	if m.end.IsZero() || differs > guess/10+time.Second/2 {
		m.end = m.last.Add(guess)
	}
	return max(m.end.Sub(m.last), 0), true
}
