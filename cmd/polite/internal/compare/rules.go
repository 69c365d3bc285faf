package compare

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots"
)

// A Rule is a rule that is new, gone, or moved from one group to another.
type Rule struct {
	Old, New robots.Rule // zero if the file has no such rule
	From, To []string    // the product tokens that have it in the old file alone, and in the new one
	Effect   bool        // a verdict changes
}

// What returns "new", "gone" or "moved".
func (r Rule) What() string {
	switch {
	case len(r.From) == 0:
		return "new"
	case len(r.To) == 0:
		return "gone"
	default:
		return "moved"
	}
}

// Rules returns the rules that changed, of the groups that apply to the crawlers. Those that
// some verdicts have changed by have an effect.
func (c *Comparison) Rules(verdicts []Verdict) (changed []Rule) {
	byContent := make(map[string]*Rule)
	for _, token := range c.tokens() {
		old, new := own(c.old, token), own(c.new, token)
		for content, r := range old {
			if _, kept := new[content]; !kept {
				rule := ruleIn(byContent, content)
				rule.Old, rule.From = first(rule.Old, r), append(rule.From, token)
			}
		}
		for content, r := range new {
			if _, kept := old[content]; !kept {
				rule := ruleIn(byContent, content)
				rule.New, rule.To = first(rule.New, r), append(rule.To, token)
			}
		}
	}
	effective := effective(verdicts)
	for _, r := range byContent {
		r.Effect = effective[line{false, r.Old.Line}] || effective[line{true, r.New.Line}]
		changed = append(changed, *r)
	}
	slices.SortFunc(changed, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(a.New.Line, b.New.Line), cmp.Compare(a.Old.Line, b.Old.Line))
	})
	return changed
}

func ruleIn(byContent map[string]*Rule, content string) *Rule {
	if byContent[content] == nil {
		byContent[content] = new(Rule)
	}
	return byContent[content]
}

// first returns the rule that comes first in the file.
func first(a, b robots.Rule) robots.Rule {
	if a.Line == 0 || b.Line < a.Line {
		return b
	}
	return a
}

// own returns the rules of the groups that name a product token, by what they say.
func own(f *robots.File, token string) map[string]robots.Rule {
	rules := f.Rules(token)
	if token == "*" {
		rules = f.Rules()
	}
	all := make(map[string]robots.Rule)
	if !strings.EqualFold(rules.Agent(), token) {
		return all
	}
	for r := range rules.All() {
		if _, ok := all[r.String()]; !ok {
			all[r.String()] = r
		}
	}
	return all
}

// A line is one of the old or the new file.
type line struct {
	new    bool
	number int
}

// effective returns the lines of rules by which verdicts have changed.
func effective(verdicts []Verdict) map[line]bool {
	lines := make(map[line]bool)
	for _, v := range verdicts {
		lines[line{false, v.Old.Line}], lines[line{true, v.New.Line}] = v.Old.Line > 0, v.New.Line > 0
	}
	return lines
}
