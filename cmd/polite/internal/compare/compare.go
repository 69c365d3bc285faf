// Package compare tells what changes when one robots.txt takes the place of another, and words it for
// people, for programs, and for the comment of a review.
package compare

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/crawlers"
	"github.com/go-polite/polite/robots/diff"
)

// A Comparison compares two files.
type Comparison struct {
	old, new *robots.File
	crawlers []crawler
	readers  []reader
}

// A crawler is one for which the files are compared.
type crawler struct {
	name     string
	old, new robots.Rules
	reader   int // its place among the readers
}

// A reader is all crawlers that have the same rules in the one file, and in the other.
type reader struct {
	names    []string
	old, new robots.Rules
}

// New returns a Comparison for crawlers, each with its product tokens. A crawler with the
// token "*" is one that neither file names.
func New(old, new *robots.File, crawlers [][]string) *Comparison {
	c := &Comparison{old: old, new: new}
	places := make(map[string]int)
	for _, tokens := range crawlers {
		one := crawler{name: verb.Name(tokens[0]), old: RulesOf(old, tokens), new: RulesOf(new, tokens)}
		key := Fingerprint(one.old) + Fingerprint(one.new)
		i, ok := places[key]
		if !ok {
			i = len(c.readers)
			places[key], c.readers = i, append(c.readers, reader{old: one.old, new: one.new})
		}
		c.readers[i].names = append(c.readers[i].names, one.name)
		one.reader = i
		c.crawlers = append(c.crawlers, one)
	}
	return c
}

// RulesOf returns the rules that apply to a crawler.
func RulesOf(f *robots.File, tokens []string) robots.Rules {
	if tokens[0] == "*" {
		return f.Rules()
	}
	r := f.Rules(tokens...)
	if r.Agent() == "*" && crawlers.IgnoresEveryone(tokens[0]) {
		return robots.Rules{}
	}
	return r
}

// Fingerprint returns the same text for the same rules of a file.
func Fingerprint(rules robots.Rules) string {
	var b []byte
	for r := range rules.All() {
		b = binary.AppendUvarint(b, uint64(r.Line))
	}
	return string(append(b, 0)) // no line has the number 0
}

const (
	mostCrawlers = 1000
	mostBytes    = 100 << 20 // of all crawlers' files together
)

// Crawlers returns a crawler for each product token that one of two files names, and one
// that neither names. If there are too many, all is false.
func Crawlers(old, new *robots.File) (crawlers [][]string, all bool) {
	crawlers = [][]string{{"*"}}
	seen := map[string]bool{"*": true}
	most := min(mostCrawlers, mostBytes/(old.Size()+new.Size()))
	for _, f := range []*robots.File{old, new} {
		for token := range f.Named() {
			if folded := strings.ToLower(token); seen[folded] {
				continue
			} else if len(crawlers) >= most {
				return crawlers, false
			} else {
				seen[folded] = true
			}
			if tokens, err := judge.ParseAgent(token); err == nil { // else it is a policy token
				crawlers = append(crawlers, tokens)
			}
		}
	}
	return crawlers, true
}

// A Verdict is what changes for a URL.
type Verdict struct {
	URL      string
	Crawlers []string
	Old, New robots.Rule // that decide; zero if none does
	More     int         // URLs for which the same changes; only of [Bundles]
}

// Allowed reports whether a rule allows what it decides on. If there is none, all is allowed.
func Allowed(r robots.Rule) bool { return r == (robots.Rule{}) || r.Allow }

// mostVerdicts is after how many invented changes no more are looked for.
const mostVerdicts = 100_000

// Invented returns the changes on URLs that are made up, so that there is one for each pair
// of rules that decide. If the files have too many rules to look at all, or if ctx ends, all
// is false.
func (c *Comparison) Invented(ctx context.Context) (verdicts []Verdict, all bool) {
	all = true
	for _, r := range c.readers {
		if len(verdicts) > mostVerdicts || ctx.Err() != nil {
			return verdicts, false
		}
		changes, every := diff.Verdicts(r.old, r.new)
		all = all && every
		for _, change := range changes {
			verdicts = append(verdicts, Verdict{URL: change.Path, Crawlers: r.names, Old: change.Old, New: change.New})
		}
	}
	return verdicts, all
}

