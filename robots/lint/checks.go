package lint

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// families are all checks, by the files that declare them. A new check is declared in
// the file that it belongs to, and added to the list at the top of that file. The list
// of a new file is added here, and its code is called from where lines, rules or
// groups are looked at: lint.go, rule.go.
var families = [][]*check{
	fileFormatChecks, fileContentChecks, fileLineEndChecks, lineTextChecks,
	lineColonChecks, lineKeyChecks, recordUnknownChecks, patternCommentChecks, lineJoinedChecks,
	ruleChecks, agentValueChecks, agentKnownChecks, agentRepeatedChecks, agentListChecks,
	patternStartChecks, patternSpaceChecks, patternEncodingChecks, patternWildcardChecks, patternExpressionChecks, ruleRobotsTxtChecks, patternPurposeChecks,
	ruleDuplicateChecks, ruleNeverWinsChecks, ruleRedundantChecks, ruleEffectChecks, ruleEmptyChecks, groupEveryoneChecks,
	recordDelayChecks, recordSitemapChecks, recordUsageChecks, groupUsageChecks, ignoreChecks,
}

func all() []*check { return slices.Concat(families...) }

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

// Example returns a robots.txt in which the check with an ID finds something, or "" if
// there is no such check. It may be large, as that is what some checks find, and it is
// empty for one of them.
func Example(id string) string {
	for _, c := range all() {
		if c.ID == id {
			return expand(c.finds[0].body)
		}
	}
	return ""
}

// expand writes out what an example has in short.
func expand(body string) string {
	repeated := regexp.MustCompile(`\(([^()]*)\)×([0-9]+)`)
	return repeated.ReplaceAllStringFunc(body, func(short string) string {
		part := repeated.FindStringSubmatch(short)
		times, _ := strconv.Atoi(part[2])
		return strings.Repeat(part[1], times)
	})
}
