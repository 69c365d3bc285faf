// Package compare tells what changes when one robots.txt takes the place of another.
package compare

import (
	"context"
	"encoding/binary"
	"strings"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
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
		one := crawler{tokens[0], RulesOf(old, tokens), RulesOf(new, tokens)}
		c.crawlers = append(c.crawlers, one)
		key := Fingerprint(one.old) + Fingerprint(one.new)
		if i, ok := places[key]; ok {
			c.readers[i].names = append(c.readers[i].names, one.name)
			continue
		}
		places[key] = len(c.readers)
		c.readers = append(c.readers, reader{[]string{one.name}, one.old, one.new})
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
			tokens, _ := judge.ParseAgent(token)
			crawlers = append(crawlers, tokens)
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

// Count returns for how many crawlers the files are compared.
func (c *Comparison) Count() int { return len(c.crawlers) }

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
