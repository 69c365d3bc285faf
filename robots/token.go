package robots

import (
	"strings"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// ProductToken returns the product token of a crawler that sends userAgent. Give it to
// [File.Rules]. The token is the name of the first product: "ExampleBot" in
// "ExampleBot/1.2 (+https://example.com/bot)". If the first product is "Mozilla",
// ProductToken looks for the name in parentheses: first after "compatible;", then
// before a version, as in "Mozilla/5.0 (compatible; ExampleBot/1.2)". It returns "" if
// there is no name, as in the user agents of today's browsers.
func ProductToken(userAgent string) string {
	token := userAgent[:syntax.TokenEnd(userAgent, syntax.IsTokenByte)]
	if token != "Mozilla" {
		return token
	}
	for rest := userAgent; rest != ""; {
		var comment string
		_, rest, _ = strings.Cut(rest, "(")
		comment, rest, _ = strings.Cut(rest, ")")
		if token := tokenIn(comment); token != "" {
			return token
		}
	}
	return ""
}

// tokenIn returns the product token in a comment of a user agent, or "".
func tokenIn(comment string) (versioned string) {
	before := ""
	for part := range strings.SplitSeq(comment, ";") {
		part = strings.TrimSpace(part)
		product, _, _ := strings.Cut(part, " +") // the address
		name, version, _ := strings.Cut(product, "/")
		version = strings.TrimPrefix(version, "v")
		switch {
		case !IsProductToken(name) || isPlatform(name):
		case before == "compatible":
			return name
		case versioned == "" && version != "" && syntax.IsDigit(version[0]):
			versioned = name
		}
		before = part
	}
	return versioned
}

// isPlatform reports whether a name in a comment belongs to the platform or the engine
// of a browser.
func isPlatform(name string) bool {
	switch name {
	case "X11", "Linux", "Windows", "Macintosh", "Android", "iPhone", "AppleWebKit", "Chrome", "Gecko", "Safari", "Trident":
		return true
	}
	return false
}

// IsProductToken reports whether s can be the product token of a crawler: one or more
// of the characters [A-Za-z_-] that RFC 9309 §2.2.1 allows, and of the digits and dots
// that many crawlers' tokens have as well.
func IsProductToken(s string) bool {
	return s != "" && syntax.TokenEnd(s, syntax.IsTokenByte) == len(s)
}
