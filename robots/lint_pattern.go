package robots

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// An emptyRule is a rule without a pattern.
type emptyRule struct {
	group  int
	line   uint32
	column int
	allow  bool
}

// manyRulesInAll is the number of rules that all crawlers are thought to read.
const manyRulesInAll = 5000

// checkRule looks at a rule by itself. The key tells where it stands.
func (l *linter) checkRule(allow bool, key, value []byte) {
	l.gap = noGap
	switch {
	case l.group == noGroup:
		l.say(ruleOutsideGroup, key, `the rule precedes the first user-agent line, so it is ignored; write "User-agent: *" above it`)
		return
	case len(value) == 0:
		l.groups[len(l.groups)-1].empties++
		l.empties = append(l.empties, emptyRule{len(l.groups) - 1, l.line, l.column(key), allow})
		return
	}
	l.said.rules++
	if l.said.rules == manyRulesInAll+1 {
		l.sayf(tooManyRules, key, "the file has more than %d rules, more than some crawlers read; shorter patterns match more", manyRulesInAll)
	}
	l.checkComment(value)
	if value[0] != '/' && value[0] != '*' {
		l.reportBadStart(value)
		return
	}
	l.checkOctets(value)
	l.checkMeaning(allow, value)
}

// checkComment looks for a "#" that touches the value before it.
func (l *linter) checkComment(value []byte) {
	rest := l.current[l.offset(value)+len(value):]
	if len(rest) > 1 && rest[0] == '#' && !isSpace(rest[1]) {
		l.sayf(attachedComment, rest, "# begins a comment, so the pattern is %v alone; write a space before the # if that is meant, and else leave the rest out: crawlers do not send it", quoted(value))
	}
}

