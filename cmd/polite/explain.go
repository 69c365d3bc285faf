package main

import (
	"slices"
	"strings"
	"sync"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

// An explanation is what there is to say about a decision by the text of a
// robots.txt. It is empty if there is none.
type explanation struct {
	matches []robots.Rule // the one that decides first
	named   []int         // the lines that name the group
	lines   []sourceLine  // those and the matches, in the order of the file
	lack    lack          // why no group can speak
}

type sourceLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// A robotsText is what a robots.txt says, read when it is asked for.
type robotsText struct {
	body []byte
	file func() *robots.File
	lack func() lack
}

func newText(body []byte) *robotsText {
	return &robotsText{
		body: body,
		file: sync.OnceValue(func() *robots.File { return robots.Parse(body) }),
		lack: sync.OnceValue(func() lack { return lackOf(body) }),
	}
}

// explain tells what led to d, which is about target, by a text that may be nil.
func explain(d polite.Decision, text *robotsText, tokens []string, target string) explanation {
	if text == nil || d.Reason != polite.ByRule && d.Reason != polite.NoRule {
		return explanation{}
	}
	rules := text.file().Rules(tokens...)
	matches := slices.Collect(rules.Matches(target))
	if best, _ := rules.Match(target); best != d.Rule || rules.Agent() != d.Group {
		return explanation{} // by now there is another text under its URL
	}
	if d.Group == "" {
		return explanation{lack: text.lack()}
	}
	e := explanation{matches: matches}
	matching := make(map[int]bool)
	for _, m := range matches {
		matching[m.Line] = true
	}
	for n, line := range robots.Lines(text.body) {
		names := rules.NamedBy(line)
		if names {
			e.named = append(e.named, n)
		}
		if names || matching[n] {
			e.lines = append(e.lines, sourceLine{n, string(line)})
		}
	}
	return e
}

// A lack is what makes a text one that speaks to nobody.
type lack string

const (
	noLack   lack = "" // there are groups
	isHTML   lack = "it is a web page, and so has no rules (see polite lint)"
	isUTF16  lack = "it is UTF-16, and so has no rules (see polite lint)"
	noGroups lack = "no user-agent line of it names a crawler, and so it has no rules"
)

func lackOf(body []byte) lack {
	for _, line := range robots.Lines(body) {
		if len(line) > 0 && namesAnyone(line) {
			return noLack
		}
	}
	for _, f := range lint.Lint(body) {
		switch f.ID {
		case "html":
			return isHTML
		case "utf-16":
			return isUTF16
		}
	}
	return noGroups
}

// namesAnyone reports whether a line is a user-agent line that names a crawler: a
// record that follows it is in a group then.
func namesAnyone(line []byte) bool {
	f := robots.Parse(slices.Concat(line, []byte("\nx: y")))
	for r := range f.Records() {
		if len(f.Agents(r)) > 0 {
			return true
		}
	}
	return false
}

// A groupReason says why a group speaks to a crawler.
type groupReason string

const (
	ownToken      groupReason = "own-token"
	fallbackToken groupReason = "fallback-token"
	everyone      groupReason = "everyone"
	noGroup       groupReason = "none"
)

// groupReason tells why the group speaks, or "" if no file was read.
func (v verdict) groupReason() groupReason {
	d := v.decision
	switch {
	case d.Reason != polite.ByRule && d.Reason != polite.NoRule:
		return ""
	case d.Group == "":
		return noGroup
	case d.Group == "*":
		return everyone
	case strings.EqualFold(d.Group, v.tokens[0]):
		return ownToken
	default:
		return fallbackToken
	}
}

// A ruleReason says why a rule decides.
type ruleReason string

const (
	onlyRule     ruleReason = "only"
	longest      ruleReason = "longest"
	allowOnTie   ruleReason = "allow-on-tie"
	firstOfEqual ruleReason = "first-of-equals"
)

func (r ruleReason) text() string {
	switch r {
	case onlyRule:
		return "no other matches"
	case longest:
		return "the longest"
	case allowOnTie:
		return "a tie of the longest, which allow wins"
	default:
		return "the first of the longest"
	}
}

// ruleReason tells why the first of the matches decides, or "" if there is none.
func (e explanation) ruleReason() ruleReason {
	if len(e.matches) == 0 {
		return ""
	}
	best, others := e.matches[0], e.matches[1:]
	equal := func(m robots.Rule) bool { return m.Len() == best.Len() }
	switch {
	case len(others) == 0:
		return onlyRule
	case !equal(others[0]):
		return longest
	case best.Allow && slices.ContainsFunc(others, func(m robots.Rule) bool { return !m.Allow && equal(m) }):
		return allowOnTie
	default:
		return firstOfEqual
	}
}
