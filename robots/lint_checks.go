package robots

// A check is the place of a Check in the table.
type check uint8

const (
	utf16Found check = iota
	htmlFound
	emptyFile
	noGroupAtAll
	tooLarge
	tooManyRules
	byteOrderMarkFound
	loneReturn
	mixedLineEnds
	notUTF8
	nulFound
	invisibleCharacter
	longLine

	missingColon
	leftOutColon
	wideColon
	missingKey
	misspelledKey
	longerKey
	mistypedRecord
	unknownRecord
	metaRecord
	attachedComment
	joinedLines

	ruleOutsideGroup
	emptyUserAgent
	unusableUserAgent
	userAgentList
	cutUserAgent
	versionInUserAgent
	digitsInUserAgent
	repeatedUserAgent
	repeatedGroup
	joinedGroups
	blankInAgents

	patternWithoutSlash
	urlAsPattern
	twoPatterns
	spaceInPattern
	rawNonASCII
	rawOctet
	malformedPercent
	encodedWildcard
	encodedPlain
	lowerCaseHex
	dollarInside
	repeatedStar
	trailingStar
	regularExpression
	robotsTxtRule
	indexPage
	assetsDisallowed

	duplicateRule
	neverWins
	redundantRule
	allowWithoutEffect
	shorterAllow
	emptyRuleWithoutEffect
	everythingDisallowed
	groupWithoutRules
	notInherited

	badDelay
	longDelay
	delayOutsideGroup
	repeatedDelay
	delayForGoogle
	badSitemap

	checkCount
)

