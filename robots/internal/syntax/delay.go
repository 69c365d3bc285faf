package syntax

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A Delay is the time between two requests that a line asks for, in milliseconds.
type Delay uint32

const (
	NoDelay  Delay = math.MaxUint32      // the line asks for none, or its value makes no sense
	maxDelay       = 30 * 24 * time.Hour // a longer one is taken for a mistake
)

func (d Delay) Duration() time.Duration { return time.Duration(d) * time.Millisecond }

// ParseDelay reads the value of a crawl-delay: seconds, with decimals.
func ParseDelay(value string) Delay { return delayOf(parseNumber(value)) }

// ParseRate reads the value of a request-rate as the delay that it asks for:
// "2/10" is two requests in ten seconds. The seconds may have a unit s, m or h.
// Hours of the day may follow; they are ignored.
func ParseRate(value string) Delay {
	value = value[:TokenEnd(value, func(c byte) bool { return !IsSpace(c) })]
	requests, period, _ := strings.Cut(value, "/")
	unit := 1.0
	if n := len(period); n > 0 {
		switch Lower(period[n-1]) {
		case 's':
			period = period[:n-1]
		case 'm':
			period, unit = period[:n-1], 60
		case 'h':
			period, unit = period[:n-1], 3600
		}
	}
	return delayOf(unit * parseNumber(period) / parseNumber(requests))
}

// parseNumber reads a plain decimal number: no sign, no exponent, no infinity.
// It returns NaN for anything else.
func parseNumber(s string) float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.Trim(s, "0123456789.") != "" {
		return math.NaN()
	}
	return n
}

func delayOf(seconds float64) Delay {
	if seconds >= 0 && seconds <= maxDelay.Seconds() {
		return Delay(math.Ceil(seconds * 1000))
	}
	return NoDelay
}
