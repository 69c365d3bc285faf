package fix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
)

// Diff shows what edits have changed, as diff -U0 does, with lines made printable. Each line of before becomes
// none, one or several.
func Diff(name string, before, after []byte) string {
	old, now := linesOf(before), linesOf(after)
	var b strings.Builder
	fmt.Fprintf(&b, "--- %[1]s\n+++ %[1]s\n", printable.Text(name))
	for i, j := 0, 0; i < len(old); i++ {
		if j < len(now) && old[i] == now[j] {
			j++
			continue
		}
		n := become(old[i+1:], now[j:])
		fmt.Fprintf(&b, "@@ -%d +%d,%d @@\n-%s\n", i+1, j+min(n, 1), n, printable.Text(old[i]))
		for _, line := range now[j : j+n] {
			b.WriteString("+" + printable.Text(line) + "\n")
		}
		j += n
	}
	return b.String()
}

// become returns how many of the lines now are made of one line, which those of after followed.
func become(after, now []string) int {
	if len(after) == 0 || len(now) == 0 {
		return len(now)
	}
	grown := slices.Index(now[1:], after[0])
	if gone := slices.Index(after, now[0]); gone >= 0 && (grown < 0 || gone <= grown) {
		return 0
	}
	if grown < mostOfOne {
		return 1 + max(grown, 0)
	}
	return 1
}

// mostOfOne is how many lines an edit makes of one, at most, to be shown as such.
const mostOfOne = 100

func linesOf(text []byte) (all []string) {
	for _, line := range robots.Lines(text) {
		all = append(all, string(line))
	}
	return all
}
