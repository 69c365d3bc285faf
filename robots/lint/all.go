package lint

import (
	"regexp"
	"strconv"
	"strings"
)

// all returns all checks, grouped by what they look at. A new check is declared in the
// file with the code that finds it, and added here. That code is called from where lines,
// rules or groups are looked at: lint.go, rule.go.
func all() []*check {
	return []*check{
		compressedFound, utf16Found, htmlFound, otherFormat,
		emptyFile, noGroupAtAll, tooLarge, tooManyRules, byteOrderMarkFound,
		loneReturn, mixedLineEnds,
		notUTF8, nulFound, invisibleCharacter, directionCharacter, longLine,
		missingColon, leftOutColon, wideColon, missingKey,
		misspelledKey,
		longerKey, mistypedRecord, unknownRecord, metaRecord,
		attachedComment,
		joinedLines,
		ruleOutsideGroup,
		emptyUserAgent, unusableUserAgent, userAgentList, cutUserAgent, versionInUserAgent, digitsInUserAgent,
		misspelledCrawler, unreadCrawler, retiredCrawler,
		repeatedUserAgent, repeatedGroup,
		joinedGroups, blankInAgents,
		patternWithoutSlash, urlAsPattern,
		twoPatterns, spaceInPattern,
		rawNonASCII, rawOctet, malformedPercent, encodedWildcard, encodedPlain, lowerCaseHex, bracketSpelling,
		dollarInside, repeatedStar, trailingStar,
		regularExpression,
		robotsTxtRule,
		indexPage, assetsDisallowed,
		duplicateRule,
		neverWins, overruledForOne,
		redundantRule,
		allowWithoutEffect, shorterAllow,
		emptyRuleWithoutEffect,
		everythingDisallowed, groupWithoutRules, notInherited,
		badDelay, longDelay, delayOutsideGroup, repeatedDelay, delayForGoogle,
		badSitemap, repeatedSitemap, sitemapDisallowed,
		misspelledUse, usageValue, malformedUsage, pathInSignal,
		contradictingUses, useOfNothing, unreadUsage, usageNotInherited,
		unknownIgnore,
	}
}

// ids returns the IDs of all checks.
func ids() (ids []string) {
	for _, c := range all() {
		ids = append(ids, c.ID)
	}
	return ids
}

// Checks returns all checks, grouped by what they look at. The caller may change the
// slice.
func Checks() []Check {
	var checks []Check
	for _, c := range all() {
		checks = append(checks, c.Check)
	}
	return checks
}

// Example returns a robots.txt in which the check with an ID finds something. If there is
// no such check, it returns "". Some checks find large files, so an example may be large.
// One check finds empty files: its example is "".
func Example(id string) string {
	for _, c := range all() {
		if c.ID == id {
			return expand(c.example)
		}
	}
	return ""
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
