package lint

import (
	"bytes"

	"github.com/go-polite/polite/robots/internal/syntax"
)

var joinedLines = &check{
	Check:   Check{"joined-lines", Error, "a line has a second record, which is read as a part of the first"},
	example: "user-agent: * Disallow: /x",
}

// findsJoined looks for a second record in a value, and reports whether there is one.
func (l *linter) findsJoined(value []byte) bool {
	at := secondRecord(value)
	if at >= 0 {
		l.sayf(joinedLines, value[at:], "%v is not read here; write it in a line of its own", quoted(value[at:])).with(l.ownLine(value[at:]))
	}
	return at >= 0
}

// ownLine returns the edit that ends the line before a second record, unless that would
// leave the first without a value.
func (l *linter) ownLine(record []byte) *Edit {
	at := l.offset(record)
	first := len(bytes.TrimRight(l.current[:at], " \t\v\f"))
	if l.current[first-1] == ':' {
		return nil
	}
	return l.over(l.current[first:at], l.newLine())
}

// secondRecord returns the index in a value of a known key with a colon, or -1.
func secondRecord(value []byte) int {
	if bytes.IndexByte(value, ':') < 0 {
		return -1 // as for most values
	}
	for at := range value {
		if syntax.IsSpace(value[at]) || at > 0 && !syntax.IsSpace(value[at-1]) {
			continue // not the beginning of a word
		}
		word := value[at:][:syntax.TokenEnd(value[at:], syntax.IsStrictTokenByte)]
		rest := syntax.Trim(value[at+len(word):])
		if len(rest) > 0 && rest[0] == ':' && syntax.Classify(word) != syntax.Other {
			return at
		}
	}
	return -1
}
