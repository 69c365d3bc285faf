// Package lint tells the author of a robots.txt what is wrong with it, or may be:
// lines that do nothing, rules that never decide, groups that mean something else
// than they seem to, and what other crawlers read differently.
//
//	for _, finding := range lint.Lint(body) {
//		fmt.Println(finding) // 4:11: error: the rule matches nothing, … [pattern-without-slash]
//	}
//
// It reads a file as package robots does, and uses the same matcher. So a finding about a
// rule is true of the verdicts that package robots gives. A [Finding] has a line and
// column, a [Severity], a message, and the ID of its [Check]. The message says what
// happens and what to write instead. If that is one [Edit], the finding has it, and
// [Finding.Apply] makes it. [Checks] lists all checks. An [Error] is worth a failing
// build. A [Warning] or a [Note] is advice.
package lint
