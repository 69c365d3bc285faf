package usage_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// table returns the rows of a table in testdata. All have the same number of cells.
func table(t *testing.T, name string, cells int) (rows [][]string) {
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			row := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			require.Len(t, row, cells, line)
			rows = append(rows, row)
		}
	}
	return rows
}

// meaning returns what a statement says about some uses, in the form of the tables.
func meaning(s usage.Statement, uses ...usage.Use) (text string) {
	for _, use := range uses {
		text += []string{"-", "y", "n"}[s.Allows(use)]
	}
	return text
}

var ofFiles = []usage.Use{usage.Search, usage.AIInput, usage.TrainAI, usage.Immediate, usage.Reference, usage.Full}

func TestFiles(t *testing.T) {
	rows := table(t, "files.tsv", 5)
	assert.GreaterOrEqual(t, len(rows), 60)
	for _, row := range rows {
		section, lines, target, want, strict := row[0], row[1], row[2], row[3], row[4]
		file := robots.Parse([]byte(body(t, lines)))
		said := usage.Of(file, target, "ExampleBot")
		requireSame(t, said, usage.Read(file).OfRules(file.Rules("ExampleBot"), target))
		assert.Equal(t, want, meaning(said, ofFiles...), "%s: %s at %s", section, lines, target)
		if strict == "=" {
			strict = want
		}
		assert.Equal(t, strict, meaning(said.Strictly(), ofFiles...), "%s, strictly: %s at %s", section, lines, target)
	}
}

// body returns the robots.txt in a cell of a table.
func body(t *testing.T, cell string) string {
	if rest, ok := strings.CutPrefix(cell, "* | "); ok {
		cell = "user-agent: * | " + rest
	}
	cell = strings.ReplaceAll(cell, "| * |", "| user-agent: * |")
	text, err := strconv.Unquote(`"` + strings.ReplaceAll(cell, `"`, `\"`) + `"`)
	require.NoError(t, err, cell)
	return strings.ReplaceAll(text, " | ", "\n")
}

func TestHeaders(t *testing.T) {
	rows := table(t, "headers.tsv", 4)
	assert.GreaterOrEqual(t, len(rows), 60)
	uses := []usage.Use{usage.Search, usage.AIInput, usage.TrainAI, usage.TDM, usage.Immediate, usage.Reference, usage.Full}
	for _, row := range rows {
		section, lines, want, directives := row[0], row[1], row[2], row[3]
		page := usage.OfHeader(header(strings.Split(lines, " | ")...), "ExampleBot-News", "ExampleBot")
		assert.Equal(t, want, meaning(page.Statement, uses...), "%s: %s", section, lines)
		told := ""
		if page.NoIndex() {
			told += "i"
		}
		if page.NoFollow() {
			told += "f"
		}
		assert.Equal(t, directives, told, "%s: %s", section, lines)
	}
}