func (l *linter) reportBadStart(value []byte) {
	const quotationMarks = "\"'“”„‘’«»"
	first, _ := utf8.DecodeRune(value)
	plain := withoutExpression(value)
	switch {
	case isInvisible(first) || l.findsJoined(value):
	case strings.ContainsRune(quotationMarks, first):
		l.say(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/"; leave the quotation marks out`)
	case string(value) == "$":
		l.say(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/"; write "/$" for the home page alone`)
	case isWebURL(value) || beginsWithHost(value):
		l.reportURL(value)
	case value[0] == '\\':
		l.sayf(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/"; write %v`, quoted(bytes.ReplaceAll(value, []byte(`\`), []byte("/"))))
	case (plain[0] == '/' || plain[0] == '*') && expressionAt(plain) < 0:
		l.sayf(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/", and a pattern is no regular expression; write %v`, quoted(plain))
	case expressionAt(value) >= 0:
		l.say(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/", and a pattern is no regular expression; write the beginning of the paths, and * for any text`)
	default:
		l.sayf(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/"; write %v, or %v for any folder`, quoted("/"+string(value)), quoted(anywhere(value)))
	}
}

// reportURL reports a pattern that is a URL, or one without its scheme.
func (l *linter) reportURL(value []byte) {
	rest := value
	if isWebURL(value) {
		_, rest, _ = bytes.Cut(value, []byte("//"))
	}
	path := rest[len(rest):]
	if slash := bytes.IndexByte(rest, '/'); slash >= 0 {
		path = rest[slash:]
	}
	if isEverything(view(path)) {
		l.say(urlAsPattern, value, "the rule matches nothing, as a pattern is a path; what is meant for another host has to stand in that one's robots.txt")
		return
	}
	advice := "what follows the host"
	if len(path) <= longestQuote {
		advice = quoted(path).String()
	}
	l.sayf(urlAsPattern, value, "the rule matches nothing, as a pattern is a path; write %s if the host is this one", advice)
}

// withoutExpression returns a pattern without what regular expressions begin with.
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

// beginsWithHost reports whether a pattern is a URL without its scheme, as far as
// can be told from the name of a file.
func beginsWithHost(value []byte) bool {
	host, _, _ := bytes.Cut(value, []byte("/"))
	switch dot := bytes.LastIndexByte(host, '.'); string(host[dot+1:]) {
	case "com", "org", "net", "edu", "gov":
		return dot > 0
	}
	return len(host) >= 4 && strings.EqualFold(string(host[:4]), "www.")
}

// anywhere returns the pattern of what is so named in any folder: whole, if it
// begins as a name does.
func anywhere(value []byte) string {
	if c := value[0]; !isTokenByte(c) || c == '.' || bytes.IndexByte(value, '=') >= 0 {
		return "*" + string(value)
	}
	return "*/" + string(value)
}

// A trait is what an octet may give a pattern that is worth a look.
type trait uint8

const (
	hasStar trait = 1 << iota
	hasDollar
	hasPercent
	hasSpace
	hasHigh
	hasBracket
	hasRaw
)

var traits = func() (table [256]trait) {
	for c := range table {
		switch {
		case c >= 0x80:
			table[c] = hasHigh
		case !isOrdinary[c]:
			table[c] = hasRaw
		}
	}
	table['*'], table['$'], table['%'] = hasStar, hasDollar, hasPercent
	table[' '], table['\t'] = hasSpace, hasSpace
	for _, c := range `\^|()[]+` {
		table[c] |= hasBracket
	}
	return table
}()

// checkOctets looks at what a pattern is made of.
func (l *linter) checkOctets(value []byte) {
	var all trait
	for _, c := range value {
		all |= traits[c]
	}
	if all&hasSpace != 0 {
		l.checkSpace(value)
	}
	if all&hasHigh != 0 {
		l.checkNonASCII(value)
	}
	if all&hasRaw != 0 {
		l.checkRaw(value)
	}
	if all&hasPercent != 0 {
		l.checkPercent(value)
	}
	if all&hasDollar != 0 {
		l.checkDollar(value)
	}
	if all&hasStar != 0 {
		l.checkStars(value)
	}
	if all&hasBracket != 0 {
		l.checkExpression(value)
	}
}

func (l *linter) checkSpace(value []byte) {
	at := bytes.IndexAny(value, " \t")
	rest := trim(value[at:])
	if l.findsJoined(rest) {
		return
	}
	if rest[0] == '/' || rest[0] == '*' {
		l.sayf(twoPatterns, rest, "a rule has one pattern, so this one matches only paths with a space in them; write a rule for %v", quoted(rest))
		return
	}
	l.say(spaceInPattern, value[at:], "the space is a part of the pattern, and so is what follows; write %20 if that is meant, and # before a comment")
}

func (l *linter) checkNonASCII(value []byte) {
	at := slices.IndexFunc(value, func(c byte) bool { return c >= 0x80 })
	last, _ := utf8.DecodeLastRune(value)
	if invalidUTF8(value) < 0 && !isInvisible(last) {
		l.sayf(rawNonASCII, value[at:], "RFC 9309 asks for characters beyond ASCII to be percent-encoded; write %v", quoted(encoded(value)))
	}
}

// checkRaw looks for ASCII characters that have no place in a URL.
func (l *linter) checkRaw(value []byte) {
	at := slices.IndexFunc(value, func(c byte) bool { return traits[c]&hasRaw != 0 })
	if value[at] != 0 && expressionAt(value) < 0 && invalidUTF8(value) < 0 {
		l.doubt(rawOctet, value[at:], fmt.Sprintf("most URLs have %v percent-encoded, and Google's parser matches only those that do not; write %v", quoted(value[at:at+1]), quoted(encoded(value))))
	}
}

// encoded returns a pattern with all octets percent-encoded that have no place in a
// URL, but for white space, which may be a mistake.
func encoded(value []byte) []byte {
	var b []byte
	for _, c := range value {
		if traits[c]&(hasHigh|hasRaw) != 0 {
			b = appendTriplet(b, c)
		} else {
			b = append(b, c)
		}
	}
	return b
}

// checkPercent looks at the percent-encoded octets of a pattern, and reports the
// first of each kind that is not as it should be.
func (l *linter) checkPercent(value []byte) {
	var seen [checkCount]bool
	query := false
	for i := 0; i < len(value); i++ {
		query = query || value[i] == '?'
		if value[i] != '%' {
			continue
		}
		if c, found := percentCheck(value, i, query); found && !seen[c] {
			seen[c] = true
			l.reportPercent(c, value, i)
		}
		if isTriplet(value, i) {
			i += 2
		}
	}
}

// percentCheck returns what there is to say about the "%" at value[i].
func percentCheck(value []byte, i int, query bool) (c check, found bool) {
	if !isTriplet(value, i) {
		return malformedPercent, true
	}
	octet := unhex(value[i+1])<<4 | unhex(value[i+2])
	switch {
	case octet == '*' || octet == '$':
		return encodedWildcard, true
	case isPlain(octet, query) && !completesTriplet(value[:i], octet):
		return encodedPlain, true
	}
	return lowerCaseHex, 'a' <= value[i+1] || 'a' <= value[i+2]
}

func (l *linter) reportPercent(c check, value []byte, i int) {
	part := value[i:]
	if c == malformedPercent {
		l.say(c, part, "the % stands for itself, as no two hexadecimal digits follow; write %25 if that is meant")
		return
	}
	triplet := quoted(part[:3])
	octet := quoted([]byte{unhex(part[1])<<4 | unhex(part[2])})
	switch c {
	case encodedWildcard:
		l.sayf(c, part, "%v matches %v itself by RFC 9309, but Google's parser matches URLs only that have it encoded", triplet, octet)
	case encodedPlain:
		l.doubt(c, part, fmt.Sprintf("%v is the same as %v by RFC 9309, but not for Google's parser; write a rule for each if URLs have both", triplet, octet))
	case lowerCaseHex:
		l.sayf(c, part, "some crawlers take %v for another octet than %v; write upper case", triplet, quoted(bytes.ToUpper(part[:3])))
	}
}

// checkDollar looks for a "$" where an anchor seems to be meant, but is not: many
// paths have one in their middle.
func (l *linter) checkDollar(value []byte) {
	at := bytes.IndexByte(value, '$')
	if rest := value[at+1:]; len(rest) > 0 && strings.IndexByte("*$?|", rest[0]) >= 0 {
		l.say(dollarInside, value[at:], "$ is the end of a URL only at the end of a pattern, and here a character like others; write %24 if that is meant")
	}
}

func (l *linter) checkStars(value []byte) {
	if at := bytes.Index(value, []byte("**")); at >= 0 {
		l.doubt(repeatedStar, value[at:], "several * match the same as one; write one")
		return
	}
	rest := bytes.TrimSuffix(bytes.TrimSuffix(value, []byte("$")), []byte("*"))
	end := value[len(rest):]
	switch {
	case len(rest) == 0 || !bytes.HasPrefix(end, []byte("*")) || becomesOther(rest[len(rest)-1]):
	case bytes.HasSuffix(rest, []byte("/.")):
		l.doubt(trailingStar, end, fmt.Sprintf("this matches names that begin with a dot, and the * nothing more; write %v if all are meant, and else leave the * out", quoted(rest[:len(rest)-1])))
	case string(end) == "*":
		l.doubt(trailingStar, end, "a * at the end matches nothing more, as a pattern need not match a URL to its end; leave it out")
	case string(end) == "*$":
		l.doubt(trailingStar, end, "*$ at the end matches nothing more, as a pattern need not match a URL to its end; leave both out")
	}
}

// becomesOther reports whether c is something else at the end of a value: an anchor,
// or nothing.
func becomesOther(c byte) bool { return c == '$' || isSpace(c) }

// checkExpression looks for what has a meaning in regular expressions only.
func (l *linter) checkExpression(value []byte) {
	if at := expressionAt(value); at >= 0 {
		l.say(regularExpression, value[at:], "this matches itself: a pattern is no regular expression, and has no special characters but * and a final $")
	}
}

// expressionAt returns the place of the first thing in a pattern that is hardly
// meant to stand for itself, or -1.
func expressionAt(value []byte) int {
	for i, c := range value {
		rest := value[i:]
		switch {
		case c == '\\', c == '^' && i <= 1, bytes.HasPrefix(rest, []byte(".+")):
			return i
		case c == '(' && isAlternation(rest), c == '[' && isClass(rest):
			return i
		}
	}
	return -1
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

func isStrictOrDigit(c byte) bool { return c != '.' && isTokenByte(c) }

// checkMeaning looks for paths that are not as others.
func (l *linter) checkMeaning(allow bool, value []byte) {
	path := value
	if last := len(value) - 1; value[last] == '$' {
		path = value[:last]
	}
	switch {
	case allow:
		l.checkIndexPage(path)
	case isAssets(path) && l.groups[len(l.groups)-1].isForGoogle():
		l.doubt(assetsDisallowed, value, "search engines need style sheets and scripts to see pages as people do; allow them")
	}
}

func (l *linter) checkIndexPage(path []byte) {
	folder := path[:bytes.LastIndexByte(path, '/')+1]
	if bytes.HasPrefix(path[len(folder):], []byte("index.htm")) {
		l.doubt(indexPage, path, fmt.Sprintf("Google's parser takes this for a rule for %v as well; others need that besides", quoted(string(folder)+"$")))
	}
}

// isAssets reports whether a pattern is for a folder of style sheets or scripts,
// or for all of them.
func isAssets(path []byte) bool {
	for len(path) > 0 && path[len(path)-1] == '*' {
		path = path[:len(path)-1]
	}
	folder := path
	if last := len(path) - 1; last >= 0 && path[last] == '/' {
		folder = path[:last]
	}
	if len(folder) == 0 {
		return false
	}
	if last := lower(folder[len(folder)-1]); last != 's' && last != 't' {
		return false // as most are
	}
	name := path[bytes.LastIndexByte(folder, '/')+1:]
	var folded [len("javascripts/")]byte
	if name = bytes.TrimLeft(name, "*"); len(name) > len(folded) {
		return false
	}
	for i, c := range name {
		folded[i] = lower(c)
	}
	switch string(folded[:len(name)]) {
	case "css/", "js/", "css", "js", ".css", ".js", "javascript/", "javascripts/", "stylesheets/":
		return true
	}
	return false
}

// checkEmptyRules looks for rules without a pattern among others.
func (l *linter) checkEmptyRules() {
	for _, e := range l.empties {
		group := l.groups[e.group]
		switch alone := group.first == group.end; {
		case e.allow && alone:
			l.report(emptyRuleWithoutEffect, int(e.line), e.column, `an empty "Allow" allows nothing and forbids nothing; write "Disallow:" to allow everything, or "Disallow: /" to forbid it`)
		case !alone:
			l.report(emptyRuleWithoutEffect, int(e.line), e.column, "an empty rule has no effect, and does not undo the others of its group; "+l.leaveOut(e.group, "leave it out"))
		}
	}
}
