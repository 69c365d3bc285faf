// Package fix makes the edits of findings in a robots.txt.
package fix

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

const (
	mostRounds   = 100    // how often the findings may stay as many as they are
	MostFindings = 10_000 // of a check, for All: more would take much memory, and fewer many rounds
)

// All makes edits until no finding has one. Not all findings are listed at once, and an edit may
// bring others to light: All goes on while they do not become more, nor stay as many for long.
func All(ctx context.Context, body []byte, find func(body []byte) []lint.Finding) (after []byte, edits int) {
	found := find(body)
	for left, same := Count(found), 0; same < mostRounds && ctx.Err() == nil; same++ {
		next, n := Listed(body, found)
		found = find(next)
		now := Count(found)
		if n == 0 || now > left {
			break
		} else if now < left {
			same = 0
		}
		body, edits, left = next, edits+n, now
	}
	return body, edits
}

// Listed makes the edits of findings. Of edits that overlap, it makes the last one.
func Listed(body []byte, found []lint.Finding) (after []byte, edits int) {
	found = slices.DeleteFunc(found, func(f lint.Finding) bool { return f.Edit == nil })
	slices.SortStableFunc(found, func(a, b lint.Finding) int {
		return cmp.Or(a.Line-b.Line, b.Edit.From-a.Edit.From)
	})
	for number := 1; number == 1 || len(body) > 0; number++ {
		line := firstOf(body)
		body = body[len(line):]
		for made := math.MaxInt; len(found) > 0 && found[0].Line == number; found = found[1:] {
			if f := found[0]; f.Edit.To <= made { // each finds what stands before the last one as it was
				f.Line, made = 1, f.Edit.From
				line = f.Apply(line)
				edits++
			}
		}
		after = append(after, line...)
	}
	return after, edits
}

// firstOf returns the first line of a text, with its end.
func firstOf(text []byte) []byte {
	switch at := bytes.IndexAny(text, "\r\n"); {
	case at < 0:
		return text
	case bytes.HasPrefix(text[at:], []byte("\r\n")):
		return text[:at+2]
	default:
		return text[:at+1]
	}
}

// Count returns how many findings there are, with those that are not listed.
func Count(found []lint.Finding) int {
	n := len(found)
	for _, f := range found {
		n += f.More
	}
	return n
}

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
