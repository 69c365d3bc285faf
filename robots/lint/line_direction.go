package lint

import (
	"bytes"
	"unicode/utf8"

	"github.com/go-polite/polite/robots/internal/syntax"
)

var directionCharacter = &check{
	Check:   Check{"direction-character", Warning, "a character in a line changes the order in which it is shown"},
	example: "user-agent: *\ndisallow: /a\u202Eb",
}

// checkDirection looks for characters with which a line is shown in another order than it is
// read (UAX #9). At the ends of what crawlers read, checkInvisible finds them.
func (l *linter) checkDirection(kind syntax.Kind, key, value []byte) {
	key = bytes.TrimFunc(key, isInvisible)
	if kind != syntax.Other {
		value = bytes.TrimFunc(value, isInvisible)
	}
	for _, part := range [][]byte{key, value} {
		if at := bytes.IndexFunc(part, isDirection); at >= 0 {
			first, _ := utf8.DecodeRune(part[at:])
			l.sayf(directionCharacter, part[at:], "editors show the line in another order than crawlers read it, because of the character %U; remove it, or percent-encode it if URLs have it", first)
			return
		}
	}
}
