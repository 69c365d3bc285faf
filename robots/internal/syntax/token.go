package syntax

// Tokens returns the product tokens that the value of a user-agent line names: long for a
// crawler whose own token has digits or dots, short for a crawler whose own token has
// only characters that RFC 9309 §2.2.1 allows. In most files both are the same. Either is
// empty if the value names no such token.
func Tokens[T string | []byte](value T) (long, short T) {
	if len(value) > 0 && value[0] == '*' {
		if len(value) == 1 || IsSpace(value[1]) {
			return value[:1], value[:1]
		}
		return value[:0], value[:0]
	}
	long = value[:TokenEnd(value, IsTokenByte)]
	return long, long[:TokenEnd(long, IsStrictTokenByte)]
}

// TokenEnd returns the number of octets at the beginning of s for which is returns true.
func TokenEnd[T string | []byte](s T, is func(byte) bool) int {
	for i := range len(s) {
		if !is(s[i]) {
			return i
		}
	}
	return len(s)
}

// IsTokenByte reports whether c may be part of a crawler's product token.
func IsTokenByte(c byte) bool { return IsStrictTokenByte(c) || IsDigit(c) || c == '.' }

// IsStrictTokenByte reports whether RFC 9309 §2.2.1 allows c in a product token.
func IsStrictTokenByte(c byte) bool {
	return 'a' <= Lower(c) && Lower(c) <= 'z' || c == '_' || c == '-'
}
