package lint

import "slices"

// families are all checks there are, by the files that hold them.
var families = [][]*check{
	formatChecks, fileChecks, lineEndChecks, textChecks,
	colonChecks, keyChecks, recordChecks, commentChecks, joinedChecks,
	ruleChecks, agentChecks, namesChecks, agentsChecks,
	startChecks, spaceChecks, encodingChecks, wildcardChecks, expressionChecks, robotsTxtChecks, purposeChecks,
	repeatedChecks, loserChecks, redundantChecks, effectChecks, emptyChecks, everyoneChecks,
	delayChecks, sitemapChecks,
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
