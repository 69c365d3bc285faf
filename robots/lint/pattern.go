package lint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// checkRule looks at a rule by itself.
func (l *linter) checkRule(allow bool, key, value []byte) {
	switch {
	case len(l.groups) == 0:
		l.said.outside = true
		l.say(ruleOutsideGroup, key, `the rule precedes the first user-agent line, so it is ignored; write "User-agent: *" above it`).with(l.over(l.current[:0], "User-agent: *"+l.newLine()))
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
	has := traitsOf(value)
	if at := placeholder(value, has); at != nil {
		l.sayf(unfilledTemplate, at, "nobody has filled in %v, so this matches only URLs that have it; write the paths that are meant", quoted(at))
		return
	}
	l.checkComment(value)
	if value[0] != '/' && value[0] != '*' {
		l.reportBadStart(value)
		return
	}
	for _, look := range looks {
		if has&look.at != 0 {
			look.by(l, value)
		}
	}
	l.checkMeaning(allow, value)
}

// looks are what is looked at in patterns that have some octets, in this order.
var looks = [...]struct {
	at trait
	by func(*linter, []byte)
}{
	{hasSpace | hasComma, (*linter).checkList}, {hasHigh, (*linter).checkNonASCII}, {hasRaw, (*linter).checkRaw}, {hasPercent, (*linter).checkPercent}, {hasPercent, (*linter).checkDelimiters},
	{hasDollar, (*linter).checkDollar}, {hasStar, (*linter).checkStars}, {hasBracket | hasBrace, (*linter).checkExpression}, {hasBracket | hasPercent, (*linter).checkBrackets},
	{hasDot, (*linter).checkFolders},
}

// A trait of an octet is a reason to look at the patterns that have the octet.
type trait uint16

const (
	hasStar trait = 1 << iota
	hasDollar
	hasPercent
	hasSpace
	hasHigh
	hasBracket
	hasRaw
	hasBrace
	hasUnderscore
	hasDot
	hasComma
)

var traits = func() (table [256]trait) {
	for c := range table {
		switch {
		case c >= 0x80:
			table[c] = hasHigh
		case !syntax.IsOrdinary(byte(c)):
			table[c] = hasRaw
		}
	}
	table['*'], table['$'], table['%'] = hasStar, hasDollar, hasPercent
	table[' '], table['\t'] = hasSpace, hasSpace
	for _, c := range `\^|()[]+` {
		table[c] |= hasBracket
	}
	table['{'] |= hasBrace
	table['<'] |= hasBrace
	table['_'] |= hasUnderscore
	table['.'] |= hasDot
	table[','] |= hasComma
	table[';'] |= hasComma
	return table
}()

// traitsOf returns the traits of all octets of a value.
func traitsOf(value []byte) (all trait) {
	for _, c := range value {
		all |= traits[c]
	}
	return all
}

// encoded returns a pattern with each octet percent-encoded that no URL has as it is. It
// leaves white space as it is, as this may be a mistake.
func encoded(value []byte) []byte {
	var b []byte
	for _, c := range value {
		if traits[c]&(hasHigh|hasRaw) != 0 {
			b = syntax.AppendTriplet(b, c)
		} else {
			b = append(b, c)
		}
	}
	return b
}

func (l *linter) reportBadStart(value []byte) {
	first, _ := utf8.DecodeRune(value)
	plain, slashed := withoutExpression(value), slashes.Replace(string(value))
	switch {
	case isInvisible(first) || l.findsJoined(value):
	case first == '<' && isWebURL(value[1:]):
		l.reportURL(bytes.TrimRight(value[1:], ">"))
	case strings.ContainsRune(quotationMarks, first):
		l.say(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/"; leave the quotation marks out`).with(l.unquote(value, strings.Trim(string(value), quotationMarks)))
	case isRuleKey(value):
		l.sayf(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/", and %v is a key; leave the line out, or write the path that is meant`, quoted(value))
	case slices.Contains(nothings, strings.ToLower(string(value))):
		l.sayf(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/": %v is what a program writes for nothing; leave the line out, or write the path that is meant`, quoted(value))
	case bytes.HasPrefix(value, []byte("./")):
		l.sayf(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/"; write %v`, quoted(value[1:])).with(l.over(value[:1], ""))
	case string(value) == "$":
		l.say(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/"; write "/$" for the home page alone`).with(l.over(value[:0], "/"))
	case isWebURL(value) || beginsWithHost(value):
		l.reportURL(value)
	case strings.HasPrefix(slashed, "/"):
		l.sayf(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/"; write %v`, quoted(slashed)).with(l.over(value, slashed))
	case (plain[0] == '/' || plain[0] == '*') && expressionAt(plain) < 0:
		l.sayf(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/", and a pattern is no regular expression; write %v`, quoted(plain)).with(l.over(value[:len(value)-len(plain)], ""))
	case expressionAt(value) >= 0:
		l.say(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/", and a pattern is no regular expression; write the beginning of the paths, and * for any text`)
	default:
		l.sayf(patternWithoutSlash, value, `the rule matches nothing, as paths begin with "/"; write %v, or %v for any folder`, quoted("/"+string(value)), quoted(anywhere(value)))
	}
}

// slashes writes a slash in place of what authors write for it.
var slashes = strings.NewReplacer(`\`, "/", "%2F", "/", "%2f", "/", "／", "/")

func isRuleKey(word []byte) bool {
	kind := syntax.Classify(word)
	return kind == syntax.Allow || kind == syntax.Disallow
}

// nothings are what programs write in place of a path that they do not have, in lower case.
var nothings = []string{"none", "null", "nil", "undefined", "nan"}

const quotationMarks = "\"'“”„‘’«»"

// unquote returns the edit that writes plain in place of value, if it is a pattern.
func (l *linter) unquote(value []byte, plain string) *Edit {
	if plain == "" || plain[0] != '/' && plain[0] != '*' {
		return nil
	}
	return l.over(value, plain)
}

// reportURL reports a pattern that is a URL, with or without its scheme.
func (l *linter) reportURL(value []byte) {
	rest := value
	if isWebURL(value) {
		_, rest, _ = bytes.Cut(value, []byte("//"))
	}
	path := rest[len(rest):]
	if slash := bytes.IndexByte(rest, '/'); slash >= 0 {
		path = rest[slash:]
	}
	if isEverything(match.View(path)) {
		l.say(urlAsPattern, value, "the rule matches nothing, as a pattern is a path; a rule for another host has to stand in the robots.txt of that host")
		return
	}
	advice := "what follows the host"
	if len(path) <= longestQuote {
		advice = quoted(path).String()
	}
	l.sayf(urlAsPattern, value, "the rule matches nothing, as a pattern is a path; write %s if the host is this one", advice)
}

// anywhere returns a pattern that matches value in any folder: only as a whole name, if
// it begins as a name does.
func anywhere(value []byte) string {
	if !beginsName(value) {
		return "*" + string(value)
	}
	return "*/" + string(value)
}

// beginsName reports whether value looks like the beginning of a path, without its slash.
func beginsName(value []byte) bool {
	return isStrictOrDigit(value[0]) && bytes.IndexByte(value, '=') < 0
}

// checkList looks for several patterns with spaces or commas between them, and for other spaces.
func (l *linter) checkList(value []byte) {
	if bytes.ContainsAny(value, " \t") {
		l.checkSpace(value)
	} else {
		l.findsList(value)
	}
}

// findsList looks for a second pattern after the first, and reports whether there is one.
func (l *linter) findsList(value []byte) bool {
	at, size := secondPattern(value)
	if at < 0 {
		return false
	}
	between, rest := value[at:at+size], value[at+size:]
	l.sayf(twoPatterns, rest, "a rule has one pattern, so this one matches only paths with %v in them; write a rule for %v", quoted(between), quoted(rest)).with(l.eachPattern(value[at:]))
	return true
}

// secondPattern returns the index in a value at which the first of several patterns ends, and the size of what stands
// before the next; at is -1 if there is one pattern. Behind a comma alone, a "*" is hardly another pattern.
func secondPattern(value []byte) (at, size int) {
	for {
		next := bytes.IndexAny(value[at:], " \t,;")
		if next < 0 {
			return -1, 0
		}
		at += next
		rest := bytes.TrimLeft(value[at:], " \t\v\f,;")
		size = len(value) - at - len(rest)
		spaced := bytes.ContainsAny(value[at:at+size], " \t")
		switch {
		case len(rest) > 0 && (rest[0] == '/' || spaced && rest[0] == '*'):
			return at, size
		case len(rest) == 0 || spaced:
			return -1, 0
		}
		at += size
	}
}

func (l *linter) checkSpace(value []byte) {
	at := bytes.IndexAny(value, " \t")
	rest := syntax.Trim(value[at:])
	if l.findsJoined(rest) {
		return
	}
	if bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/* ")) || bytes.HasPrefix(rest, []byte("<!--")) {
		l.sayf(twoPatterns, rest, "%v is no comment to crawlers, so the rule matches only paths with a space in them; write # before a comment", quoted(rest)).with(l.over(rest[:0], "# "))
		return
	}
	if l.findsList(value) {
		return
	}
	l.say(spaceInPattern, value[at:], "the space is a part of the pattern, and so is what follows; write %20 if that is meant, and # before a comment")
}

// eachPattern returns the edit that writes a rule for each of the patterns in list.
func (l *linter) eachPattern(list []byte) *Edit {
	key, _, _ := syntax.Split(l.current)
	return l.eachOf(list, string(key), " \t\v\f,;", "", func(pattern string) bool { return pattern[0] == '/' || pattern[0] == '*' })
}

// checkComment looks for a "#" that touches the value before it.
func (l *linter) checkComment(value []byte) {
	rest := l.current[l.offset(value)+len(value):]
	if len(rest) > 1 && rest[0] == '#' && !syntax.IsSpace(rest[1]) {
		l.sayf(attachedComment, rest, "# begins a comment, so the pattern is %v alone; write a space before the # if that is meant, and else leave the rest out: crawlers do not send it", quoted(value))
	}
}

// checkDollar looks for a "$" that seems to be meant as an anchor, but is none: what follows it does not go on with
// a name. Many paths have a "$" in a name or before a price.
func (l *linter) checkDollar(value []byte) {
	for rest := value; ; {
		at := bytes.IndexByte(rest, '$')
		if at < 0 || at == len(rest)-1 {
			return
		}
		if strings.IndexByte("*$?|/&", rest[at+1]) >= 0 {
			l.say(dollarInside, rest[at:], "$ is the end of a URL only at the end of a pattern, and here a character like others; write %24 if that is meant")
			return
		}
		rest = rest[at+1:]
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
		case c == '(' && isAlternation(rest), c == '[' && isClass(rest), c == '{' && isBraced(rest):
			return i
		case i > 0 && (bytes.HasPrefix(rest, []byte("|/")) || bytes.HasPrefix(rest, []byte("|*."))):
			return i
		}
	}
	return choiceAt(value)
}

// choiceAt returns the index of the first "|" of a pattern if a folder there is a choice between words, as in
// "/1999|2000/", or -1.
func choiceAt(value []byte) int {
	at := bytes.IndexByte(value, '|')
	if at < 0 {
		return -1
	}
	first := value[bytes.LastIndexByte(value[:at], '/')+1 : at]
	others, _, _ := bytes.Cut(bytes.TrimSuffix(value[at+1:], []byte("$")), []byte("/"))
	for word := range bytes.SplitSeq(others, []byte("|")) {
		if len(word) == 0 || !hasOnly(word, isStrictOrDigit) {
			return -1
		}
	}
	if len(first) == 0 || !hasOnly(first, isStrictOrDigit) {
		return -1
	}
	return at
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

// isBraced reports whether s begins as "{jpg,png}" does.
func isBraced(s []byte) bool {
	words, _, closed := bytes.Cut(s[1:], []byte("}"))
	for word := range bytes.SplitSeq(words, []byte(",")) {
		closed = closed && len(word) > 0 && !syntax.IsDigit(word[0]) && hasOnly(word, isStrictOrDigit)
	}
	return closed && bytes.IndexByte(words, ',') > 0
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

// checkMeaning looks at what the paths of a pattern are for.
func (l *linter) checkMeaning(allow bool, value []byte) {
	path := value
	if last := len(value) - 1; value[last] == '$' {
		path = value[:last]
	}
	switch {
	case allow:
		l.checkIndexPage(path)
	case string(value) == "/$":
		l.say(homePage, value, `this disallows the home page alone; write "/" if everything is meant`)
	case isAssets(path) && l.groups[len(l.groups)-1].isForGoogle():
		l.doubt(assetsDisallowed, value, "search engines need style sheets and scripts to see pages as people do; allow them", areAssetsSettled, nil)
	}
}

// checkFolders looks for a host in place of the first folder, and for folders that clients take out.
func (l *linter) checkFolders(value []byte) {
	host := bytes.TrimPrefix(value[1:], []byte("/")) // "//" precedes it in a URL without a scheme
	if end := bytes.IndexByte(host, '/'); end > 0 && beginsWithHost(host[:end]) {
		l.sayf(hostInPattern, value, "the first folder looks like a host, and a pattern is a path; write %v if this host is meant", quoted(host[end:]))
	}
	if bytes.Contains(value, []byte("/.")) {
		l.checkDots(value)
	}
}

// checkDots looks for what clients take out of a URL before they ask for it (RFC 3986 §5.2.4).
func (l *linter) checkDots(value []byte) {
	path, _, _ := bytes.Cut(value, []byte("?"))
	at := bytes.Index(path, []byte("/../"))
	if at < 0 && bytes.HasSuffix(bytes.TrimRight(path, "*$"), []byte("/..")) {
		at = bytes.LastIndex(path, []byte("/.."))
	}
	if here := bytes.Index(path, []byte("/./")); at < 0 || 0 <= here && here < at {
		at = here
	}
	if at >= 0 {
		l.say(dotSegment, value[at:], `clients take "." and ".." out of a URL before they ask for it, so the rule matches hardly anything; write the path that remains`)
	}
}

func (l *linter) checkIndexPage(path []byte) {
	folder := path[:bytes.LastIndexByte(path, '/')+1]
	if bytes.HasPrefix(path[len(folder):], []byte("index.htm")) {
		l.doubt(indexPage, path, fmt.Sprintf("Google's parser takes this for a rule for %v as well; other crawlers need one more rule for that", quoted(string(folder)+"$")), isFolderAllowed, l.over(l.current[len(l.current):], l.newLine()+"Allow: "+string(folder)+"$"))
	}
}

// isFolderAllowed reports whether the group of r allows the folder of its index page.
func isFolderAllowed(l *linter, s *match.Set, r match.Rule, _ []match.Rule) bool {
	pattern := s.Pattern(r)
	folder := pattern[:strings.LastIndexByte(pattern, '/')+1] + "$"
	return l.inGroup(r, func(o match.Rule) bool { return o.Allow() && s.Pattern(o) == folder })
}

// areAssetsSettled reports whether the group of r disallows everything, or allows style sheets or scripts
// in what r disallows.
func areAssetsSettled(l *linter, s *match.Set, r match.Rule, _ []match.Rule) bool {
	return l.inGroup(r, func(o match.Rule) bool {
		pattern := s.Pattern(o)
		return isForAll(s, o) || o.Allow() && o > r && mayMeet(s, o, r) && (strings.Contains(pattern, "js") || strings.Contains(pattern, "css"))
	})
}

// isAssets reports whether a pattern is for a folder of style sheets or scripts, or for
// all style sheets or scripts, also with any query.
func isAssets(path []byte) bool {
	path = bytes.TrimRight(path, "*")
	if query := bytes.TrimRight(path, "?"); bytes.HasSuffix(query, []byte("s")) {
		path = query
	}
	folder := path
	if last := len(path) - 1; last >= 0 && path[last] == '/' {
		folder = path[:last]
	}
	if len(folder) == 0 {
		return false
	}
	if last := syntax.Lower(folder[len(folder)-1]); last != 's' && last != 't' {
		return false // as for most patterns
	}
	name := path[bytes.LastIndexByte(folder, '/')+1:]
	if parent := path[:len(path)-len(name)]; bytes.HasSuffix(parent, []byte("/wp-content/")) {
		name = path[len(parent)-len("wp-content/"):]
	}
	var folded [len("wp-content/plugins/")]byte
	if name = bytes.TrimLeft(name, "*"); len(name) > len(folded) {
		return false
	}
	for i, c := range name {
		folded[i] = syntax.Lower(c)
	}
	switch string(folded[:len(name)]) {
	case "css/", "js/", "css", "js", ".css", ".js", "javascript/", "javascripts/", "stylesheets/", "assets/", "_next/", "wp-includes/", "wp-includes",
		"wp-content/", "wp-content", "wp-content/themes/", "wp-content/themes", "wp-content/plugins/", "wp-content/plugins":
		return true
	}
	return false
}
