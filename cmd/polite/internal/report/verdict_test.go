package report

import (
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/robots"
	"github.com/stretchr/testify/assert"
)

// A column is as wide as a verdict, or as its crawler's name. A table that is too wide for the terminal has rows instead.
func TestTable(t *testing.T) {
	crawlers := [][]string{{"a"}, {"NameOf16Octets-x"}}
	verdicts := []judge.Verdict{
		{URL: "/page", Tokens: crawlers[0], Decision: polite.Decision{Reason: polite.ReasonRule, Rule: robots.Rule{Line: 1234}}},
		{URL: "/page", Tokens: crawlers[1], Decision: polite.Decision{Allowed: true}},
	}
	const width = 15 + 2 + 16 + 2 + len("/page")
	table := "" +
		"a                NameOf16Octets-x  URL\n" +
		"disallowed 1234  allowed           /page\n"
	rows := "" +
		"/page\n" +
		"  disallowed 1234  a\n" +
		"  allowed          NameOf16Octets-x\n"
	for columns, want := range map[int]string{0: table, width: table, width - 1: rows} {
		form := Table(terminal.Style{}, crawlers, columns, len("/page"), "URL")
		assert.Equal(t, want, form.Tell(verdicts, true), "%d columns", columns)
	}
}
