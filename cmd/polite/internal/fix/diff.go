package fix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

// Diff shows what edits have changed, as diff -U0 does, with lines made printable. No edit takes a line
// away, so that each line of before becomes one or several.
func Diff(name string, before, after []byte) string {
	old, now := linesOf(before), linesOf(after)
	var b strings.Builder
	fmt.Fprintf(&b, "--- %[1]s\n+++ %[1]s\n", printable.Text(name))
	for i, j := 0, 0; i < len(old); i++ {
		if j < len(now) && old[i] == now[j] {
			j++
			continue
		}
		n := 1
		if i+1 == len(old) {
			n = len(now) - j
		} else if next := slices.Index(now[min(j+1, len(now)):], old[i+1]); next >= 0 && next < mostOfOne {
			n += next
		}
		n = min(n, len(now)-j)
		fmt.Fprintf(&b, "@@ -%d +%d,%d @@\n-%s\n", i+1, j+1, n, printable.Text(old[i]))
		for _, line := range now[j : j+n] {
			b.WriteString("+" + printable.Text(line) + "\n")
		}
		j += n
	}
	return b.String()
}

// mostOfOne is how many lines an edit makes of one, at most, to be shown as such.
const mostOfOne = 100

func linesOf(text []byte) (all []string) {
	for _, line := range robots.Lines(text) {
		all = append(all, string(line))
	}
	return all
}
