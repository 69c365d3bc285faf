package syntax

import (
	"bytes"
	"math/bits"
	"strings"
)

// PathOf returns the part of a target that rules are matched against: its path and
// query, without the fragment. A target is a path if it begins with "/", and a URL if
// "://" comes before any path. If it is neither, such as "example.com/p", the path
// begins at the first of "/?;", as it does for Google's parser.
func PathOf(target string) string {
	target, _, _ = strings.Cut(target, "#")
	at := 0
	for at < len(target) && !beginsPath(target[at]) && target[at] != ';' {
		at++
	}
	if at > 0 && strings.HasPrefix(target[at-1:], "://") {
		for at += len("//"); at < len(target) && !beginsPath(target[at]); at++ {
		}
	}
	if at < len(target) && target[at] == '/' {
		return target[at:]
	}
	return "/" + target[at:]
}

func beginsPath(c byte) bool { return c == '/' || c == '?' }

// AppendNormal appends s to dst in the form in which patterns and targets are
// compared (RFC 9309 §2.2.2, RFC 3986 §6.2.2). Only in a pattern is "*" a
// wildcard; elsewhere it is %2A, and so is a pattern's literal star (§2.2.3).
// A string in normal form stays as it is.
func AppendNormal[T string | []byte](dst []byte, s T, pattern bool) []byte {
	start, usual := len(dst), firstUnusual(s)
	dst = append(dst, s[:usual]...)
	query, malformed := bytes.IndexByte(dst[start:], '?') >= 0, false
	for i := usual; i < len(s); i++ {
		c, encode := s[i], false
		switch {
		case isOrdinary[c]:
			encode = c == '*' && !pattern
		case c != '%':
			encode = true
		case IsTriplet(s, i):
			c = Unhex(s[i+1])<<4 | Unhex(s[i+2])
			encode = !IsPlain(c, query)
			i += 2
		default:
			malformed = true
		}
		if encode || malformed && CompletesTriplet(dst[start:], c) {
			dst = AppendTriplet(dst, c)
			continue
		}
		dst = append(dst, c)
		query = query || c == '?'
	}
	return dst
}

// CompletesTriplet reports whether c, decoded after normal, would make an encoded octet
// that nobody wrote: %2%46 is not %2F. The last octet but one of normal is then a "%"
// that stands for itself.
func CompletesTriplet[T string | []byte](normal T, c byte) bool {
	n := len(normal)
	return n >= 2 && normal[n-2] == '%' && isHex(normal[n-1]) && isHex(c)
}

// IsNormalTarget reports whether target is a path without a fragment, and in normal form.
// It may return false for a target that is.
func IsNormalTarget(target string) bool {
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
		case isOrdinary[c] && c != '*':
		case c == '%' && IsTriplet(target, i):
			hi, lo := target[i+1], target[i+2]
			if 'a' <= hi || 'a' <= lo || IsPlain(Unhex(hi)<<4|Unhex(lo), question >= 0 && question < i) {
				return false
			}
		case c != '%':
			return false
		}
	}
	return true
}

// firstUnusual returns the length of a beginning of s that is in normal form, and has no
// octet below "+". It looks at eight octets at a time.
func firstUnusual[T string | []byte](s T) int {
	const each = 0x0101010101010101
	i := 0
	for ; len(s)-i >= 8; i += 8 {
		w := s[i : i+8]
		x := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		// In outside, the high bit is set for each octet below "+" or above "z". In
		// within, it is set for "`", and for "<>\^", which are 0x7E with three bits set.
		// A borrow or a carry can only change octets after the first of these.
		outside := (x - '+'*each) | (x + (0x80-'{')*each)
		within := (0x80*each - (x ^ '`'*each)) | (0x80*each - ((x | 0x62*each) ^ 0x7E*each))
		if high := (outside | within) & (0x80 * each); high != 0 {
			return i + bits.TrailingZeros64(high)/8
		}
	}
	for ; i < len(s); i++ {
		if s[i] < '+' || !isOrdinary[s[i]] {
			return i
		}
	}
	return i
}

// isOrdinary has the characters that URLs are made of (RFC 3986 §2), without "%", and
// without "#", which ends the part that is matched. In normal form all other octets are
// percent-encoded.
var isOrdinary = func() (table [256]bool) {
	for c := range table {
		table[c] = ' ' < c && c < 0x7F && strings.IndexByte("\"#%<>\\^`{|}", byte(c)) < 0
	}
	return table
}()

// IsOrdinary reports whether c may stand for itself in normal form.
func IsOrdinary(c byte) bool { return isOrdinary[c] }

// IsPlain reports whether c means the same percent-encoded and by itself. Some octets do
// so only in a query.
func IsPlain(c byte, query bool) bool {
	switch c {
	case '-', '.', '_', '~', '$':
		return true
	case ':', '/', '?', '@':
		return query // RFC 3986 §3.4
	}
	return 'a' <= Lower(c) && Lower(c) <= 'z' || '0' <= c && c <= '9'
}

// QueryFrom returns the first index, at or after at, at which the query form of a literal
// can begin in target. It returns -1 if target has no query, or if the literal has no
// other form there.
//
// A literal after a wildcard may match in the path or in the query, as the wildcard may
// match the "?" between them. It is written in the normal form of a path.
func QueryFrom(target string, at int, literal string) int {
	if !strings.Contains(literal, "%") {
		return -1
	}
	question := strings.IndexByte(target, '?')
	if question < 0 {
		return -1
	}
	if HasQueryForm(literal) {
		return max(at, question+1)
	}
	return -1
}

// HasQueryForm reports whether a literal has another normal form in a query.
func HasQueryForm(literal string) bool {
	for i := range len(literal) {
		if decodesInQuery(literal, i) {
			return true
		}
	}
	return false
}

// AppendDecoded appends a literal to dst in the normal form of a query.
func AppendDecoded(dst []byte, literal string) []byte {
	for i := 0; i < len(literal); i++ {
		if decodesInQuery(literal, i) {
			dst = append(dst, Unhex(literal[i+1])<<4|Unhex(literal[i+2]))
			i += 2
		} else {
			dst = append(dst, literal[i])
		}
	}
	return dst
}

// decodesInQuery reports whether s[i] begins an encoded octet that is plain only in a
// query.
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

// OneStar returns a pattern with one "*" for each run of them.
func OneStar(pattern string) string {
	for strings.Contains(pattern, "**") {
		pattern = strings.ReplaceAll(pattern, "**", "*")
	}
	return pattern
}

// IsTriplet reports whether the "%" at s[i] begins a percent-encoded octet.
func IsTriplet[T string | []byte](s T, i int) bool {
	return i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2])
}

func AppendTriplet(dst []byte, c byte) []byte {
	const digits = "0123456789ABCDEF"
	return append(dst, '%', digits[c>>4], digits[c&0xF])
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= Lower(c) && Lower(c) <= 'f'
}

func Unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return Lower(c) - 'a' + 10
}
