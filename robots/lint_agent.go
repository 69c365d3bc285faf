package robots

import (
	"bytes"
	"slices"
	"strings"
	"time"
)

// A namedGroup is a group with the product tokens that its lines name.
type namedGroup struct {
	names      []named
	first, end int  // its rules, in parser.rules
	records    bool // it has some
	empties    int  // its rules without a pattern
	kept       int  // of both, without those that a finding says to leave out
}

// named is a product token, and its line.
type named struct {
	token   string // in lower case
	written []byte
	line    uint32
}

// A gap is what parts user-agent lines for the eye, and not for crawlers.
type gap uint8

const (
	noGap gap = iota
	blankLine
	otherLine
)

func (l *linter) widen(by gap) { l.gap = max(l.gap, by) }

// longestDelay is that which crawlers mostly heed.
const longestDelay = 30 * time.Second

// checkUserAgent looks at a user-agent line.
func (l *linter) checkUserAgent(value []byte) {
	if !l.naming {
		l.groups = append(l.groups, namedGroup{first: len(l.rules)})
	} else if l.gap != noGap {
		l.reportJoined(value)
	}
	l.gap, l.said.delays = noGap, [requestRate + 1]bool{}
	long, short := tokens(value)
	rest := trim(value[len(long):])
	switch {
	case l.findsJoined(value):
	case len(value) == 0:
		l.say(emptyUserAgent, value, `the line names nobody, so the rules below count for nobody; write "User-agent: *" for all crawlers`)
		return
	case len(long) == 0:
		l.sayf(unusableUserAgent, value, "%v names nobody: a product token has no characters but letters, _ and -; write that of the crawler, or * for all", quoted(value))
		return
	case len(rest) > 0 && (rest[0] == ',' || rest[0] == ';') && startsToken(trim(rest[1:])):
		l.sayf(userAgentList, rest, "only %v is read; write a user-agent line for each crawler", quoted(long))
	case string(rest) == "*":
		l.sayf(versionInUserAgent, rest, "only %v is read: a * adds nothing to a product token, and crawlers with a longer one are not meant; write their whole token", quoted(long))
	case isVersion(rest) && !strings.EqualFold(string(long), "mozilla"):
		l.sayf(versionInUserAgent, rest, "only %v is read, which seems to be what is meant; write that alone", quoted(long))
	case len(rest) > 0:
		l.reportCut(long, value)
	case len(short) == 0:
		l.sayf(digitsInUserAgent, value, "RFC 9309 allows no %v in a product token: some crawlers ignore the line", quoted(value[:1]))
	case len(short) < len(long):
		l.sayf(digitsInUserAgent, value[len(short):], "RFC 9309 allows no %v in a product token: some crawlers read it as %v", quoted(value[len(short):len(short)+1]), quoted(short))
	}
	if len(long) > 0 {
		l.addName(long)
	}
}

// reportCut reports that only long is read of value.
func (l *linter) reportCut(long, value []byte) {
	advice := "the crawler's token alone"
	if token := ProductToken(string(value)); token != "" && token != string(long) {
		advice = quoted(token).String()
	}
	l.sayf(cutUserAgent, value[len(long):], "only %v is read: a product token ends there; write %s", quoted(long), advice)
}

func startsToken(b []byte) bool { return len(b) > 0 && isStrictTokenByte(b[0]) }

// isVersion reports whether rest is a version, as crawlers send it behind their
// product token.
func isVersion(rest []byte) bool {
	if len(rest) == 0 || rest[0] != '/' {
		return false
	}
	version, comment, _ := bytes.Cut(bytes.TrimPrefix(rest[1:], []byte("v")), []byte(" "))
	return len(version) > 0 && isDigit(version[0]) && !bytes.ContainsAny(version, ",;") && (len(comment) == 0 || comment[0] == '(')
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (l *linter) reportJoined(value []byte) {
	group := &l.groups[len(l.groups)-1]
	if len(group.names) == 0 {
		return
	}
	last := group.names[len(group.names)-1]
	if l.gap == blankLine && !last.isEveryone() && string(value) != "*" {
		l.sayf(blankInAgents, value, `this adds to the list of user agents of line %d; leave the blank line out if that is meant, and else write "Disallow:" in its place if %v may fetch everything, "Disallow: /" if nothing`, last.line, quoted(last.written))
		return
	}
	l.sayf(joinedGroups, value, `this adds to the list of user agents of line %d, as only "Allow" and "Disallow" end it; write "Disallow:" above if %v may fetch everything, "Disallow: /" if nothing`, last.line, quoted(last.written))
}

func (l *linter) addName(token []byte) {
	group := &l.groups[len(l.groups)-1]
	l.names = append(l.names, named{folded(token), token, l.line})
	group.names = l.names[len(l.names)-1-len(group.names):]
}

// closeGroups sets the ends of the groups: each is where the next begins.
func (l *linter) closeGroups() {
	end := len(l.rules)
	for i := len(l.groups) - 1; i >= 0; i-- {
		g := &l.groups[i]
		g.end, end = end, g.first
		g.kept = g.end - g.first + g.empties
	}
}

// leaveOut returns advice to leave a rule out of a group, unless it is the last of
// those that are to stay: without it the group would go on with the next.
func (l *linter) leaveOut(group int, advice string) string {
	g := &l.groups[group]
	if g.kept == 1 {
		return `write "Disallow:" instead`
	}
	g.kept--
	return advice
}

// appendTokens appends the group's tokens, sorted, each of them once.
func (g *namedGroup) appendTokens(dst []string) []string {
	start := len(dst)
	for _, n := range g.names {
		dst = append(dst, n.token)
	}
	slices.Sort(dst[start:])
	return dst[:start+len(slices.Compact(dst[start:]))]
}

// checkNames looks for tokens that are named more than once.
func (l *linter) checkNames() {
	if len(l.groups) == 1 && len(l.groups[0].names) == 1 {
		return
	}
	type place struct {
		group int
		line  uint32
	}
	first := make(map[string]place, len(l.names))
	for i, group := range l.groups {
		for _, n := range group.names {
			switch before, ok := first[n.token]; {
			case !ok:
				first[n.token] = place{i, n.line}
			case before.group == i:
				l.onValuef(repeatedUserAgent, n.line, "the group names %v in line %d already; leave this one out", quoted(n.written), before.line)
			default:
				l.onValuef(repeatedGroup, n.line, "%v has a group in line %d already, and the rules of both count; put them into one, as some crawlers read only one", quoted(n.written), before.line)
			}
		}
	}
}

// isForGoogle reports whether one of the tokens is "*" or Google's.
func (g *namedGroup) isForGoogle() bool {
	return slices.ContainsFunc(g.names, func(n named) bool {
		return n.token == "*" || strings.HasPrefix(n.token, "googlebot")
	})
}
