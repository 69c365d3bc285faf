package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A Severity says how bad a [Finding] is. A greater value is worse.
type Severity int

const (
	Note    Severity = iota // it is worth knowing
	Warning                 // the line does something else than many expect
	Error                   // the line does nothing, or not what it says
)

// String returns "note", "warning" or "error".
func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	case Error:
		return "error"
	}
	return "severity " + strconv.Itoa(int(s))
}

// A Finding is something in a robots.txt that its author may want to change.
type Finding struct {
	ID       string   // of the [Check] that found it
	Severity Severity // of that check
	Line     int      // from 1
	Column   int      // from 1, in octets
	Message  string   // what happens and what to write instead, safe to print on a terminal
	More     int      // how many more findings of the check are left out, in its last finding; else 0
	Edit     *Edit    // what the message says to write; nil if it takes several edits, or if the author has to choose
}

// String returns the finding as a compiler would print it, without the name of
// the file: "3:1: error: … [missing-colon]".
func (f Finding) String() string {
	return fmt.Sprintf("%d:%d: %s: %s [%s]", f.Line, f.Column, f.Severity, f.Text(), f.ID)
}

// Text returns the message and, if there are more findings of the check, how many are left
// out.
func (f Finding) Text() string {
	if f.More == 0 {
		return f.Message
	}
	return fmt.Sprintf("%s (and %d more like this)", f.Message, f.More)
}

// Apply returns body with the finding's edit made. body is the file in which the finding was found;
// Apply does not change it. It returns body itself if Edit is nil, or does not fit into the line.
func (f Finding) Apply(body []byte) []byte { return f.Edit.in(body, f.Line) }

// A Check is one kind of [Finding].
type Check struct {
	ID       string // a name in lower case, such as "missing-colon", that never changes
	Severity Severity
	Summary  string // what it finds, in a few words
}

// A check is a [Check] with an example, a file in which it finds something: see expand. The code that
// finds it has the message: what happens, and what to write instead. If one edit does that, the code
// has the edit, too. changes says that such an edit may change verdicts, delays or preferences.
type check struct {
	Check
	changes bool
	example string
}

const changes, keeps = true, false // of verdicts, delays and preferences, by an edit

