package syntax

import (
	"bytes"
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

// ClassifyUsage returns the kind of a record that says what may be done with pages, by
// its key: ContentSignal or ContentUsage. It returns Other for every other key.
func ClassifyUsage(key []byte) Kind {
	switch {
	case len(key) == len(contentSignal) && bytes.EqualFold(key, []byte(contentSignal)):
		return ContentSignal
	case len(key) == len(contentUsage) && bytes.EqualFold(key, []byte(contentUsage)):
		return ContentUsage
	}
	return Other
}

const contentSignal, contentUsage = "content-signal", "content-usage"

// MeantUsage returns the kind of a record that is meant by a key, if the key is spelled
// wrong in a way that cannot be mistaken: "content-signals", "content_usage". It returns
// Other for every other key. It returns the kind of a key that is spelled right, too.
func MeantUsage(key []byte) Kind {
	var letters [len("contentsignals")]byte
	n := 0
	for _, c := range key {
		switch {
		case c == '-' || c == '_' || c == ' ':
		case n == len(letters):
			return Other
		default:
			letters[n] = Lower(c)
			n++
		}
	}
	switch string(bytes.TrimSuffix(letters[:n], []byte("s"))) {
	case "contentsignal":
		return ContentSignal
	case "contentusage":
		return ContentUsage
	}
	return Other
}

// SplitMeantUsage splits a line whose key MeantUsage knows, and that has no colon. If the
// line is another, kind is Other.
func SplitMeantUsage(line []byte) (kind Kind, key, value []byte) {
	if comment := bytes.IndexByte(line, '#'); comment >= 0 {
		line = line[:comment]
	}
	line = Trim(line)
	blank := bytes.IndexAny(line, " \t")
	if blank < 0 {
		return Other, nil, nil
	}
	return MeantUsage(line[:blank]), line[:blank], Trim(line[blank:])
}

// SplitUsage splits the value of a content-usage record into its path, which may be
// empty, and its statement (draft-ietf-aipref-attach-05 §3.2). If there is no
// statement, ok is false.
func SplitUsage(value string) (path, statement string, ok bool) {
	if strings.HasPrefix(value, "/") {
		end := strings.IndexAny(value, " \t")
		if end < 0 {
			return value, "", false
		}
		path, value = value[:end], strings.TrimLeft(value[end:], " \t")
	}
	return path, value, value != ""
}