// A Headline is what changes most for crawlers, in a few words.
type Headline struct {
	Crawlers []string
	What     string
}

// String tells the first crawlers, and what changes.
func (h Headline) String() string { return some(h.Crawlers) + ": " + h.What }

// Headlines returns the headlines of the crawlers for which one of the invented verdicts changes: who may now
// fetch nothing or everything, and who goes by another group.
func (c *Comparison) Headlines(invented []Verdict) (all []Headline) {
	fetches := make(map[string]string) // what the crawlers of a reader may now fetch, by the first
	for _, v := range invented {
		fetches[v.Crawlers[0]] = ""
	}
	for _, r := range c.readers {
		if _, affected := fetches[r.names[0]]; affected {
			fetches[r.names[0]] = nowFetches(r.old, r.new)
		}
	}
	for _, one := range c.crawlers {
		now, affected := fetches[c.readers[one.reader].names[0]]
		what := strings.TrimPrefix(now+regrouped(one), "; ")
		if !affected || what == "" {
			continue
		}
		i := slices.IndexFunc(all, func(h Headline) bool { return h.What == what })
		if i < 0 {
			i, all = len(all), append(all, Headline{What: what})
		}
		all[i].Crawlers = append(all[i].Crawlers, one.name)
	}
	return all
}

// regrouped tells that a crawler goes by another group. It is "" if it does not.
func regrouped(c crawler) string {
	old, new := c.old.Agent(), c.new.Agent()
	switch {
	case c.name == "*" || strings.EqualFold(old, new) || old != "" && old != "*" && new != "" && new != "*":
		return ""
	case new == "":
		return "; no group any more"
	case new == "*" && old == "":
		return "; now by *"
	case new == "*":
		return "; now by *, not by a group of its own"
	case old == "":
		return "; now by a group of its own"
	default:
		return "; now by a group of its own, not by *"
	}
}

// nowFetches tells that all is disallowed now, or allowed, and was not. It is "" if neither is.
func nowFetches(old, new robots.Rules) string {
	nothing := robots.Parse([]byte("user-agent: *\ndisallow: /")).Rules()
	for what, all := range map[string]robots.Rules{"nothing": nothing, "everything": {}} {
		if same(new, all) && !same(old, all) {
			return "; may now fetch " + what
		}
	}
	left, shut := leftOpen(new)
	if _, before := leftOpen(old); shut && !before && len(left) > 0 {
		return "; may now fetch nothing but " + some(left)
	}
	return ""
}

// leftOpen returns the patterns that a rule for everything leaves open. shut is false if there is no such rule.
func leftOpen(rules robots.Rules) (left []string, shut bool) {
	for r := range rules.All() {
		switch everything := strings.Trim(r.Pattern, "*") == "/" || r.Pattern == "*"; {
		case everything && r.Allow:
			return nil, false
		case r.Allow:
			left = append(left, terminal.Excerpt(r.Pattern))
		case everything:
			shut = true
		}
	}
	return left, shut
}

// same reports whether two files give the same verdicts.
func same(old, new robots.Rules) bool {
	changes, all := diff.Verdicts(old, new)
	return all && len(changes) == 0
}

// On returns the changes for a URL with a path and a query.
func (c *Comparison) On(url, path string) (verdicts []Verdict) {
	for _, r := range c.readers {
		old, _ := r.old.Match(path)
		new, _ := r.new.Match(path)
		if Allowed(old) != Allowed(new) {
			verdicts = append(verdicts, Verdict{URL: url, Crawlers: r.names, Old: old, New: new})
		}
	}
	return verdicts
}

// tokens returns the tokens of the groups that apply to the crawlers, as one of the files
// writes them.
func (c *Comparison) tokens() (tokens []string) {
	seen := make(map[string]bool)
	for _, one := range c.crawlers {
		for _, token := range []string{one.new.Agent(), one.old.Agent()} {
			if folded := strings.ToLower(token); token != "" && !seen[folded] {
				seen[folded] = true
				tokens = append(tokens, token)
			}
		}
	}
	return tokens
}

