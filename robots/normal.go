package robots

import (
	"math/bits"
	"strings"
)

// pathOf returns the part of a URL that rules are matched against: path and
// query, without fragment. What does not look like a URL is taken for a path.
func pathOf(target string) string {
	target, _, _ = strings.Cut(target, "#")
	if strings.HasPrefix(target, "/") {
		return target
	}
	if scheme := strings.IndexAny(target, ":/?"); scheme > 0 && strings.HasPrefix(target[scheme:], "://") {
		authority := target[scheme+len("://"):]
		target = authority[tokenEnd(authority, isAuthorityByte):]
	}
	if target == "" || target[0] == '?' {
		return "/" + target
	}
	return target
}

func isAuthorityByte(c byte) bool { return c != '/' && c != '?' }

// appendNormal appends s to dst in the form in which patterns and targets are
// compared (RFC 9309 §2.2.2, RFC 3986 §6.2.2). Only in a pattern is "*" a
// wildcard; elsewhere it is %2A, and so is a pattern's literal star (§2.2.3).
func appendNormal[T string | []byte](dst []byte, s T, pattern bool) []byte {
	query := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '%' && isTriplet(s, i):
			if v := unhex(s[i+1])<<4 | unhex(s[i+2]); isPlain(v, query) {
				dst = append(dst, v)
			} else {
				dst = appendTriplet(dst, v)
			}
			i += 2
		case mustEncode(c) || c == '*' && !pattern:
			dst = appendTriplet(dst, c)
		default:
			dst = append(dst, c)
			query = query || c == '?'
		}
	}
	return dst
}

// isNormalTarget reports whether target is a path without a fragment that
// appendNormal would leave as it is.
func isNormalTarget(target string) bool {
	if target == "" || target[0] != '/' {
		return false
	}
	i := firstUnusual(target)
	if i == len(target) {
		return true
	}
	question := strings.IndexByte(target, '?')
	for ; i < len(target); i++ {
		switch c := target[i]; {
		case c == '%' && isTriplet(target, i):
			hi, lo := target[i+1], target[i+2]
			if 'a' <= hi || 'a' <= lo || isPlain(unhex(hi)<<4|unhex(lo), question >= 0 && question < i) {
				return false
			}
		case mustEncode(c) || c == '*' || c == '#':
			return false
		}
	}
	return true
}

// firstUnusual returns the place of the first octet of s that is below "+" or
// above "~": what precedes it is in normal form. It looks at eight at a time.
func firstUnusual[T string | []byte](s T) int {
	const each = 0x0101010101010101
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		w := s[i : i+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		// The high bit of an octet is set where it is below "+", or above "~";
		// borrows and carries go to octets after the first such.
		if high := ((x - '+'*each) | x | (x + each)) & (0x80 * each); high != 0 {
			return i + bits.TrailingZeros64(high)/8
		}
	}
	for ; i < len(s); i++ {
		if s[i] < '+' || s[i] > '~' {
			return i
		}
	}
	return i
}

// mustEncode reports whether c has to be percent-encoded to be compared.
func mustEncode(c byte) bool { return c <= ' ' || c >= 0x7F }

// isPlain reports whether an encoded c means the same as c itself.
func isPlain(c byte, query bool) bool {
	switch c {
	case '-', '.', '_', '~', '$':
		return true
	case ':', '/', '?', '@':
		return query // RFC 3986 §3.4
	}
	return 'a' <= lower(c) && lower(c) <= 'z' || '0' <= c && c <= '9'
}

// queryFrom serves literals of a pattern that may lie in the path or in the
// query, because only a wildcard before them can match the "?" that divides the
// two. Their normal form is the path's. If the query's is another, queryFrom
// returns the first place at or after at where that can begin; if not, or if
// target has no query, -1.
func queryFrom(target string, at int, literal string) int {
	if !strings.Contains(literal, "%") {
		return -1
	}
	question := strings.IndexByte(target, '?')
	if question < 0 {
		return -1
	}
	for i := range len(literal) {
		if decodesInQuery(literal, i) {
			return max(at, question+1)
		}
	}
	return -1
}

// appendDecoded appends a literal in the normal form of a query.
func appendDecoded(dst []byte, literal string) []byte {
	for i := 0; i < len(literal); i++ {
		if decodesInQuery(literal, i) {
			dst = append(dst, unhex(literal[i+1])<<4|unhex(literal[i+2]))
			i += 2
		} else {
			dst = append(dst, literal[i])
		}
	}
	return dst
}

// decodesInQuery reports whether an encoded octet begins at s[i] that is plain
// in a query only.
func decodesInQuery(s string, i int) bool {
	if s[i] != '%' || i+2 >= len(s) {
		return false
	}
	switch s[i+1 : i+3] {
	case "3A", "2F", "3F", "40":
		return true
	}
	return false
}

// isTriplet reports whether the "%" at s[i] begins a percent-encoded octet.
func isTriplet[T string | []byte](s T, i int) bool {
	return i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2])
}

func appendTriplet(dst []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[c>>4], digits[c&0xF])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= lower(c) && lower(c) <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return lower(c) - 'a' + 10
}
