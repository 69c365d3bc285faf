package judge

// A Silence says why a site has no rules. The zero Silence is that it has some.
type Silence int

const (
	None             Silence = iota // there are rules
	Unavailable                     // there is no robots.txt (RFC 9309 §2.3.1.3)
	Forbidden                       // 401 or 403
	TooManyRedirects                // §2.3.1.2
	TooManyRequests                 // 429
	Unreachable                     // it could not be fetched (§2.3.1.4)
	LongOutage                      // it could not be fetched for over 30 days
	silences
)

// IsOutage reports whether the site could not be reached (RFC 9309 §2.3.1.4). If not, it
// has no robots.txt (§2.3.1.3).
func (s Silence) IsOutage() bool { return s >= TooManyRequests }

// String returns the name of s. A field of polite.Policy has the same name.
func (s Silence) String() string {
	return [...]string{"", "Unavailable", "Forbidden", "TooManyRedirects", "TooManyRequests", "Unreachable", "LongOutage"}[s]
}
