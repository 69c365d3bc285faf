package limit

import "time"

// jump is how far a clock goes back at least if it was set.
const jump = time.Second

// A stamp is a time in milliseconds. It takes half the room of a time.Duration, and comes
// round after 49 days, so only stamps that are less than 24 days apart can be compared.
type stamp uint32

func stampOf(t time.Duration) stamp { return stamp(uint64(t / time.Millisecond)) }

// before reports whether s is an earlier time than other.
func (s stamp) before(other stamp) bool { return int32(s-other) < 0 }

// isLate reports whether s is at least some time after other.
func (s stamp) isLate(other stamp, by time.Duration) bool {
	return time.Duration(int32(s-other))*time.Millisecond >= by
}

// isFarBefore reports whether s is so far before other that the clock was set.
func (s stamp) isFarBefore(other stamp) bool {
	return time.Duration(int32(s-other))*time.Millisecond < -jump
}

// to returns the seconds from s to other. If other is earlier, it returns 0.
func (s stamp) to(other stamp) float32 { return float32(max(int32(other-s), 0)) / 1000 }