var checks = [checkCount]Check{
	utf16Found:         {"utf-16", Error, "the file is UTF-16, and so has no rules"},
	htmlFound:          {"html", Error, "the file is a web page, and so has no rules"},
	emptyFile:          {"empty-file", Note, "the file has no lines but blank ones and comments"},
	noGroupAtAll:       {"no-group", Warning, "the file has lines but no user-agent line, and so no rules"},
	tooLarge:           {"too-large", Error, "the file is larger than 500 KiB, and what follows is ignored"},
	tooManyRules:       {"many-rules", Note, "the file has more than 5,000 rules"},
	byteOrderMarkFound: {"byte-order-mark", Note, "the file begins with a byte order mark"},
	loneReturn:         {"line-end", Note, "a line ends in CR alone"},
	mixedLineEnds:      {"mixed-line-ends", Note, "some lines end in LF, some in CRLF"},
	notUTF8:            {"not-utf-8", Warning, "a line is not UTF-8"},
	nulFound:           {"nul", Warning, "a line has a NUL, where Google's parser ends it"},
	invisibleCharacter: {"invisible-character", Error, "an invisible character is part of a key, or begins or ends a value"},
	longLine:           {"long-line", Warning, "a line is longer than the 16,663 octets that Google's parser reads"},

	missingColon:    {"missing-colon", Error, "a line without a colon is ignored"},
	leftOutColon:    {"left-out-colon", Warning, "the colon between a known key and its value is missing"},
	wideColon:       {"wide-colon", Error, "the key ends in a full-width colon"},
	missingKey:      {"missing-key", Error, "a line begins with its colon"},
	misspelledKey:   {"misspelled-record", Warning, "a key is misspelled in a way that is read as it is meant"},
	longerKey:       {"longer-key", Error, "a key only begins as a known one; Google's parser reads it as that"},
	mistypedRecord:  {"mistyped-record", Error, "a record that is ignored, and whose key is much like a known one"},
	unknownRecord:   {"unknown-record", Warning, "a record that no crawler is known to read"},
	metaRecord:      {"meta-record", Error, "noindex, nofollow and their like have no effect in robots.txt"},
	attachedComment: {"attached-comment", Warning, "a # cuts off the rest of a pattern"},
	joinedLines:     {"joined-lines", Error, "a line has a second record, which is read as a part of the first"},

	ruleOutsideGroup:   {"rule-outside-group", Error, "a rule before the first user-agent line is ignored"},
	emptyUserAgent:     {"empty-user-agent", Error, "a user-agent line names nobody"},
	unusableUserAgent:  {"unusable-user-agent", Error, "the value of a user-agent line does not begin as a product token does"},
	userAgentList:      {"user-agent-list", Error, "of several names in a user-agent line only the first counts"},
	cutUserAgent:       {"cut-user-agent", Warning, "the value of a user-agent line has more than a product token"},
	versionInUserAgent: {"version-in-user-agent", Note, "a version or a * follows the product token of a user-agent line"},
	digitsInUserAgent:  {"digits-in-user-agent", Note, "a product token has digits or dots, which RFC 9309 does not allow"},
	repeatedUserAgent:  {"repeated-user-agent", Note, "a group names the same product token twice"},
	repeatedGroup:      {"repeated-group", Note, "several groups name the same product token"},
	joinedGroups:       {"joined-groups", Warning, "a record does not end a list of user agents, nor does a blank line before or after *"},
	blankInAgents:      {"blank-in-agents", Note, "a blank line does not end a list of user agents"},

	patternWithoutSlash: {"pattern-without-slash", Error, "a pattern begins with neither / nor *"},
	urlAsPattern:        {"url-as-pattern", Error, "a pattern is a whole URL"},
	twoPatterns:         {"two-patterns", Error, "a rule has two patterns"},
	spaceInPattern:      {"space-in-pattern", Warning, "a pattern has a space"},
	rawNonASCII:         {"non-ascii-pattern", Note, "a pattern has characters beyond ASCII that are not percent-encoded"},
	rawOctet:            {"raw-octet", Note, "a pattern has an ASCII character that most URLs have percent-encoded"},
	malformedPercent:    {"malformed-percent", Warning, "a % in a pattern begins no percent-encoded octet"},
	encodedWildcard:     {"encoded-wildcard", Note, "%2A or %24 stands for a literal * or $, but not for Google's parser"},
	encodedPlain:        {"encoded-plain", Note, "a character is percent-encoded that need not be, which Google's parser takes for another"},
	lowerCaseHex:        {"lower-case-hex", Note, "a percent-encoded octet in lower case"},
	dollarInside:        {"dollar-inside", Warning, "a $ that is not at the end of a pattern is no anchor"},
	repeatedStar:        {"repeated-star", Note, "** means the same as *"},
	trailingStar:        {"trailing-star", Note, "a * at the end of a pattern changes nothing that it matches"},
	regularExpression:   {"regular-expression", Warning, "a pattern looks like a regular expression, which it is not"},
	robotsTxtRule:       {"robots-txt-rule", Note, "a rule for /robots.txt has no effect"},
	indexPage:           {"index-page", Note, "an allow rule for an index page, which Google's parser applies to its folder too"},
	assetsDisallowed:    {"assets-disallowed", Note, "style sheets or scripts are disallowed"},

	duplicateRule:          {"duplicate-rule", Note, "a group has the same rule twice"},
	neverWins:              {"never-wins", Error, "a rule is overruled wherever it matches"},
	redundantRule:          {"redundant-rule", Note, "a rule changes nothing, as another says the same"},
	allowWithoutEffect:     {"allow-without-effect", Note, "an allow rule in a group that disallows nothing like it"},
	shorterAllow:           {"shorter-allow", Warning, "an allow rule is shorter than all disallow rules that it might overrule"},
	emptyRuleWithoutEffect: {"empty-rule", Note, "an empty rule has no effect beside others"},
	everythingDisallowed:   {"everything-disallowed", Warning, "the group for * or Googlebot disallows everything"},
	groupWithoutRules:      {"group-without-rules", Warning, "a group has records but no rules, and keeps the rules for * away"},
	notInherited:           {"not-inherited", Note, "a group only adds to the rules for *, which it replaces"},

	badDelay:          {"bad-delay", Error, "the value of a crawl-delay or request-rate cannot be used"},
	longDelay:         {"long-delay", Warning, "a crawl-delay is longer than 30 seconds"},
	delayOutsideGroup: {"delay-outside-group", Error, "a crawl-delay or request-rate before the first user-agent line is ignored"},
	repeatedDelay:     {"repeated-delay", Warning, "a group has a second crawl-delay or request-rate, which is ignored"},
	delayForGoogle:    {"delay-for-google", Note, "a crawl-delay for Googlebot, which ignores it"},
	badSitemap:        {"bad-sitemap", Error, "a sitemap is not an absolute http or https URL"},
}
