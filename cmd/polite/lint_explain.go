package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/sarif"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots/lint"
)

// explainCheck tells what a check finds, with an example.
func explainCheck(s terminal.Style, id string) string {
	checks := lint.Checks()
	c := checks[slices.IndexFunc(checks, func(c lint.Check) bool { return c.ID == id })]
	var b strings.Builder
	b.WriteString(s.Bold(c.ID) + "\n\n")
	b.WriteString(verb.Wrap("", c.Summary) + "\n")
	b.WriteString(verb.Wrap("", fmt.Sprintf("It is %s: %s.", severities(c.Severity), means(c.Severity))))
	b.WriteString("\nFor example:\n\n" + exampleOf(s, id))
	fmt.Fprintf(&b, "\nIf the line is meant as it is, write above it:\n\n    # polite-lint: ignore %s\n", id)
	return b.String()
}

// exampleOf shows a file, unless it is long, and what the check finds in it.
func exampleOf(s terminal.Style, id string) string {
	body := []byte(lint.Example(id))
	found := slices.DeleteFunc(lint.Lint(body), func(f lint.Finding) bool { return f.ID != id })
	source := sarif.Source{Name: "robots.txt", Body: body, Findings: found[:1]}
	text, octet := source.Lines()(found[0])
	var b strings.Builder
	for line := range source.Short() {
		b.WriteString("    " + terminal.Excerpt(line) + "\n")
	}
	if b.Len() > 0 {
		b.WriteString("\n")
	}
	place := fmt.Sprintf("    line %d: ", found[0].Line)
	return b.String() + verb.Wrap(place, found[0].Message) + pointed(s, found[0], text, octet, 0)
}

func severities(severity lint.Severity) string {
	if severity == lint.Error {
		return "an error"
	}
	return "a " + severity.String()
}

// means tells what a severity means.
func means(severity lint.Severity) string {
	switch severity {
	case lint.Error:
		return "the line does nothing, or not what it says. Lint fails"
	case lint.Warning:
		return "the line does something else than many expect. With --strict, lint fails"
	default:
		return "it is worth knowing"
	}
}
