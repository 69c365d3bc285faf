package lint

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

var dollarInside = &check{
	Check:   Check{"dollar-inside", Warning, "a $ that is not at the end of a pattern is no anchor"},
	example: "user-agent: *\ndisallow: /x$*",
}

var repeatedStar = &check{
	Check:   Check{"repeated-star", Note, "** means the same as *"},
	example: "user-agent: *\ndisallow: /a/**/b",
}

var trailingStar = &check{
	Check:   Check{"trailing-star", Note, "a * at the end of a pattern changes nothing that it matches"},
	example: "user-agent: *\ndisallow: /a*",
}

// checkDollar looks for a "$" that seems to be meant as an anchor, but is none. Many
// paths have a "$" in their middle that is not meant as one.
func (l *linter) checkDollar(value []byte) {
	at := bytes.IndexByte(value, '$')
	if rest := value[at+1:]; len(rest) > 0 && strings.IndexByte("*$?|", rest[0]) >= 0 {
		l.say(dollarInside, value[at:], "$ is the end of a URL only at the end of a pattern, and here a character like others; write %24 if that is meant")
	}
}

func (l *linter) checkStars(value []byte) {
	if at := bytes.Index(value, []byte("**")); at >= 0 {
		l.doubt(repeatedStar, value[at:], "several * match the same as one; write one", isLengthNeeded, l.over(value[at:], syntax.OneStar(string(value[at:]))))
		return
	}
	rest := bytes.TrimSuffix(bytes.TrimSuffix(value, []byte("$")), []byte("*"))
	end := value[len(rest):]
	switch {
	case len(rest) == 0 || !bytes.HasPrefix(end, []byte("*")) || becomesOther(rest[len(rest)-1]):
	case bytes.HasSuffix(rest, []byte("/.")):
		l.doubt(trailingStar, end, fmt.Sprintf("this matches names that begin with a dot, and the * nothing more; write %v if all are meant, and else leave the * out", quoted(rest[:len(rest)-1])), isLengthNeeded, nil)
	case string(end) == "*":
		l.doubt(trailingStar, end, "a * at the end matches nothing more, as a pattern need not match a URL to its end; leave it out", isLengthNeeded, l.over(end, ""))
	case string(end) == "*$":
		l.doubt(trailingStar, end, "*$ at the end matches nothing more, as a pattern need not match a URL to its end; leave both out", isLengthNeeded, l.over(end, ""))
	}
}

// isLengthNeeded reports whether r, without its needless stars, might lose to one of the
// others.
func isLengthNeeded(l *linter, s *match.Set, r match.Rule, others []match.Rule) bool {
	return l.lengthDecides(s, r, needless(s.Pattern(r)), others)
}

// becomesOther reports whether c has another meaning at the end of a value: "$" is an
// anchor there, and white space is dropped.
func becomesOther(c byte) bool { return c == '$' || syntax.IsSpace(c) }

// needless returns the number of octets that a pattern does not need: all but one of the
// stars in a run; if there is no such run, a "*" or "*$" at its end.
func needless(pattern string) int {
	n := 0
	for i := 1; i < len(pattern); i++ {
		if pattern[i-1] == '*' && pattern[i] == '*' {
			n++
		}
	}
	if n > 0 {
		return n
	}
	return len(pattern) - len(strings.TrimSuffix(strings.TrimSuffix(pattern, "$"), "*"))
}
