package lint

import (
	"github.com/go-polite/polite/robots/internal/syntax"
)

var attachedComment = &check{
	Check:   Check{"attached-comment", Warning, "a # cuts off the rest of a pattern"},
	example: "user-agent: *\ndisallow: /a#b",
}

// checkComment looks for a "#" that touches the value before it.
func (l *linter) checkComment(value []byte) {
	rest := l.current[l.offset(value)+len(value):]
	if len(rest) > 1 && rest[0] == '#' && !syntax.IsSpace(rest[1]) {
		l.sayf(attachedComment, rest, "# begins a comment, so the pattern is %v alone; write a space before the # if that is meant, and else leave the rest out: crawlers do not send it", quoted(value))
	}
}
