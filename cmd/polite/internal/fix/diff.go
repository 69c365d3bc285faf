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
	places := make(map[string][]int) // of each line in old
	for i, line := range old {
		places[line] = append(places[line], i)
	}
	for i, j := 0, 0; i < len(old); i++ {
		if j < len(now) && old[i] == now[j] {
			j++
			continue
		}
		n := become(old[i+1:], now[j:], next(places, now[j:], i))
		fmt.Fprintf(&b, "@@ -%d +%d,%d @@\n-%s\n", i+1, j+min(n, 1), n, printable.Text(old[i]))
		for _, line := range now[j : j+n] {
			b.WriteString("+" + printable.Text(line) + "\n")
		}
		j += n
	}
	return b.String()
}

// next returns how many lines of old stand between line i and the next one that is as the first of now, or -1.
func next(places map[string][]int, now []string, i int) int {
	if len(now) == 0 {
		return -1
	}
	below, _ := slices.BinarySearch(places[now[0]], i+1)
	places[now[0]] = places[now[0]][below:] // i only grows
	if len(places[now[0]]) == 0 {
		return -1
	}
	return places[now[0]][0] - i - 1
}

// become returns how many of the lines now are made of one line, which those of after followed. The first of now
// stands gone lines below in after, if not negative.
func become(after, now []string, gone int) int {
	if len(after) == 0 || len(now) == 0 {
		return len(now)
	}
	grown := slices.Index(now[1:min(len(now), 1+mostOfOne)], after[0])
	if gone >= 0 && (grown < 0 || gone <= grown) {
		return 0
	}
	return 1 + max(grown, 0)
}

// mostOfOne is how many lines an edit makes of one, at most, to be shown as such.
const mostOfOne = 100

func linesOf(text []byte) (all []string) {
	for _, line := range robots.Lines(text) {
		all = append(all, string(line))
	}
	return all
}
