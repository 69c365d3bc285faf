package tester

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/compare"
	"github.com/go-polite/polite/cmd/polite/internal/fix"
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
		after, a.Edits = fix.Listed(f.text, slices.DeleteFunc(f.request.found(f.text), func(found lint.Finding) bool {
			return found.Line != f.request.Line || found.Column != f.request.Column
		}))
	} else {
		after, a.Edits = fix.All(ctx, f.text, f.request.found)
	}
	if a.Edits == 0 {
		return a, bad("There is nothing to apply: the text is another one now.")
	}
	found := f.request.found(after)
	a.Text, a.Left = after, fix.Count(found)
	a.Effect, err = form{request: request{Agent: everyCrawler}, before: f.text, text: after}.compare(ctx)
	return a, err
}

// found returns the findings of the check.
func (r request) found(body []byte) []lint.Finding {
	return slices.DeleteFunc(lint.LintUpTo(body, fix.MostFindings), func(f lint.Finding) bool { return f.ID != r.Check })
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
