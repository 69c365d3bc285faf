package syntax

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// A crawl-delay is a plain number of seconds, up to 30 days.
func TestParseDelay(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"10": 10 * time.Second, ".5": time.Second / 2, "0": 0, "0.0001": time.Millisecond, "2592000": 30 * 24 * time.Hour,
	} {
		assert.Equal(t, want, ParseDelay(value).Duration(), value)
	}
	for _, value := range []string{"", "-1", "1s", "0,5", "inf", "1e3", "NaN", "2592000.1", "2592001", strings.Repeat("9", 400)} {
		assert.Equal(t, NoDelay, ParseDelay(value), value)
	}
}

// A request-rate is so many requests in a time, which may have a unit. Hours of the day may follow.
func TestParseRate(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"1/10": 10 * time.Second, "4/1": time.Second / 4, "2/1m": 30 * time.Second, "4/1H": 15 * time.Minute, "1/5s 0600-0845": 5 * time.Second,
		"1/5S\t0600-0845": 5 * time.Second, "1/5s\f0600-0845": 5 * time.Second, "1/0": 0,
	} {
		assert.Equal(t, want, ParseRate(value).Duration(), value)
	}
	for _, value := range []string{"0/5", "0/0", "5", "5/", "/5", "1/s", "1/31d", "1/721h", "-1/5"} {
		assert.Equal(t, NoDelay, ParseRate(value), value)
	}
}
