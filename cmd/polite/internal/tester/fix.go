package tester

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
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

// parted adds groups that keep crawlers of one kind out and let those of others in, where the
// text does not say so already. Lines that say otherwise become comments.
func (f form) parted(ctx context.Context) (a fixAnswer, err error) {
	file := robots.Parse(f.text)
	out, in := partedBy(file, f.request.Out, f.request.In)
	if len(out)+len(in) == 0 {
		return a, bad("The file says so already.")
	}
	a.Text, a.Edits = f.text, 1
	a.add("Kept out: "+f.request.Out, out, "Disallow: /")
	a.add("Let in: "+strings.Join(f.request.In, ", "), in, "Allow: /")
	for range mostRounds {
		lines := against(a.Text, out, in)
		for _, n := range lines {
			a.Text = lint.Finding{Line: n, Edit: &lint.Edit{Text: "# "}}.Apply(a.Text)
		}
		if a.Edits += len(lines); len(lines) == 0 {
			break
		}
	}
	a.Stay = staying(a.Text, f.request.Out)
	a.Effect, err = form{request: request{Agent: everyCrawler}, before: f.text, text: a.Text}.compare(ctx)
	return a, err
}

// mostRounds is how often what was written is judged again.
const mostRounds = 100

// partedBy returns the names of crawlers to keep out and of those to let in. Who is of both
// kinds is kept out.
func partedBy(f *robots.File, kind string, others []string) (out, in []string) {
	seen := make(map[string]bool)
	for _, c := range inUse(crawlers.OfKind(crawlers.Kind(kind))) {
		seen[c.Name] = true
		if letIn(f, c.Name) {
			out = append(out, c.Name)
		}
	}
	for _, other := range others {
		for _, c := range inUse(crawlers.OfKind(crawlers.Kind(other))) {
			if !seen[c.Name] && !letIn(f, c.Name) {
				in = append(in, c.Name)
			}
			seen[c.Name] = true
		}
	}
	return out, in
}

// rulesOf returns the rules for a crawler of the table, which has no name that fails.
func rulesOf(f *robots.File, name string) robots.Rules {
	tokens, _ := judge.ParseAgent(name)
	return compare.RulesOf(f, tokens)
}

// letIn reports whether a crawler may fetch the first page of a site.
func letIn(f *robots.File, name string) bool {
	rule, _ := rulesOf(f, name).Match("/")
	return compare.Allowed(rule)
}

// against returns the numbers of lines by which crawlers are still let in or kept out, since all groups
// for one crawler count as one. Of a group that is for others, too, it is the line that names the crawler.
func against(text []byte, out, in []string) (lines []int) {
	file, names := robots.Parse(text), slices.Concat(out, in)
	every, _ := compare.Crawlers(file, file)
	forOthers := make(map[int]bool)
	for _, tokens := range every {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, tokens[0]) }) {
			for rule := range compare.RulesOf(file, tokens).All() {
				forOthers[rule.Line] = true
			}
		}
	}
	for i, name := range names {
		if letIn(file, name) == (i >= len(out)) {
			continue
		}
		rules := rulesOf(file, name)
		rule, _ := rules.Match("/")
		line := rule.Line
		for n, written := range robots.Lines(text) {
			if forOthers[rule.Line] && n < rule.Line && rules.NamedBy(written) {
				line = n
			}
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// staying tells which crawlers of a kind may still fetch something, and by which line.
func staying(text []byte, kind string) (all []string) {
	file := robots.Parse(text)
	for _, c := range inUse(crawlers.OfKind(crawlers.Kind(kind))) {
		for rule := range rulesOf(file, c.Name).All() {
			if rule.Allow {
				all = append(all, fmt.Sprintf("%s (line %d)", c.Name, rule.Line))
				break
			}
		}
	}
	return all
}

// add adds a group for crawlers at the end of the text, after a blank line.
func (a *fixAnswer) add(comment string, names []string, rule string) {
	if len(names) == 0 {
		return
	}
	text, end := string(a.Text), "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	switch {
	case text == "":
	case !strings.HasSuffix(text, "\n") && !strings.HasSuffix(text, "\r"):
		text += end + end
	case !strings.HasSuffix(text, end+end):
		text += end
	}
	lines := []string{"# " + comment}
	for _, name := range names {
		lines = append(lines, "User-agent: "+name)
	}
	a.Text = []byte(text + strings.Join(append(lines, rule, ""), end))
}
