package lint

import (
	"bytes"

	"github.com/go-polite/polite/robots/internal/syntax"
)

var regularExpression = &check{
	Check:   Check{"regular-expression", Warning, "a pattern looks like a regular expression, which it is not"},
	example: `user-agent: *` + "\n" + `disallow: /\d+`,
}

// checkExpression looks for what has a meaning only in a regular expression.
func (l *linter) checkExpression(value []byte) {
	if at := expressionAt(value); at >= 0 {
		l.say(regularExpression, value[at:], "this matches itself: a pattern is no regular expression, and has no special characters but * and a final $")
	}
}

// expressionAt returns the index at which a pattern begins to look like a regular
// expression, or -1.
func expressionAt(value []byte) int {
	for i, c := range value {
		rest := value[i:]
		switch {
		case c == '\\' && isEscape(rest[1:]), c == '^' && i <= 1, bytes.HasPrefix(rest, []byte(".+")):
			return i
		case c == '(' && isAlternation(rest), c == '[' && isClass(rest):
			return i
		}
	}
	return -1
}

// isEscape reports whether what follows a "\" gives it a meaning in a regular expression. If not, it may be
// a slash on Windows.
func isEscape(s []byte) bool {
	if len(s) == 0 {
		return false
	}
	if bytes.IndexByte([]byte("dDwWsSbB"), s[0]) >= 0 {
		return len(s) == 1 || !isStrictOrDigit(s[1])
	}
	return !isStrictOrDigit(s[0]) && s[0] < 0x80
}

// isAlternation reports whether s begins as "(a|b)" does.
func isAlternation(s []byte) bool {
	end := bytes.IndexByte(s, ')')
	return end > 0 && bytes.IndexByte(s[:end], '|') > 0
}

// isClass reports whether s begins as "[a-z]" does.
func isClass(s []byte) bool {
	return len(s) >= 5 && s[2] == '-' && s[1] < s[3] && isStrictOrDigit(s[1]) && isStrictOrDigit(s[3]) && bytes.IndexByte(s, ']') > 0
}

func isStrictOrDigit(c byte) bool { return c != '.' && syntax.IsTokenByte(c) }

// withoutExpression returns a pattern without the "^" and "." with which a regular
// expression begins.
func withoutExpression(value []byte) []byte {
	plain := bytes.TrimPrefix(value, []byte("^"))
	if len(plain) == 0 {
		return value
	}
	if bytes.HasPrefix(plain, []byte(".*")) {
		return plain[1:]
	}
	return plain
}
