package limit

import "time"

// A Kind is what an answer says of the site.
type Kind uint8

const (
	Neutral Kind = iota // nothing: 404, or the caller gave up
	Good
	Busy    // 429: too many requests
	Down    // 503: also too many requests, or the site is down
	Refused // the connection was refused: nobody is there
	Silent  // no answer came in time
	Broken  // 500, 502 or 504
	Barred  // 403
)

// KindOf returns the kind with a number, or Neutral if there is none.
func KindOf(number int64) Kind {
	if number < 0 || number > int64(Barred) {
		return Neutral
	}
	return Kind(number)
}

// String returns the name of the kind as logs have it.
func (k Kind) String() string {
	names := [...]string{"neutral", "good", "busy", "busy", "refused", "silent", "broken", "barred"}
	if int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

// isBad reports whether an answer may say that there is something wrong.
func (k Kind) isBad() bool { return k > Good }

// isBusy reports whether an answer says that there are too many requests.
func (k Kind) isBusy() bool { return k == Busy || k == Down }

// longest returns how long a break after a bad answer of this kind is at most.
func (k Kind) longest() time.Duration {
	switch k {
	case Broken:
		return 10 * time.Second
	case Barred:
		return time.Minute
	default:
		return 10 * time.Minute
	}
}
