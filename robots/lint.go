package robots

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Severity says how bad a [Finding] is.
type Severity int

const (
	Note    Severity = iota // worth knowing
	Warning                 // does something else than many would think
	Error                   // does nothing, or not what it seems
)

// String returns "note", "warning" or "error".
func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	case Error:
		return "error"
	}
	return "severity " + strconv.Itoa(int(s))
}

// A Finding is something in a robots.txt that its author may want to change.
type Finding struct {
	ID       string   // of the [Check] that found it; it does not change
	Severity Severity // of that check
	Line     int      // from 1
	Column   int      // from 1, in octets
	Message  string   // what happens, and what to write instead
	More     int      // findings of the check that are not listed; 0 unless this is its last
}

// String returns the finding as a compiler would print it, without the name of
// the file: "3:1: error: … [missing-colon]".
func (f Finding) String() string {
	return fmt.Sprintf("%d:%d: %s: %s [%s]", f.Line, f.Column, f.Severity, f.Message, f.ID)
}

// A Check is a kind of [Finding].
type Check struct {
	ID       string
	Severity Severity
	Summary  string // what it finds
}

// Checks returns all kinds of findings there are.
func Checks() []Check { return slices.Clone(checks[:]) }

// maxFindings is the number of findings of one check that are listed.
const maxFindings = 100

