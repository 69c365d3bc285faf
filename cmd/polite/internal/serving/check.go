package serving

import (
	"strings"

	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots/lint"
)

// A check is one kind of finding about how a robots.txt is served. The code that finds it is
// its own, and returns the message: what happens, and what to do instead; or "" if there is
// nothing to say. The example is a dialogue with a site in which the check finds something.
type check struct {
	lint.Check
	example string
	find    func(Site) string
}

// exchange is a part of an example: what is asked for, and the header of the answer. With
// "as" and a User-Agent behind, only that one gets the answer.
func exchange(asked, status string, fields ...string) string {
	head := append([]string{asked, "HTTP/1.1 " + status}, fields...)
	return strings.Join(head, "\n") + "\n\n"
}

// text is an exchange that brings a text.
func text(asked string, fields ...string) string {
	return exchange(asked, "200 OK", append([]string{"Content-Type: text/plain"}, fields...)...) + rules
}

const rules = "User-agent: *\nDisallow: /x\n"

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
