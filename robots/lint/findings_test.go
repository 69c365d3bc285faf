package lint

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/findings.txt")

// testdata/findings.txt has what Lint finds in the examples, and for each check its messages and edits there.
func TestFindings(t *testing.T) {
	const name = "testdata/findings.txt"
	var got strings.Builder
	told := make(map[string]int) // the numbers of the messages of a check, each told once
	tell := func(body, id string) {
		findings, texts, numbers := Lint([]byte(expand(body))), "", ""
		for _, f := range findings {
			if id != "" && id != f.ID {
				continue
			}
			text := advice(f)
			if told[text] == 0 {
				told[text] = len(told) + 1
				texts += text
			}
			if n := fmt.Sprint(" #", told[text]); !strings.HasSuffix(numbers, n) {
				numbers += n
			}
		}
		fmt.Fprintf(&got, "\t%q%s%s\n%s", body, summary(findings), numbers, texts)
	}
	for _, c := range all {
		clear(told)
		fmt.Fprintln(&got, c.ID)
		for _, body := range slices.Concat([]string{c.example}, examples[c].finds, examples[c].not) {
			tell(body, c.ID)
		}
	}
	clear(told)
	fmt.Fprintln(&got, "mixed")
	for _, body := range mixed {
		tell(body, "")
	}
	if *update {
		require.NoError(t, os.WriteFile(name, []byte(got.String()), 0o600))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err)
	lines := strings.Split(got.String(), "\n")
	for i, line := range strings.Split(string(want), "\n") {
		require.Equal(t, line, lines[min(i, len(lines)-1)], "line %d: see docs/contributing.md", i+1)
	}
	require.Len(t, lines, 1+strings.Count(string(want), "\n"))
}

// summary says where which checks have found something, unless that is much. A + is for an edit.
func summary(findings []Finding) (all string) {
	for i, f := range findings {
		if i == 12 {
			return fmt.Sprint(all, " and others: ", len(findings))
		}
		all += fmt.Sprintf(" %d:%d %s%s", f.Line, f.Column, f.ID, map[bool]string{true: "+"}[f.Edit != nil])
	}
	return all
}

// advice returns what a finding says, and its edit.
func advice(f Finding) string {
	text := "\t\t" + f.Text() + "\n"
	if e := f.Edit; e != nil {
		text += fmt.Sprintf("\t\t%d-%d %q %s\n", e.From, e.To, e.Text, map[bool]string{true: "changes", false: "keeps"}[e.Changes])
	}
	return text
}
