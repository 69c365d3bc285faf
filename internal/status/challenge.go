package status

import (
	"errors"
	"net/http"
	"strings"
)

// ErrChallenge says that a wall before a site has answered, and not the site: with a test that only a
// browser, or a person, can pass.
var ErrChallenge = errors.New("a challenge for browsers, from a wall before the site")

// walls are the headers by which the operators of walls say that an answer is a challenge, as they
// document them (November 2026). The names have the form of the keys of an http.Header.
var walls = [...]struct {
	name   string
	values []string
}{
	{"Cf-Mitigated", []string{"challenge"}},                 // Cloudflare, "Detect a Challenge Page response"
	{"X-Amzn-Waf-Action", []string{"challenge", "captcha"}}, // AWS WAF, "CAPTCHA and Challenge action behavior"
	{"X-Vercel-Mitigated", []string{"challenge"}},           // Vercel, "Response headers"
}

// IsChallenge reports whether the header of an answer says that it is a challenge, whatever its status.
func IsChallenge(header http.Header) bool {
	for i := range walls {
		for _, value := range header[walls[i].name] {
			for _, is := range walls[i].values {
				if strings.EqualFold(strings.TrimSpace(value), is) {
					return true
				}
			}
		}
	}
	return false
}