// The checks, grouped by what they look at. To add one, write a line here, put it into all, and call the
// code that finds it from where lines, rules or groups are looked at: lint.go, pattern.go.
var (
	compressedFound    = &check{Check{"compressed", Error, "the file is compressed, and so has no rules"}, changes, "\x1F\x8B\b\x00"}
	utf16Found         = &check{Check{"utf-16", Error, "the file is UTF-16, and so has no rules"}, changes, "\xFF\xFEu\x00s\x00"}
	htmlFound          = &check{Check{"html", Error, "the file is a web page, and so has no rules"}, changes, "<!DOCTYPE html>\n<title>x: y</title>"}
	otherFormat        = &check{Check{"no-robots-txt", Error, "the file is of another kind, and so has no rules"}, changes, "{\"error\": 404}"}
	emptyFile          = &check{Check{"empty-file", Note, "the file has no lines but blank ones and comments"}, changes, ""}
	noGroupAtAll       = &check{Check{"no-group", Warning, "the file has lines but no user-agent line, and so no rules"}, changes, "hello"}
	tooLarge           = &check{Check{"too-large", Error, "the file is larger than 500 KiB, and what follows is ignored"}, changes, "user-agent: *\n(#\n)×256000"}
	tooManyRules       = &check{Check{"many-rules", Note, "the file has more than 5,000 rules"}, changes, "user-agent: *\n(disallow: /x\n)×5001"}
	byteOrderMarkFound = &check{Check{"byte-order-mark", Note, "the file begins with a byte order mark"}, keeps, "\uFEFFuser-agent: *"}
	loneReturn         = &check{Check{"line-end", Note, "a line ends in CR alone"}, changes, "user-agent: *\rdisallow: /x\r"}
	mixedLineEnds      = &check{Check{"mixed-line-ends", Note, "some lines end in LF, some in CRLF"}, changes, "user-agent: *\r\ndisallow: /x\n\r\n"}

	notUTF8            = &check{Check{"not-utf-8", Warning, "a line is not UTF-8"}, changes, "user-agent: *\ndisallow: /soci\xE9t\xE9"}
	nulFound           = &check{Check{"nul", Warning, "a line has a NUL, where Google's parser ends it"}, changes, "user-agent: *\ndisallow: /a\x00b"}
	invisibleCharacter = &check{Check{"invisible-character", Error, "an invisible character is in a key, or at an end of a value"}, changes, "user-agent: *\ndisallow: /x\u00a0"}
	directionCharacter = &check{Check{"direction-character", Warning, "a character in a line changes the order in which it is shown"}, changes, "user-agent: *\ndisallow: /a\u202Eb"}
	longLine           = &check{Check{"long-line", Warning, "a line is longer than the 16,663 octets that Google's parser reads"}, changes, "user-agent: *\ndisallow: /(a)×16663"}
	missingColon       = &check{Check{"missing-colon", Error, "a line without a colon is ignored"}, changes, "user-agent: *\n  disallow /x y"}
	leftOutColon       = &check{Check{"left-out-colon", Warning, "the colon between a known key and its value is missing"}, keeps, "user-agent *\ndisallow: /x"}
	wideColon          = &check{Check{"wide-colon", Error, "the key ends in a full-width colon"}, changes, "user-agent: *\ndisallow：/x"}
	missingKey         = &check{Check{"missing-key", Error, "a line begins with its colon"}, changes, "user-agent: *\n : /x"}
	misspelledKey      = &check{Check{"misspelled-record", Warning, "a key is misspelled in a way that is read as it is meant"}, keeps, "useragent: *"}
	longerKey          = &check{Check{"longer-key", Error, "a key only begins as a known one; Google's parser reads it as that"}, changes, "user-agent: *\nDisallowed: /x"}
	mistypedRecord     = &check{Check{"mistyped-record", Error, "a record that is ignored, with a key much like a known one"}, changes, "user-agent: *\ndsallow: /x"}
	unknownRecord      = &check{Check{"unknown-record", Warning, "a record that no crawler is known to read"}, keeps, "user-agent: *\nfoo: bar"}
	metaRecord         = &check{Check{"meta-record", Error, "noindex, X-Robots-Tag and their like have no effect in robots.txt"}, changes, "user-agent: *\nNoindex: /x"}
	staleHost          = &check{Check{"stale-host", Note, "a record for the main host, which no crawler reads any more"}, keeps, "user-agent: *\nHost: example.com"}
	attachedComment    = &check{Check{"attached-comment", Warning, "a # cuts off the rest of a pattern"}, changes, "user-agent: *\ndisallow: /a#b"}
	joinedLines        = &check{Check{"joined-lines", Error, "a line has a second record, which is read as a part of the first"}, changes, "user-agent: * Disallow: /x"}
	ruleOutsideGroup   = &check{Check{"rule-outside-group", Error, "a rule before the first user-agent line is ignored"}, changes, "disallow: /\nuser-agent: *"}

	emptyUserAgent     = &check{Check{"empty-user-agent", Error, "a user-agent line names nobody"}, changes, "user-agent:"}
	unusableUserAgent  = &check{Check{"unusable-user-agent", Error, "a user-agent line begins with no product token"}, changes, "user-agent: *bot"}
	userAgentList      = &check{Check{"user-agent-list", Error, "of several names in a user-agent line only the first counts"}, changes, "user-agent: a, b"}
	cutUserAgent       = &check{Check{"cut-user-agent", Warning, "a user-agent line has more than a product token"}, changes, "user-agent: a b"}
	versionInUserAgent = &check{Check{"version-in-user-agent", Note, "a version or a * follows the product token of a user-agent line"}, keeps, "user-agent: googlebot/1.2"}
	digitsInUserAgent  = &check{Check{"digits-in-user-agent", Note, "a product token has digits or dots, which RFC 9309 does not allow"}, changes, "user-agent: My12bot"}
	misspelledCrawler  = &check{Check{"misspelled-crawler", Warning, "a name is nearly a well-known crawler's, or a policy token that no draft has"}, changes, "user-agent: Googlebto"}
	unreadCrawler      = &check{Check{"unread-crawler", Warning, "a user-agent line has a word, a company or a product, which no crawler reads"}, changes, "user-agent: ChatGPT\ndisallow: /"}
	retiredCrawler     = &check{Check{"retired-crawler", Note, "a user-agent line has a name that its owner no longer uses"}, changes, "user-agent: anthropic-ai\ndisallow: /"}
	disobeyingCrawler  = &check{Check{"disobeying-crawler", Note, "a user-agent line names a crawler whose owner says that it does not always obey"}, keeps, "user-agent: ChatGPT-User\ndisallow: /"}
	policyToken        = &check{Check{"policy-token", Note, "a user-agent line has a draft's policy token, which says what pages may be used for"}, keeps, "user-agent: __usage_ai-training\ndisallow: /"}
	repeatedUserAgent  = &check{Check{"repeated-user-agent", Note, "a group names the same product token twice"}, keeps, "user-agent: a\nuser-agent: A\ndisallow: /"}
	repeatedGroup      = &check{Check{"repeated-group", Note, "several groups name the same product token"}, changes, "user-agent: a\ndisallow: /\nuser-agent: A\nallow: /x"}
	joinedGroups       = &check{Check{"joined-groups", Warning, "a record does not end a list of user agents, nor does a blank line before or after *"}, changes, "user-agent: a\n \nuser-agent: *\ndisallow: /"}
	blankInAgents      = &check{Check{"blank-in-agents", Note, "a blank line does not end a list of user agents"}, changes, "user-agent: a\n \nuser-agent: b\ndisallow: /"}

	patternWithoutSlash = &check{Check{"pattern-without-slash", Error, "a pattern begins with neither / nor *"}, changes, "user-agent: *\ndisallow: x"}
	urlAsPattern        = &check{Check{"url-as-pattern", Error, "a pattern is a whole URL"}, changes, "user-agent: *\ndisallow: HTTPS://example.com/x"}
	twoPatterns         = &check{Check{"two-patterns", Error, "a rule has several patterns"}, changes, "user-agent: *\ndisallow: /a /b"}
	spaceInPattern      = &check{Check{"space-in-pattern", Warning, "a pattern has a space"}, changes, "user-agent: *\ndisallow: /a b"}
	rawNonASCII         = &check{Check{"non-ascii-pattern", Note, "a pattern has characters beyond ASCII that are not percent-encoded"}, keeps, "user-agent: *\ndisallow: /é"}
	rawOctet            = &check{Check{"raw-octet", Note, "a pattern has an ASCII character that most URLs have percent-encoded"}, keeps, "user-agent: *\ndisallow: /*/{0}/"}
	malformedPercent    = &check{Check{"malformed-percent", Warning, "a % in a pattern begins no percent-encoded octet"}, changes, "user-agent: *\ndisallow: /100%"}
	encodedWildcard     = &check{Check{"encoded-wildcard", Note, "%2A or %24 stands for a literal * or $, but not for Google's parser"}, changes, "user-agent: *\ndisallow: /%2Ax"}
	encodedDelimiter    = &check{Check{"encoded-delimiter", Note, "a delimiter in a path (/, ?, & or =) is percent-encoded, and so matches no plain one"}, changes, "user-agent: *\ndisallow: /search%3Fq="}
	encodedPlain        = &check{Check{"encoded-plain", Note, "a character is percent-encoded without need, and Google's parser takes it for another"}, changes, "user-agent: *\ndisallow: /%62az"}
	lowerCaseHex        = &check{Check{"lower-case-hex", Note, "a percent-encoded octet in lower case"}, keeps, "user-agent: *\ndisallow: /%c3%a9"}
	bracketSpelling     = &check{Check{"bracket-spelling", Note, "a pattern has [ or %5B, and does not match URLs with the other"}, changes, "user-agent: *\ndisallow: /*?f[0]="}
	dollarInside        = &check{Check{"dollar-inside", Warning, "a $ before the end of a pattern seems to be meant as an anchor"}, changes, "user-agent: *\ndisallow: /x$*"}
	repeatedStar        = &check{Check{"repeated-star", Note, "** means the same as *"}, keeps, "user-agent: *\ndisallow: /a/**/b"}
	trailingStar        = &check{Check{"trailing-star", Note, "a * at the end of a pattern changes nothing"}, keeps, "user-agent: *\ndisallow: /a*"}
	regularExpression   = &check{Check{"regular-expression", Warning, "a pattern looks like a regular expression"}, changes, `user-agent: *` + "\n" + `disallow: /\d+`}

	unfilledTemplate = &check{Check{"unfilled-template", Warning, "a pattern or a name has a placeholder that nobody has filled in"}, changes, "user-agent: *\ndisallow: /item/{{ id }}/"}
	dotSegment       = &check{Check{"dot-segment", Warning, "a pattern has /../ or /./, which is in no URL that is asked for"}, changes, "user-agent: *\ndisallow: /a/../b/"}
	hostInPattern    = &check{Check{"host-in-pattern", Warning, "the first folder of a pattern looks like a host"}, changes, "user-agent: *\ndisallow: /example.com/admin/"}

	homePage               = &check{Check{"home-page-disallowed", Note, "a rule disallows the home page alone"}, changes, "user-agent: *\ndisallow: /$"}
	robotsTxtRule          = &check{Check{"robots-txt-rule", Note, "a rule for /robots.txt has no effect"}, keeps, "user-agent: *\ndisallow: /robots.txt"}
	indexPage              = &check{Check{"index-page", Note, "an allow rule for an index page, which Google's parser applies to its folder too"}, changes, "user-agent: *\nallow: /a/index.html\ndisallow: /a/"}
	assetsDisallowed       = &check{Check{"assets-disallowed", Note, "style sheets or scripts are disallowed"}, changes, "user-agent: *\ndisallow: /css/"}
	duplicateRule          = &check{Check{"duplicate-rule", Note, "a group has the same rule twice"}, keeps, "user-agent: *\ndisallow: /x\ndisallow: /x"}
	neverWins              = &check{Check{"never-wins", Error, "a rule is overruled wherever it matches"}, changes, "user-agent: *\ndisallow: /x\nallow: /x"}
	overruledForOne        = &check{Check{"overruled-for-one", Warning, "a rule never decides for a crawler, because of another group that names it"}, changes, "user-agent: a\nallow: /\n\nuser-agent: a\nuser-agent: b\ndisallow: /"}
	redundantRule          = &check{Check{"redundant-rule", Note, "a rule changes nothing, as another says the same"}, keeps, "user-agent: *\ndisallow: /x\ndisallow: /x/y"}
	allowWithoutEffect     = &check{Check{"allow-without-effect", Note, "an allow rule in a group that disallows nothing like it"}, keeps, "user-agent: *\ndisallow: /x\nallow: /y"}
	shorterAllow           = &check{Check{"shorter-allow", Warning, "an allow rule is shorter than all disallow rules that it might overrule"}, changes, "user-agent: *\ndisallow: /private/\nallow: /*.pdf$"}
	emptyRuleWithoutEffect = &check{Check{"empty-rule", Note, "an empty rule has no effect beside others"}, keeps, "user-agent: *\ndisallow: /x\ndisallow:"}

	everythingDisallowed = &check{Check{"everything-disallowed", Warning, "a group for *, Googlebot or bingbot disallows everything, or all but a few things"}, changes, "user-agent: *\ndisallow: /"}
	engineShut           = &check{Check{"engine-disallowed", Note, "a group for a search engine other than Google's and Bing's disallows everything"}, changes, "user-agent: Baiduspider\ndisallow: /"}
	groupWithoutRules    = &check{Check{"group-without-rules", Warning, "a group has no rules, and keeps those for * away"}, changes, "user-agent: *\ndisallow: /x\nuser-agent: b\ncrawl-delay: 3"}
	notInherited         = &check{Check{"not-inherited", Note, "a group only adds to the rules for *, which it replaces, or allows a search engine everything"}, changes, "user-agent: *\ndisallow: /x\nuser-agent: b\ndisallow: /y"}

	badDelay          = &check{Check{"bad-delay", Error, "the value of a crawl-delay or request-rate cannot be used"}, changes, "user-agent: *\ncrawl-delay: soon"}
	longDelay         = &check{Check{"long-delay", Warning, "a crawl-delay is longer than 30 seconds"}, changes, "user-agent: *\ncrawl-delay: 31"}
	delayOutsideGroup = &check{Check{"delay-outside-group", Error, "a crawl-delay or request-rate before the first user-agent line is ignored"}, changes, "crawl-delay: 3\nuser-agent: *"}
	repeatedDelay     = &check{Check{"repeated-delay", Warning, "a group has a second crawl-delay or request-rate, which is ignored"}, changes, "user-agent: *\ncrawl-delay: 3\ncrawl-delay: 4"}
	delayForGoogle    = &check{Check{"delay-for-google", Note, "a crawl-delay for a crawler that ignores it"}, changes, "user-agent: GoogleBot\ncrawl-delay: 3"}
	badSitemap        = &check{Check{"bad-sitemap", Error, "a sitemap is not an absolute http or https URL"}, keeps, "sitemap: /s.xml"}
	repeatedSitemap   = &check{Check{"repeated-sitemap", Note, "a sitemap is named twice"}, changes, "sitemap: https://example.com/s.xml\nsitemap: https://example.com/s.xml"}
	sitemapDisallowed = &check{Check{"sitemap-disallowed", Warning, "the rules for * disallow a sitemap that the file names"}, changes, "user-agent: *\ndisallow: /s\nsitemap: https://example.com/s.xml"}
	misspelledUse     = &check{Check{"misspelled-use", Error, "a use that is spelled otherwise in content-signal or content-usage"}, changes, "user-agent: *\ncontent-signal: search=yes, ai_train=no"}
	usageValue        = &check{Check{"usage-value", Error, "a value that is neither yes nor no (y and n in content-usage), or no comma before the next use"}, changes, "user-agent: *\ncontent-signal: search=yes, ai-train=n"}
	malformedUsage    = &check{Check{"malformed-usage", Error, "a content-usage that is malformed or empty, so that nothing of it counts, or has a comma in its path"}, changes, "user-agent: *\ncontent-usage: Train-AI=n"}
	pathInSignal      = &check{Check{"path-in-signal", Error, "a content-signal with a path; only content-usage may have one"}, changes, "user-agent: *\ncontent-signal: /news/ ai-train=no"}
	contradictingUses = &check{Check{"contradicting-uses", Warning, "a group says both yes and no to a use, on the same path"}, changes, "user-agent: *\ncontent-signal: ai-train=yes\ncontent-usage: train-ai=n"}
	useOfNothing      = &check{Check{"use-of-nothing", Warning, "a group says yes to a use of pages, and disallows all of them"}, changes, "user-agent: *\ncontent-signal: search=yes, ai-train=no\ndisallow: /"}
	unreadUsage       = &check{Check{"unread-usage", Error, "what is said about use in a group that names nobody"}, changes, "user-agent:\ncontent-signal: ai-train=no\ndisallow: /x"}
	usageNotInherited = &check{Check{"usage-not-inherited", Note, "what the group for * says about use does not reach a crawler with a group of its own"}, changes, "user-agent: *\ncontent-signal: ai-train=no\ndisallow: /x\n\nuser-agent: b\ndisallow: /y"}

	unknownUse         = &check{Check{"unknown-use", Note, "a use in content-signal or content-usage that no draft has"}, keeps, "user-agent: *\ncontent-signal: search=yes, ai-retrieval=yes"}
	signalOutsideGroup = &check{Check{"signal-outside-group", Note, "a content-signal above the first user-agent line"}, keeps, "content-signal: ai-train=no\nuser-agent: *\ndisallow: /x"}
	badLicense         = &check{Check{"bad-license", Warning, "a license is not an absolute http or https URL"}, keeps, "license: /rsl.xml"}

	unknownIgnore = &check{Check{"unknown-ignore", Warning, "a polite-lint comment names no check that it could ignore"}, keeps, "user-agent: *\n# polite-lint: ignore nothing\ndisallow: /x"}
)

