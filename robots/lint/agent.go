package lint

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
	"github.com/go-polite/polite/robots/internal/syntax"
	"github.com/go-polite/polite/robots/usage"
)

// checkUserAgent looks at a user-agent line.
func (l *linter) checkUserAgent(value []byte) {
	if !l.naming {
		l.groups = append(l.groups, namedGroup{first: len(l.read.Rules), from: l.line})
	} else if l.divider != noDivider {
		l.reportJoined(value)
	}
	l.divider, l.said.delays = noDivider, [syntax.Kinds]bool{}
	long, short := syntax.Tokens(value)
	rest := syntax.Trim(value[len(long):])
	at := placeholder(value, traitsOf(value))
	switch {
	case l.findsJoined(value):
	case at != nil:
		l.sayf(unfilledTemplate, at, "nobody has filled in %v; write the crawler's token, or * for all", quoted(at))
	case len(value) == 0:
		l.say(emptyUserAgent, value, `the line names nobody, so the rules below count for nobody; write "User-agent: *" for all crawlers`)
		return
	case len(bytes.Trim(long, ".")) == 0:
		l.sayf(unusableUserAgent, value, "%v names nobody: a product token has no characters but letters, _ and -; write the crawler's token, or * for all", quoted(value))
		return
	case len(rest) > 0 && (rest[0] == ',' || rest[0] == ';') && startsToken(syntax.Trim(rest[1:])):
		l.sayf(userAgentList, rest, "only %v is read; write a user-agent line for each crawler", quoted(long)).with(l.eachAgent(value[len(long):]))
	case string(rest) == "*" && crawlers.Unread(string(long)) == "":
		l.sayf(versionInUserAgent, rest, "only %v is read: a * adds nothing to a product token, and crawlers with a longer one are not meant; write their whole token", quoted(long))
	case isVersion(rest) && !strings.EqualFold(string(long), "mozilla"):
		l.sayf(versionInUserAgent, rest, "only %v is read, which seems to be what is meant; write that alone", quoted(long)).with(l.over(value[len(long):], ""))
	case len(rest) > 0 && string(rest) != "*":
		l.reportCut(long, value)
	case isKnown(long): // its owner has chosen the name, and the author has no other
	case len(short) == 0:
		l.sayf(digitsInUserAgent, value, "RFC 9309 allows no %v in a product token: some crawlers ignore the line", quoted(value[:1]))
	case len(short) < len(long):
		l.sayf(digitsInUserAgent, value[len(short):], "RFC 9309 allows no %v in a product token: some crawlers read it as %v", quoted(value[len(short):len(short)+1]), quoted(short))
	}
	if len(long) == 0 {
		return
	}
	l.addName(long)
	if at == nil {
		l.checkKnown(l.names[len(l.names)-1], len(rest) == 0 || string(rest) == "*" || isVersion(rest))
	}
}

// reportCut reports that crawlers read only long, the beginning of value.
func (l *linter) reportCut(long, value []byte) {
	if strings.EqualFold(string(value), spider) {
		return
	}
	if names := bytes.FieldsFunc(value, isBetweenNames); len(names) > 1 && !slices.ContainsFunc(names, func(name []byte) bool { return !isKnown(name) }) {
		l.sayf(userAgentList, value[len(long):], "only %v is read; write a user-agent line for each crawler", quoted(long)).
			with(l.eachOf(value[len(long):], rightKeys[syntax.UserAgent], namesApart, "", func(string) bool { return true }))
		return
	}
	advice, edit := "the crawler's token alone, or a user-agent line for each if these are several", (*Edit)(nil)
	if token := robots.ProductToken(string(value)); token != "" && token != string(long) {
		advice, edit = quoted(token).String(), l.over(value, token)
	} else if meant := crawlers.Meant(string(value)); meant != "" {
		advice = meant + " if that is meant"
	}
	l.sayf(cutUserAgent, value[len(long):], "only %v is read: a product token ends there; write %s", quoted(long), advice).with(edit)
}

// spider is the only name with spaces that its maker documents:
// https://www.screamingfrog.co.uk/guides/robots-txt/
const spider = "Screaming Frog SEO Spider"

// namesApart are the characters that authors write between names.
const namesApart = " \t,;|&/+"

func isBetweenNames(r rune) bool { return strings.ContainsRune(namesApart, r) }

// eachAgent returns the edit that writes a line for each of the names in list.
func (l *linter) eachAgent(list []byte) *Edit {
	return l.eachOf(list, rightKeys[syntax.UserAgent], ",;", " \t\v\f", func(name string) bool {
		token, _ := syntax.Tokens(name)
		return token == name
	})
}

func isKnown(token []byte) bool {
	_, known := crawlers.Find(string(token))
	return known
}

func startsToken(b []byte) bool { return len(b) > 0 && syntax.IsStrictTokenByte(b[0]) }

// isVersion reports whether rest is a version, as crawlers send it after their product
// token.
func isVersion(rest []byte) bool {
	if len(rest) == 0 || rest[0] != '/' {
		return false
	}
	version, comment, _ := bytes.Cut(bytes.TrimPrefix(rest[1:], []byte("v")), []byte(" "))
	return len(version) > 0 && syntax.IsDigit(version[0]) && !bytes.ContainsAny(version, ",;") && (len(comment) == 0 || comment[0] == '(')
}