// Lint returns what is wrong with a robots.txt, or may be, in the order of its
// lines; nil if there is nothing to say. It reads body as [Parse] does, and
// speaks of what Parse makes of it.
//
// No check has more than 100 findings; the last of them tells how many more there
// are. The time is limited as well: in a group of thousands of rules with
// wildcards Lint may not find all those that have no effect.
func Lint(body []byte) []Finding {
	l := linter{body: body, parser: parser{group: noGroup}}
	l.lint()
	slices.SortStableFunc(l.findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	l.countOthers()
	return l.findings
}

// A linter reads a file by a parser, and looks at what that makes of each line.
type linter struct {
	parser
	body []byte // as given

	current []byte   // the line that is being read
	columns []uint32 // of the values of all lines
	said    said     // what the lines have been so far
	groups  []namedGroup
	names   []named // of all groups
	gap     gap     // between the last user-agent line and the current line
	empties []emptyRule
	doubts  []doubt

	findings []Finding
	counts   [checkCount]int
	effort   int           // spent on comparing rules
	next     []rule        // of checkBlock
	losers   []loser       // of checkBlock
	order    []uint32      // of orderOf
	places   []uint32      // 1 + the place of a rule in its block, by line; 0 for none
	winners  map[rule]bool // rules that cannot go: one that they beat would decide
}

func (l *linter) lint() {
	body, truncated := truncate(l.body)
	if l.isOtherFormat(body) {
		return
	}
	l.readLines(body)
	l.closeGroups()
	l.checkFile(truncated)
	l.checkEmptyRules()
	l.checkGroups()
}

func (l *linter) readLines(body []byte) {
	text := body[markSize(body):]
	switch len(body) - len(text) {
	case 0:
	case len(byteOrderMark):
		l.report(byteOrderMarkFound, 1, 1, "the file begins with a byte order mark, which some crawlers take for a part of the first line; save it as UTF-8 without one")
	default:
		l.report(byteOrderMarkFound, 1, 1, "the file begins with a part of a byte order mark, which some crawlers take for a part of the first line; remove it")
	}
	l.reserve(text)
	lines := cutter{body: text, lineFeed: -1}
	for start := 0; start < len(text); {
		l.line++
		rules := len(l.rules)
		size, ordinary := l.ordinaryLine(text[start:])
		end := start + size
		if !ordinary {
			end = lines.end(start)
		}
		l.current = text[start:end]
		if ordinary {
			l.readOrdinary(len(l.rules) > rules)
		} else {
			l.readLine()
		}
		start = min(lines.next(end), len(text))
		l.checkLineEnd(text[end:start], text[start:])
	}
}

// reserve makes room for what lines hold.
func (l *linter) reserve(text []byte) {
	lines := bytes.Count(text, []byte("\n")) + 1
	l.text = make([]byte, 0, len(text))
	l.rules, l.tags, l.columns = make([]rule, 0, lines), make([]tag, 0, lines), make([]uint32, 0, lines)
}

// readOrdinary looks at the current line, which the parser has read as an ordinary
// one: blank, or a rule with or without a pattern.
func (l *linter) readOrdinary(pattern bool) {
	if len(l.current) == 0 {
		l.columns = append(l.columns, 0)
		l.widen(blankLine)
		return
	}
	value := l.current[len(l.current):]
	if pattern {
		value = l.current[len(l.current)-int(l.rules[len(l.rules)-1].pattern().size):]
	}
	l.said.anything = true
	l.columns = append(l.columns, uint32(l.column(value)))
	l.checkLength(l.current)
	l.checkRule(lower(l.current[0]) == 'a', l.current, value)
}

// readLine looks at the current line and adds it to the parser.
func (l *linter) readLine() {
	key, value, ok := cutLine(l.current)
	if !ok {
		l.columns = append(l.columns, 0)
		l.checkUnread()
		return
	}
	l.columns = append(l.columns, uint32(l.column(value)))
	kind := classify(key)
	l.checkText(kind, key, value)
	l.checkKey(kind, key, value)
	switch kind {
	case userAgent:
		l.checkUserAgent(value)
	case allow, disallow:
		l.checkRule(kind == allow, key, value)
	default:
		l.checkRecord(kind, key, value)
	}
	l.addLine(kind, key, value)
}

// column returns the column at which part, a slice of the current line, begins.
func (l *linter) column(part []byte) int {
	column := l.offset(part) + 1
	if l.line == 1 {
		column += markSize(l.body)
	}
	return column
}

// offset returns the place in the current line at which part, a slice of it,
// begins: the lines share an array, whose end is as far from it as its capacity.
func (l *linter) offset(part []byte) int { return cap(l.current) - cap(part) }

// say reports a finding on part, a slice of the current line.
func (l *linter) say(c check, part []byte, message string) {
	l.report(c, int(l.line), l.column(part), message)
}

// sayf is say with a message to be formatted.
func (l *linter) sayf(c check, part []byte, format string, args ...any) {
	if l.counts[c] < maxFindings {
		l.say(c, part, fmt.Sprintf(format, args...))
	} else {
		l.counts[c]++
	}
}

// onValuef reports a finding on the value of a line that has been read.
func (l *linter) onValuef(c check, line uint32, format string, args ...any) {
	if l.counts[c] < maxFindings {
		l.report(c, int(line), int(l.columns[line-1]), fmt.Sprintf(format, args...))
	} else {
		l.counts[c]++
	}
}

func (l *linter) report(c check, line, column int, message string) {
	l.counts[c]++
	if l.counts[c] <= maxFindings {
		if l.findings == nil {
			l.findings = make([]Finding, 0, 16)
		}
		l.findings = append(l.findings, Finding{ID: checks[c].ID, Severity: checks[c].Severity, Line: line, Column: column, Message: message})
	}
}

// countOthers makes the last finding of a check that has too many tell how many
// more there are.
func (l *linter) countOthers() {
	for c, count := range l.counts {
		for i := len(l.findings) - 1; count > maxFindings; i-- {
			if f := &l.findings[i]; f.ID == checks[c].ID {
				f.More = count - maxFindings
				f.Message += fmt.Sprintf(" (and %d more like this)", f.More)
				break
			}
		}
	}
}

// quoted is a part of the file as a message shows it: shortened, and without
// anything that a terminal would take for more than text.
type quoted []byte

func (q quoted) String() string {
	text := strconv.Quote(clip(q)) // in which blank letters and marks stand as they are
	if !strings.ContainsFunc(text, isBlank) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isBlank(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isBlank tells what counts as printable, and shows nothing.
func isBlank(r rune) bool {
	switch r {
	case 0x2800, 0x13441, 0x13442, 0x16FE4, 0x1D159:
		return true
	}
	return r >= utf8.RuneSelf && unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// clipped is quoted without the quotation marks.
type clipped []byte

func (c clipped) String() string {
	q := quoted(c).String()
	return q[1 : len(q)-1]
}

// longestQuote is how many octets of the file a message shows at once.
const longestQuote = 60

func clip(b []byte) string {
	if len(b) <= longestQuote {
		return string(b)
	}
	end := longestQuote
	for end > longestQuote-utf8.UTFMax && !utf8.RuneStart(b[end]) {
		end--
	}
	return string(b[:end]) + "…"
}
