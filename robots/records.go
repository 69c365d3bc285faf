package robots

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// A kind is what the key of a line makes of it.
type kind uint8

const (
	other kind = iota
	allow
	disallow
	userAgent
	sitemap
	crawlDelay
	requestRate
)

// classify names the kind of line that key begins, slips included.
func classify(key []byte) kind {
	var folded [len("request-rate")]byte
	if len(key) > len(folded) {
		return other
	}
	for i, c := range key {
		folded[i] = lower(c)
	}
	switch string(folded[:len(key)]) {
	case "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw":
		return disallow
	case "allow":
		return allow
	case "user-agent", "useragent", "user agent":
		return userAgent
	case "sitemap", "site-map":
		return sitemap
	case "crawl-delay":
		return crawlDelay
	case "request-rate":
		return requestRate
	}
	return other
}

// milliseconds is a crawl-delay, or noDelay.
type milliseconds uint32

const (
	noDelay  milliseconds = math.MaxUint32
	maxDelay              = 30 * 24 * time.Hour // more is taken for a mistake
)

func (ms milliseconds) duration() time.Duration {
	return time.Duration(ms) * time.Millisecond
}

// parseDelay reads the value of a crawl-delay: seconds, with decimals.
func parseDelay(value string) milliseconds {
	return delayOf(parseNumber(value))
}

// parseRate reads the value of a request-rate as the delay that it asks for:
// "2/10" is two requests in ten seconds. The seconds may have a unit s, m or h,
// and the hours of the day that may follow are not looked at.
func parseRate(value string) milliseconds {
	value = value[:tokenEnd(value, func(c byte) bool { return !isSpace(c) })]
	requests, period, _ := strings.Cut(value, "/")
	unit := 1.0
	if n := len(period); n > 0 {
		switch lower(period[n-1]) {
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

func delayOf(seconds float64) milliseconds {
	if seconds >= 0 && seconds <= maxDelay.Seconds() {
		return milliseconds(math.Ceil(seconds * 1000))
	}
	return noDelay
}
