package lint

import (
	"bytes"

	"github.com/go-polite/polite/robots/internal/syntax"
)

var misspelledKey = &check{
	Check:   Check{"misspelled-record", Warning, "a key is misspelled in a way that is read as it is meant"},
	example: "useragent: *",
}

// checkKey looks at how a line's key is written.
func (l *linter) checkKey(kind syntax.Kind, key, value []byte) {
	between := l.current[l.offset(key)+len(key) : l.offset(value)]
	switch {
	case kind == syntax.Other:
		l.checkOtherKey(key, value)
	case bytes.IndexByte(between, ':') < 0:
		l.sayf(leftOutColon, between, `the colon is missing: many crawlers ignore the line; write "%s: %s"`, rightKeys[kind], clipped(value)).with(l.over(l.current[l.offset(key):l.offset(value)], rightKeys[kind]+": "))
	case !isRightKey(kind, key):
		l.sayf(misspelledKey, key, "%v is read as %s by some crawlers only; write %q", quoted(key), rightKeys[kind], rightKeys[kind]).with(l.over(key, rightKeys[kind]))
	}
}
