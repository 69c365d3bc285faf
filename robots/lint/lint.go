// Package lint tells the author of a robots.txt what is wrong with it, or may be:
// lines that do nothing, rules that never decide, groups that mean something else
// than they seem to, and what other crawlers read differently.
//
//	for _, finding := range lint.Lint(body) {
//		fmt.Println(finding) // 4:11: error: the rule matches nothing, … [pattern-without-slash]
//	}
//
// It reads a file as package robots does, and uses the same matcher. So a finding about a
// rule is true of the verdicts that package robots gives. A [Finding] has a line and
// column, a [Severity], a message, and the ID of its [Check]. The message says what
// happens and what to write instead. If that is one [Edit], the finding has it, and
// [Finding.Apply] makes it. [Checks] lists all checks. An [Error] is worth a failing
// build. A [Warning] or a [Note] is advice.
package lint

import (
	"cmp"
	"slices"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// Lint returns what is wrong with a robots.txt, or may be wrong, in the order of its
// lines. It returns nil if there is nothing to say. It reads body as [robots.Parse]
// does, and its findings are about what Parse makes of it. Lint never fails.
//
// Lint returns at most 100 findings of one check. The last of them tells how many more
// there are. A comment can name checks to ignore, for its own line and, if it stands
// alone, for the next line:
//
//	# polite-lint: ignore never-wins, redundant-rule
//
// No edit removes the next line, nor adds one before it: the comment would then count for another line.
//
// Lint also limits the time that it takes. In a group with thousands of
// wildcard rules it may miss some that have no effect.
func Lint(body []byte) []Finding { return LintUpTo(body, 100) }

// LintUpTo does what [Lint] does, and lists up to most findings of one check, and at least one. A program
// that makes edits needs more of them than a reader does, as it lints the file again after them.
func LintUpTo(body []byte, most int) []Finding {
	l := linter{body: body, most: max(most, 1)}
	l.lint()
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	l.countOthers()
	return l.findings
}

func (l *linter) lint() {
	l.counts, l.grave = make(map[*check]int), never
	body, truncated := syntax.Truncate(l.body)
	if l.isOtherFormat(body) {
		return
	}
	l.readIgnores(body[syntax.MarkSize(body):], ids)
	l.readLines(body)
	l.closeGroups()
	l.checkFile(truncated)
	l.checkEmptyRules()
	l.checkGroups()
	l.keepComments()
}

func (l *linter) readLines(body []byte) {
	text := body[syntax.MarkSize(body):]
	start := len(body) - len(text)
	l.checkMark(start)
	l.reserve(text)
	for line := range syntax.Lines(text) {
		l.line, l.current, l.end = uint32(line.Number), line.Text, line.End
		l.starts = append(l.starts, uint32(start))
		start += len(line.Text) + len(line.End)
		switch {
		case len(line.Text) == 0:
			l.readBlank()
		case line.Plain.IsRule() && len(l.groups) > 0:
			l.readPlain(line.Plain)
		default:
			l.readLine()
		}
		if !line.Last {
			l.checkLineEnd(line.End)
		}
	}
	l.starts, l.grave = append(l.starts, uint32(start)), never
}

func (l *linter) readBlank() {
	l.columns = append(l.columns, 0)
	l.widen(blankLine)
}

// readPlain reads the current line: a plain rule, with or without a pattern.
func (l *linter) readPlain(plain syntax.Plain) {
	pattern := l.current[plain.Value:]
	l.said.anything = true
	l.columns = append(l.columns, uint32(l.column(pattern)))
	l.grave = Warning
	l.checkLength(l.current)
	l.checkRule(plain.Kind == syntax.Allow, l.current, pattern)
	l.naming = false
	if len(pattern) > 0 {
		l.read.AddPlain(l.line, plain.Kind == syntax.Allow, pattern, plain.Literal)
	}
}

// readLine reads the current line, whatever it is.
func (l *linter) readLine() {
	l.grave = Warning
	key, value, ok := syntax.Split(l.current)
	if !ok {
		l.columns = append(l.columns, 0)
		l.checkUnread()
		return
	}
	l.columns = append(l.columns, uint32(l.column(value)))
	kind := syntax.Classify(key)
	l.grave = graveIn(kind, key)
	l.checkText(kind, key, value)
	l.checkKey(kind, key, value)
	switch kind {
	case syntax.UserAgent:
		l.checkUserAgent(value)
		l.naming = true
	case syntax.Allow, syntax.Disallow:
		l.readRule(kind == syntax.Allow, key, value)
	default:
		l.checkRecord(kind, key, value)
	}
}

// graveIn returns the severity from which on a finding in a line with a key puts the rules of the line's
// group in doubt.
func graveIn(kind syntax.Kind, key []byte) Severity {
	switch {
	case kind == syntax.UserAgent:
		return Error
	case kind == syntax.Allow || kind == syntax.Disallow || kind == syntax.Other && syntax.ClassifyUsage(key) == syntax.Other:
		return Warning
	}
	return never
}

func (l *linter) readRule(allow bool, key, pattern []byte) {
	l.checkRule(allow, key, pattern)
	l.naming = false
	if len(l.groups) > 0 && len(pattern) > 0 {
		l.read.Add(l.line, allow, pattern)
	}
}

// checkRecord looks at a line that is neither a rule nor a user-agent line.
func (l *linter) checkRecord(kind syntax.Kind, key, value []byte) {
	l.widen(otherLine)
	switch kind {
	case syntax.Sitemap:
		l.checkSitemap(value)
	case syntax.CrawlDelay:
		d := syntax.ParseDelay(string(value))
		l.checkGoogleDelay(d, value)
		l.checkDelay(kind, d, key, value, "a number of seconds, such as 10")
	case syntax.RequestRate:
		l.checkDelay(kind, syntax.ParseRate(string(value)), key, value, "requests and seconds, such as 1/10")
	case syntax.Other:
		if kind := syntax.ClassifyUsage(key); kind != syntax.Other {
			l.checkUsage(kind, key, value)
		}
	}
}

// checkGroups looks at the groups, and at their rules together.
func (l *linter) checkGroups() {
	l.checkNames()
	s, blocks := l.merge()
	for _, b := range blocks {
		l.checkBlock(s, b)
	}
	l.checkMerged(blocks)
	l.checkSitemapRules(s, blocks)
	l.checkEveryone(s, blocks)
	l.checkUsages(s)
	l.checkDoubts(s)
}
