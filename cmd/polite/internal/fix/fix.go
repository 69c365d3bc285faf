// Package fix makes the edits of findings in a robots.txt.
package fix

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"

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
	for number := 1; len(found) > 0 && (number == 1 || len(body) > 0); number++ {
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
	return append(after, body...), edits
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
