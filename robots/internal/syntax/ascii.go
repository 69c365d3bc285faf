package syntax

// Lower returns the lower case of an ASCII letter, and any other octet as it is.
func Lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// CompareFold orders strings by their octets, without regard to ASCII case.
func CompareFold(a, b string) int {
	for i := range min(len(a), len(b)) {
		if x, y := Lower(a[i]), Lower(b[i]); x != y {
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

// IsSpace reports whether c is white space: a space, a tab, VT or FF, or a line end.
func IsSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// IsDigit reports whether c is a decimal digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// Trim returns b without the white space around it.
func Trim(b []byte) []byte {
	for len(b) > 0 && IsSpace(b[0]) {
		b = b[1:]
	}
	for len(b) > 0 && IsSpace(b[len(b)-1]) {
		b = b[:len(b)-1]
	}
	return b
}
