package fetch

import (
	"net/http"
	"strings"
	"time"

	"github.com/go-polite/polite/internal/quota"
)

// MaxAge returns for how long from now on an answer says that it is fresh, which is its lifetime less
// its age (RFC 9111 §4.2); a negative value if it does not say.
func MaxAge(header http.Header) time.Duration {
	lifetime := Lifetime(header)
	if lifetime < 0 {
		return lifetime
	}
	return max(lifetime-Age(header), 0)
}

// Lifetime returns how long an answer says that it is fresh from when the site sent it (RFC 9111 §4.2.1);
// a negative value if it does not say. What must not be kept is not fresh.
func Lifetime(header http.Header) time.Duration {
	lifetime := time.Duration(-1)
	for directive := range strings.SplitSeq(strings.Join(header.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch strings.TrimSpace(name) {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			if n, ok := quota.Seconds(strings.Trim(value, `" `)); ok {
				lifetime = n
			}
		}
	}
	if lifetime < 0 {
		return untilExpires(header)
	}
	return lifetime
}

// untilExpires returns how long after its Date an answer expires; a negative value if it does not say. An
// Expires that is no date, such as 0, is in the past (RFC 9111 §5.3). Without a Date, the answer was
// sent now.
func untilExpires(header http.Header) time.Duration {
	values := header.Values("Expires")
	if len(values) == 0 {
		return -1
	}
	expires, err := http.ParseTime(values[0])
	if err != nil {
		return 0
	}
	sent, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		sent = time.Now()
	}
	return max(expires.Sub(sent), 0)
}

// Age returns how long caches on the way, such as a CDN, have kept an answer. An Age that cannot be read
// does not count (RFC 9111 §5.1).
func Age(header http.Header) time.Duration {
	first, _, _ := strings.Cut(header.Get("Age"), ",")
	age, _ := quota.Seconds(strings.TrimSpace(first))
	return age
}