// A Change is a verdict, rule, delay or record that changes, in JSON. The texts are
// as the files have them: make them printable.
type Change struct {
	Kind     string   `json:"kind"`   // verdict, headline, rule, delay or record
	Change   string   `json:"change"` // new, gone, moved or now; of a verdict, what it is now
	URL      string   `json:"url,omitempty"`
	Text     string   `json:"text,omitempty"`
	Crawlers []string `json:"crawlers,omitempty"` // of a rule: the product tokens that have it in the new file alone
	From     []string `json:"from,omitempty"`     // those that have it in the old file alone
	Before   string   `json:"before,omitempty"`   // of a delay
	After    string   `json:"after,omitempty"`
	OldRule  string   `json:"old_rule,omitempty"`
	OldLine  int      `json:"old_line,omitempty"`
	NewRule  string   `json:"new_rule,omitempty"`
	NewLine  int      `json:"new_line,omitempty"`
	Effect   *bool    `json:"effect,omitempty"` // of a rule: a verdict changes

	More     int `json:"more_crawlers,omitempty"` // that crawlers leaves out
	MoreFrom int `json:"more_from,omitempty"`     // that from leaves out
}

// Others returns what changes besides the verdicts.
func (c *Comparison) Others(verdicts []Verdict) []Change {
	rules := c.rules("rule", c.tokens())
	effective := effective(verdicts)
	for i, r := range rules {
		rules[i].Effect = new(effective[line{false, r.OldLine}] || effective[line{true, r.NewLine}])
	}
	policies := c.rules("record", judge.PolicyTokens(c.old, c.new)) // which say what pages may be used for
	return slices.Concat(rules, c.delays(), policies, c.records())
}

// rules returns the rules that changed, of the groups for some product tokens, as changes of a kind.
func (c *Comparison) rules(kind string, tokens []string) (changed []Change) {
	byContent := make(map[string]*Change)
	at := func(content string) *Change {
		if byContent[content] == nil {
			byContent[content] = &Change{Kind: kind, Text: content}
		}
		return byContent[content]
	}
	ownOld, ownNew := ownIn(c.old), ownIn(c.new)
	for _, token := range tokens {
		old, new := ownOld(token), ownNew(token)
		for content, line := range old {
			if _, kept := new[content]; !kept {
				rule := at(content)
				rule.OldLine, rule.From = first(rule.OldLine, line), append(rule.From, verb.Name(token))
			}
		}
		for content, line := range new {
			if _, kept := old[content]; !kept {
				rule := at(content)
				rule.NewLine, rule.Crawlers = first(rule.NewLine, line), append(rule.Crawlers, verb.Name(token))
			}
		}
	}
	for _, r := range byContent {
		switch {
		case len(r.From) == 0:
			r.Change = "new"
		case len(r.Crawlers) == 0:
			r.Change = "gone"
		default:
			r.Change = "moved"
		}
		changed = append(changed, *r)
	}
	slices.SortFunc(changed, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.NewLine, b.NewLine), cmp.Compare(a.OldLine, b.OldLine))
	})
	return changed
}

