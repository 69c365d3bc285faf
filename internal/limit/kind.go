package limit

import "time"

// A Kind is what an answer says of the site.
type Kind uint8

const (
	Neutral Kind = iota // nothing: 404, or the caller gave up
	Good
	Busy    // 429 or 503: too many requests
	Refused // the connection was refused: nobody is there
	Silent  // no answer came in time
	Broken  // 500, 502 or 504
	Barred  // 403
)

// String returns the name of the kind as logs have it.
func (k Kind) String() string {
	names := [...]string{"neutral", "good", "busy", "refused", "silent", "broken", "barred"}
	if int(k) >= len(names) {
		return "unknown"
	}
	return names[k]
}

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