// checkKnown looks for a slip in a product token, and for one that no crawler has. If it is not alone in its
// line, it may be the begin of another name: Microsoft URL Control.
func (l *linter) checkKnown(name named, alone bool) {
	if name.isEveryone() {
		return
	}
	known, ok := crawlers.Find(name.token)
	if !ok && isPolicy(name.token) {
		l.checkPolicy(name)
		return
	}
	if isEngine(known) && !slices.Contains(l.engines, known.Name) {
		l.engines = append(l.engines, known.Name)
	}
	switch {
	case alone && (name.token == "all" || name.token == "any"):
		l.sayf(unreadCrawler, name.written, `no crawler reads the name %v; write "*" for all crawlers`, quoted(name.written))
	case alone && crawlers.Unread(name.token) != "":
		l.sayf(unreadCrawler, name.written, "no crawler of %s reads the name %v; its known crawlers: %s", crawlers.Unread(name.token), quoted(name.written), cmp.Or(listed(crawlers.OfOwner(name.token)), "none"))
	case known.Status == crawlers.Retired && known.Source != "": // else nobody has looked up what the owner says
		though := ""
		if strings.Contains(known.Manners, "obeys its groups") {
			though = ", though " + known.Manners
		}
		now := slices.DeleteFunc(crawlers.OfOwner(known.Owner), func(c crawlers.Crawler) bool {
			return !slices.ContainsFunc(c.Kinds, func(k crawlers.Kind) bool { return slices.Contains(known.Kinds, k) })
		})
		l.sayf(retiredCrawler, name.written, "no crawler has the name %v any more%s; for the same, %s has %s", quoted(name.written), though, known.Owner, listed(now))
	case crawlers.MayDisobey(name.token):
		l.sayf(disobeyingCrawler, name.written, "%v %s, as its owner says (%s): robots.txt alone does not keep it out", quoted(name.written), known.Manners, known.Source)
	case !ok:
		if meant := crawlers.Meant(name.token); meant != "" {
			l.sayf(misspelledCrawler, name.written, "no crawler of the name %v is known; write %s if that is meant", quoted(name.written), meant)
		}
	}
}

// isPolicy reports whether a token in lower case is a policy token, or is meant to be one.
func isPolicy(token string) bool {
	return usage.IsPolicyToken(token) || strings.Contains(token, "usage") && meantPolicy(token) != ""
}

// meantPolicy returns the policy token that is most like a token, or "".
func meantPolicy(token string) string { return nearest(token, usage.PolicyTokens()) }

// checkPolicy looks at a policy token. It names no crawler.
func (l *linter) checkPolicy(name named) {
	if meant := meantPolicy(name.token); meant != name.token {
		l.sayf(misspelledCrawler, name.written, "%v is no policy token that a draft has, and no crawler of that name is known; write %s if that is meant", quoted(name.written), cmp.Or(meant, "one of "+strings.Join(usage.PolicyTokens(), ", ")))
		return
	}
	l.sayf(policyToken, name.written, "%v names no crawler: by draft-kelley-aipref-training-preference-signal-00, the group says for which paths pages may be used so; who fetches them is not told by it", quoted(name.written))
}

// firstCrawler returns the first name of a group that is no policy token. ok is false if there is none.
func (g *namedGroup) firstCrawler() (n named, ok bool) {
	i := slices.IndexFunc(g.names, func(n named) bool { return !isPolicy(n.token) })
	if i < 0 {
		return named{}, false
	}
	return g.names[i], true
}

// isEngine reports whether c is a search engine, and no part of Google's.
func isEngine(c crawlers.Crawler) bool {
	return len(c.Kinds) == 1 && c.Kinds[0] == crawlers.Search && c.Status == "" && crawlers.GoesBy(c.Name) != "Googlebot"
}

// listed names crawlers and their kinds, unless they are too many. Those for AI come first: who names a
// product of AI hardly wants to leave the search of its owner.
func listed(all []crawlers.Crawler) string {
	const most = 8
	kinds := crawlers.Kinds()
	slices.SortStableFunc(all, func(a, b crawlers.Crawler) int {
		return cmp.Compare(slices.Index(kinds, a.Kinds[0]), slices.Index(kinds, b.Kinds[0]))
	})
	var names []string
	for _, c := range all[:min(len(all), most)] {
		kind := string(c.Kinds[0])
		if c.Status != "" {
			kind += ", " + string(c.Status)
		}
		names = append(names, fmt.Sprintf("%s (%s)", c.Name, kind))
	}
	if len(all) > most {
		return strings.Join(names, ", ") + " and others"
	}
	return strings.Join(names, ", ")
}

func (l *linter) reportJoined(value []byte) {
	group := &l.groups[len(l.groups)-1]
	if len(group.names) == 0 {
		return
	}
	last := group.names[len(group.names)-1]
	if l.divider == blankLine && !last.isEveryone() && string(value) != "*" {
		l.sayf(blankInAgents, value, `this adds to the list of user agents of line %d; leave the blank line out if that is meant, and else write "Disallow:" in its place if %v may fetch everything, "Disallow: /" if nothing`, last.line, quoted(last.written))
		return
	}
	l.sayf(joinedGroups, value, `this adds to the list of user agents of line %d, as only "Allow" and "Disallow" end it; write "Disallow:" above if %v may fetch everything, "Disallow: /" if nothing`, last.line, quoted(last.written))
}

// checkNames looks for tokens that are named more than once.
func (l *linter) checkNames() {
	if len(l.groups) == 1 && len(l.groups[0].names) == 1 {
		return
	}
	type mention struct {
		group int
		line  uint32
	}
	first := make(map[string]mention, len(l.names))
	for i, group := range l.groups {
		for _, n := range group.names {
			switch before, ok := first[n.token]; {
			case !ok:
				first[n.token] = mention{i, n.line}
			case before.group == i:
				l.onValuef(repeatedUserAgent, n.line, "the group names %v in line %d already; leave this one out", quoted(n.written), before.line).with(l.instead(n.line, ""))
			default:
				l.onValuef(repeatedGroup, n.line, "%v has a group in line %d already, and the rules of both count; put them into one, as some crawlers read only one", quoted(n.written), before.line)
			}
		}
	}
}
