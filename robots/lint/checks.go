package lint

import "slices"

// families are all checks there are, by the files that hold them.
var families = [][]*check{
	fileFormatChecks, fileContentChecks, fileLineEndChecks, lineTextChecks,
	lineColonChecks, lineKeyChecks, recordUnknownChecks, patternCommentChecks, lineJoinedChecks,
	rulePlaceChecks, agentValueChecks, agentRepeatedChecks, agentListChecks,
	patternStartChecks, patternSpaceChecks, patternEncodingChecks, patternWildcardChecks, patternExpressionChecks, ruleRobotsTxtChecks, patternPurposeChecks,
	ruleDuplicateChecks, ruleNeverWinsChecks, ruleRedundantChecks, ruleEffectChecks, ruleEmptyChecks, groupEveryoneChecks,
	recordDelayChecks, recordSitemapChecks,
}

func all() []*check { return slices.Concat(families...) }

// Checks returns all kinds of findings there are.
func Checks() []Check {
	var checks []Check
	for _, c := range all() {
		checks = append(checks, c.Check)
	}
	return checks
}
