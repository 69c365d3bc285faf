package lint_test

import (
	"fmt"
	"slices"

	"github.com/go-polite/polite/robots/lint"
)

func ExampleLint() {
	for _, finding := range lint.Lint([]byte("User-agent: Googlebot/2.1\nDisallow /private\nDisallow: /private\nDisallow: tmp/\n")) {
		fmt.Println(finding)
	}
	// Output:
	// 1:22: note: only "Googlebot" is read, which seems to be what is meant; write that alone [version-in-user-agent]
	// 2:9: warning: the colon is missing: many crawlers ignore the line; write "Disallow: /private" [left-out-colon]
	// 3:11: note: line 2 says the same; leave this one out if this is still found once the group has no errors and warnings [duplicate-rule]
	// 4:11: error: the rule matches nothing, as paths begin with "/"; write "/tmp/", or "*/tmp/" for any folder [pattern-without-slash]
}

// A check of a repository fails for errors only.
func ExampleSeverity() {
	failed := slices.ContainsFunc(lint.Lint([]byte("User-agent: *\nDisallow: /admin/\n")), func(f lint.Finding) bool { return f.Severity >= lint.Error })
	fmt.Println(failed)
	// Output: false
}
