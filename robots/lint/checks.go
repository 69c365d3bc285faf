package lint

import "slices"

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
	recordDelayChecks, recordSitemapChecks, recordUsageChecks, groupUsageChecks,
}

func all() []*check { return slices.Concat(families...) }

// Checks returns all checks, grouped by what they look at. The caller may change the
// slice.
func Checks() []Check {
	var checks []Check
	for _, c := range all() {
		checks = append(checks, c.Check)
	}
	return checks
}
