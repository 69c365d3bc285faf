package robots

import "strings"

// ProductToken returns the product token by which a crawler that sends
// userAgent should look for its group: the name of the first product, as in
// "ExampleBot/1.2 (+https://example.com/bot)". For what begins with "Mozilla" it
// is the name in parentheses that follows "compatible;", or else has a version, as
// in "Mozilla/5.0 (compatible; ExampleBot/1.2)". It returns "" if there is none,
// as in the user agents of today's browsers.
func ProductToken(userAgent string) string {
	token := userAgent[:tokenEnd(userAgent, isTokenByte)]
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
		case versioned == "" && version != "" && isDigit(version[0]):
			versioned = name
		}
		before = part
	}
	return versioned
}

// isPlatform reports whether a name in a comment is that of what a browser runs on
// or is built of.
func isPlatform(name string) bool {
	switch name {
	case "X11", "Linux", "Windows", "Macintosh", "Android", "iPhone", "AppleWebKit", "Chrome", "Gecko", "Safari", "Trident":
		return true
	}
	return false
}

// IsProductToken reports whether a crawler can go by s: one or more of the
// characters [A-Za-z_-] that RFC 9309 §2.2.1 allows, or the digits and dots
// that many crawlers' tokens have besides.
func IsProductToken(s string) bool {
	return s != "" && tokenEnd(s, isTokenByte) == len(s)
}

// tokens returns the tokens that the value of a user-agent line names: long for
// a crawler whose own token has digits or dots, short for one whose token is
// the RFC's. They are mostly the same. Either is empty if the value names none.
func tokens[T string | []byte](value T) (long, short T) {
	if len(value) > 0 && value[0] == '*' {
		if len(value) == 1 || isSpace(value[1]) {
			return value[:1], value[:1]
		}
		return value[:0], value[:0]
	}
	long = value[:tokenEnd(value, isTokenByte)]
	return long, long[:tokenEnd(long, isStrictTokenByte)]
}

// tokenEnd returns the length of the longest prefix of s that is made of what
// is accepts.
func tokenEnd[T string | []byte](s T, is func(byte) bool) int {
	for i := range len(s) {
		if !is(s[i]) {
			return i
		}
	}
	return len(s)
}

func isTokenByte(c byte) bool {
	return isStrictTokenByte(c) || '0' <= c && c <= '9' || c == '.'
}

func isStrictTokenByte(c byte) bool {
	return 'a' <= lower(c) && lower(c) <= 'z' || c == '_' || c == '-'
}

// lower folds ASCII letters to lower case.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// compareFold orders strings by their octets, without regard to ASCII case.
func compareFold(a, b string) int {
	for i := range min(len(a), len(b)) {
		if x, y := lower(a[i]), lower(b[i]); x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}
