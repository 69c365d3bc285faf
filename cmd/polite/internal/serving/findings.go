package serving

import (
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/lint"
)

// all returns all checks. A new one is declared in the file about its subject, and added
// here.
func all() []check {
	return []check{
		unreachable, redirectedTooOften, refused, noFile,
		redirectedAway, redirected,
		contentType, charset,
		keptBriefly, keptForLong, noValidator,
		notCompressed,
		otherForHead, otherForAgents,
		otherHosts, otherSitemaps,
	}
}

// Checks returns all checks about serving, grouped by what they look at. Their IDs differ
// from those of [lint.Checks].
func Checks() (checks []lint.Check) {
	for _, c := range all() {
		checks = append(checks, c.Check)
	}
	return checks
}

// Example returns a dialogue with a site in which the check with an ID finds something: what
// is asked for, and what is answered. If there is no such check, it returns "".
func Example(id string) string {
	for _, c := range all() {
		if c.ID == id {
			return c.example
		}
	}
	return ""
}

// Findings returns what is wrong with how a site serves its robots.txt, or may be. They are
// about no line: their Line is 0.
func Findings(s Site) (findings []lint.Finding) {
	for _, c := range all() {
		if message := c.find(s); message != "" {
			findings = append(findings, lint.Finding{ID: c.ID, Severity: c.Severity, Message: printable.Text(message)})
		}
	}
	return findings
}
