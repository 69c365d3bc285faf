// Package fix makes the edits of findings in a robots.txt.
package fix

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-polite/polite/robots/lint"
)

// mostRounds is how often the findings may stay as many as they are.
const mostRounds = 100

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

// Listed makes the edits of findings from the last to the first, so that each finds its
// line as it was. Of edits that overlap, it makes the last one.
func Listed(body []byte, found []lint.Finding) (after []byte, edits int) {
	found = slices.DeleteFunc(found, func(f lint.Finding) bool { return f.Edit == nil })
	slices.SortFunc(found, func(a, b lint.Finding) int {
		return cmp.Or(b.Line-a.Line, b.Edit.From-a.Edit.From)
	})
	for i, f := range found {
		if i > 0 && found[i-1].Line == f.Line && found[i-1].Edit.From < f.Edit.To {
			continue
		}
		body = f.Apply(body)
		edits++
	}
	return body, edits
}

// Count returns how many findings there are, with those that are not listed.
func Count(found []lint.Finding) int {
	n := len(found)
	for _, f := range found {
		n += f.More
	}
	return n
}
