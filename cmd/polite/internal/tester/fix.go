package tester

import (
	"cmp"
	"context"
	"slices"

	"github.com/go-polite/polite/robots/lint"
)

// A fixAnswer is a robots.txt with edits made, and what changes by them for all crawlers that
// the file names.
type fixAnswer struct {
	Text   []byte        `json:"text"` // base64
	Edits  int           `json:"edits"`
	Left   int           `json:"left"`           // findings of the check that are left
	Stay   []string      `json:"stay,omitempty"` // crawlers that can still fetch something, though they are to be kept out
	Effect compareAnswer `json:"effect"`
}

// fix makes the edit of a finding, or those of all findings of a check if there is no line.
func (f form) fix(ctx context.Context) (a fixAnswer, err error) {
	var after []byte
	if f.request.Line > 0 {
		after, a.Edits = f.request.fixOne(f.text)
	} else {
		after, a.Edits = f.request.fixAll(ctx, f.text)
	}
	if a.Edits == 0 {
		return a, bad("There is nothing to apply: the text is another one now.")
	}
	found := f.request.found(after)
	a.Text, a.Left = after, counted(found)
	a.Effect, err = form{request: request{Agent: everyCrawler}, before: f.text, text: after}.compare(ctx)
	return a, err
}

// found returns the findings of the check.
func (r request) found(body []byte) []lint.Finding {
	return slices.DeleteFunc(lint.Lint(body), func(f lint.Finding) bool { return f.ID != r.Check })
}

// counted returns how many findings there are, with those that are not listed.
func counted(found []lint.Finding) int {
	n := len(found)
	for _, f := range found {
		n += f.More
	}
	return n
}

func (r request) fixOne(body []byte) (after []byte, edits int) {
	return fixListed(body, slices.DeleteFunc(r.found(body), func(f lint.Finding) bool { return f.Line != r.Line || f.Column != r.Column }))
}

// fixAll makes edits until no finding has one. Not all findings are listed at once, and an edit may
// bring others to light: it goes on while they do not become more, nor stay as many for long.
func (r request) fixAll(ctx context.Context, body []byte) (after []byte, edits int) {
	found := r.found(body)
	for left, same := counted(found), 0; same < mostRounds && ctx.Err() == nil; same++ {
		next, n := fixListed(body, found)
		found = r.found(next)
		now := counted(found)
		if n == 0 || now > left {
			break
		} else if now < left {
			same = 0
		}
		body, edits, left = next, edits+n, now
	}
	return body, edits
}

// fixListed makes the edits of findings from the last to the first, so that each finds its
// line as it was. Of edits that overlap, it makes the last one.
func fixListed(body []byte, found []lint.Finding) (after []byte, edits int) {
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