// first returns the line that comes first in the file. Line 0 is none yet.
func first(a, b int) int {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// ownIn returns what finds the rules of the groups that name a product token, with the lines where they first stand.
// Tokens with the same groups share them.
func ownIn(f *robots.File) func(token string) map[string]int {
	groups := make(map[string]map[string]int)
	return func(token string) map[string]int {
		rules := f.Rules(token)
		if token == "*" {
			rules = f.Rules()
		}
		if !strings.EqualFold(rules.Agent(), token) {
			return nil
		}
		same := Fingerprint(rules)
		if all, ok := groups[same]; ok {
			return all
		}
		all := make(map[string]int)
		for r := range rules.All() {
			if _, ok := all[r.String()]; !ok {
				all[r.String()] = r.Line
			}
		}
		groups[same] = all
		return all
	}
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

// delays returns the crawl-delays that changed.
func (c *Comparison) delays() (delays []Change) {
	for _, one := range c.crawlers {
		old, _ := one.old.CrawlDelay()
		new, _ := one.new.CrawlDelay()
		if old == new || crawlers.IgnoresDelay(one.name) {
			continue
		}
		before, after := delay(old), delay(new)
		i := slices.IndexFunc(delays, func(d Change) bool { return d.Before == before && d.After == after })
		if i < 0 {
			i, delays = len(delays), append(delays, Change{Kind: "delay", Change: "now", Before: before, After: after})
		}
		delays[i].Crawlers = append(delays[i].Crawlers, one.name)
	}
	return delays
}

func delay(d time.Duration) string {
	if d == 0 {
		return "none"
	}
	return d.String()
}

// records returns the lines of one of the files that the other does not have for the same crawlers, and that are
// neither rules nor delays.
func (c *Comparison) records() (changed []Change) {
	old, new := recordsOf(c.old), recordsOf(c.new)
	for content, r := range old {
		if _, kept := new[content]; !kept {
			changed = append(changed, Change{Kind: "record", Change: "gone", Text: r.Key + ": " + r.Value, From: r.agents, OldLine: r.Line})
		}
	}
	for content, r := range new {
		if _, kept := old[content]; !kept {
			changed = append(changed, Change{Kind: "record", Change: "new", Text: r.Key + ": " + r.Value, Crawlers: r.agents, NewLine: r.Line})
		}
	}
	value := func(c Change) string { _, value, _ := strings.Cut(c.Text, ": "); return value }
	slices.SortFunc(changed, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.line(), b.line()), strings.Compare(value(a), value(b)))
	})
	return changed
}

// line returns the line of a change that has one.
func (c Change) line() int { return max(c.NewLine, c.OldLine) }

// A record is one of a file, with the agents of its group; nil if it is in none.
type record struct {
	robots.Record
	agents []string
}

// mostAgents bounds how many agents all records of a file may have together.
const mostAgents = 1_000_000

// recordsOf returns the records of a file, by what they say to whom. If too many agents
// have too many records, it leaves the agents out.
func recordsOf(f *robots.File) map[string]record {
	records := make(map[string]record)
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
		for i, name := range agents {
			agents[i] = verb.Name(name)
		}
		folded := slices.Sorted(slices.Values(strings.Fields(strings.ToLower(strings.Join(agents, " ")))))
		content := key + "\n" + r.Value + "\n" + strings.Join(slices.Compact(folded), " ")
		if _, ok := records[content]; !ok {
			records[content] = record{r, agents}
		}
	}
	return records
}

// Bundles are verdicts that change, many of them in the same way. The zero Bundles has none.
type Bundles struct {
	first  []Verdict // as they came, while they are few
	all    []Verdict
	places map[bundle]int // in all
	rest   int            // verdicts that are in no bundle, because there are too many
}

// A bundle is what verdicts have in common: the rules that decide, and the crawlers, of which
// the first stands for all.
type bundle struct {
	old, new int
	crawler  string
}

const (
	few         = 20     // verdicts that are told one by one
	mostBundles = 10_000 // that are kept
)

// Add adds a verdict.
func (b *Bundles) Add(v Verdict) {
	if b.places == nil {
		b.places = make(map[bundle]int)
	}
	if len(b.first) <= few {
		b.first = append(b.first, v)
	}
	key := bundle{v.Old.Line, v.New.Line, v.Crawlers[0]}
	i, ok := b.places[key]
	switch {
	case ok:
		b.all[i].More++
	case len(b.all) < mostBundles:
		b.places[key] = len(b.all)
		b.all = append(b.all, v)
	default:
		b.rest++
	}
}

// Verdicts returns the verdicts that were added, if they are few. Otherwise it returns the
// first one of each bundle, which says how many more there are.
func (b *Bundles) Verdicts() []Verdict {
	if len(b.first) <= few {
		return b.first
	}
	return b.all
}
