package compare

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
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

// A Delay is a crawl-delay that changed. It is 0 if there is none.
type Delay struct {
	Crawlers []string
	Old, New time.Duration
}

// Delays returns the crawl-delays that changed.
func (c *Comparison) Delays() (delays []Delay) {
	for _, one := range c.crawlers {
		old, _ := one.old.CrawlDelay()
		new, _ := one.new.CrawlDelay()
		if old == new || crawlers.IgnoresDelay(one.name) {
			continue
		}
		i := slices.IndexFunc(delays, func(d Delay) bool { return d.Old == old && d.New == new })
		if i < 0 {
			i, delays = len(delays), append(delays, Delay{Old: old, New: new})
		}
		delays[i].Crawlers = append(delays[i].Crawlers, one.name)
	}
	return delays
}

// A Record is a line of one of the files that the other does not have for the same
// crawlers, and that is neither a rule nor a delay.
type Record struct {
	robots.Record
	New    bool     // it is in the new file
	Agents []string // of its group; nil if it is in none
}

// Records returns the records that are new, and those that are gone.
func (c *Comparison) Records() (changed []Record) {
	old, new := recordsOf(c.old), recordsOf(c.new)
	for content, r := range old {
		if _, kept := new[content]; !kept {
			changed = append(changed, r)
		}
	}
	for content, r := range new {
		if _, kept := old[content]; !kept {
			r.New = true
			changed = append(changed, r)
		}
	}
	slices.SortFunc(changed, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), strings.Compare(a.Value, b.Value))
	})
	return changed
}

// mostAgents bounds how many agents all records of a file may have together.
const mostAgents = 1_000_000

// recordsOf returns the records of a file, by what they say to whom. If too many agents
// have too many records, it leaves the agents out.
func recordsOf(f *robots.File) map[string]Record {
	records := make(map[string]Record)
	named, count := 0, 0
	for range f.Named() {
		named++
	}
	for range f.Records() {
		count++
	}
	for r := range f.Records() {
		key := strings.ToLower(r.Key)
		if key == "crawl-delay" || key == "request-rate" {
			continue
		}
		var agents []string
		if named*count <= mostAgents {
			agents = f.Agents(r)
		}
		folded := slices.Sorted(slices.Values(strings.Fields(strings.ToLower(strings.Join(agents, " ")))))
		content := key + "\n" + r.Value + "\n" + strings.Join(slices.Compact(folded), " ")
		if _, ok := records[content]; !ok {
			records[content] = Record{r, false, agents}
		}
	}
	return records
}