// all has all checks, in the order of [Checks].
var all = []*check{
	compressedFound, utf16Found, htmlFound, otherFormat, emptyFile, noGroupAtAll, tooLarge, tooManyRules, byteOrderMarkFound, loneReturn, mixedLineEnds,
	notUTF8, nulFound, invisibleCharacter, directionCharacter, longLine, missingColon, leftOutColon, wideColon, missingKey, misspelledKey, longerKey,
	mistypedRecord, unknownRecord, metaRecord, staleHost, attachedComment, joinedLines, ruleOutsideGroup,
	emptyUserAgent, unusableUserAgent, userAgentList, cutUserAgent, versionInUserAgent, digitsInUserAgent, misspelledCrawler, unreadCrawler,
	retiredCrawler, disobeyingCrawler, policyToken, repeatedUserAgent, repeatedGroup, joinedGroups, blankInAgents,
	patternWithoutSlash, urlAsPattern, twoPatterns, spaceInPattern, rawNonASCII, rawOctet, malformedPercent, encodedWildcard, encodedDelimiter, encodedPlain,
	lowerCaseHex, bracketSpelling, dollarInside, repeatedStar, trailingStar, regularExpression, unfilledTemplate, dotSegment, hostInPattern,
	homePage, robotsTxtRule, indexPage, assetsDisallowed, duplicateRule, neverWins, overruledForOne, redundantRule, allowWithoutEffect, shorterAllow,
	emptyRuleWithoutEffect,
	everythingDisallowed, engineShut, groupWithoutRules, notInherited,
	badDelay, longDelay, delayOutsideGroup, repeatedDelay, delayForGoogle, badSitemap, repeatedSitemap, sitemapDisallowed, misspelledUse, usageValue,
	malformedUsage, pathInSignal, contradictingUses, useOfNothing, unreadUsage, usageNotInherited,
	unknownUse, signalOutsideGroup, badLicense, unknownIgnore,
}

// ids returns the IDs of all checks.
func ids() (ids []string) {
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

// Checks returns all checks, grouped by what they look at. The caller may change the
// slice.
func Checks() []Check {
	var checks []Check
	for _, c := range all {
		checks = append(checks, c.Check)
	}
	return checks
}

// Example returns a robots.txt in which the check with an ID finds something. If there is
// no such check, it returns "". Some checks find large files, so an example may be large.
// One check finds empty files: its example is "".
func Example(id string) string {
	if c := find(id); c != nil {
		return expand(c.example)
	}
	return ""
}

// find returns the check with an ID, or nil.
func find(id string) *check {
	if i := slices.IndexFunc(all, func(c *check) bool { return c.ID == id }); i >= 0 {
		return all[i]
	}
	return nil
}

// expand writes out the text that an example repeats: (…)×3 stands for three times the
// text in parentheses.
func expand(body string) string {
	repeated := regexp.MustCompile(`\(([^()]*)\)×([0-9]+)`)
	return repeated.ReplaceAllStringFunc(body, func(short string) string {
		part := repeated.FindStringSubmatch(short)
		times, _ := strconv.Atoi(part[2])
		return strings.Repeat(part[1], times)
	})
}
