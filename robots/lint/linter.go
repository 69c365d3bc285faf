package lint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
)

// A linter reads a file line by line, then looks at its groups, and keeps what it finds.
type linter struct {
	body    []byte        // as given
	most    int           // how many findings of one check are listed
	read    match.Builder // all rules with a pattern
	names   []named       // of all groups
	engines []string      // the search engines among them

	line     uint32   // the number of the line that is being read
	current  []byte   // that line
	end      []byte   // LF, CR or CRLF, which ends that line
	columns  []uint32 // of the value of each line
	starts   []uint32 // of the lines, in body, and where the last one ends
	grave    Severity // from which on a finding in the current line puts the rules of the group in doubt
	wrong    []uint32 // the lines with such findings
	said     said     // what is known of the lines so far
	groups   []namedGroup
	naming   bool    // the last group's list of agents may go on: no rule has ended it
	divider  divider // between the last user-agent line and the current line
	empties  []emptyRule
	sitemaps []namedSitemap
	doubts   []doubt
	uses     map[useOn]saidUse // what the groups say about uses
	usages   []groupUsage      // where groups speak about use, by group

	ignored  map[int][]string // the checks that comments ignore, by line
	below    []int            // the lines below comments that stand alone and ignore checks
	findings []Finding
	counts   map[*check]int      // of the findings of each check, listed or not
	effort   int                 // that comparing rules should take, by an estimate in octets or so
	steps    int                 // that comparing rules has taken
	next     []match.Rule        // of checkBlock
	losers   []loser             // of checkBlock
	pairs    []pairs             // of the rules of the block that prepare was called for
	winners  map[match.Rule]bool // rules that must stay: without them a rule that they beat would decide
}

// said has what the lines of a file have said so far.
type said struct {
	anything  bool               // some line is neither blank nor a comment
	pointless bool               // some line is one that no crawler reads
	outside   bool               // some rule precedes the first user-agent line
	lineEnd   string             // of the first line
	rules     int                // how many with a pattern
	delays    [syntax.Kinds]bool // which kinds there were since the last user-agent line
	unknown   *check             // the check that found the last unknown record
}

// An emptyRule is a rule without a pattern.
type emptyRule struct {
	group  int
	line   uint32
	column int
	allow  bool
}

// A useOn is a use that a group speaks of, on a path in normal form.
type useOn struct {
	group     int // -1 outside of groups
	path, use string
}

// A saidUse is what a line says about a use.
type saidUse struct {
	line uint32
	no   bool
}

// A groupUsage has the line in which a group first speaks about use, and the line in
// which it first says yes.
type groupUsage struct {
	group     int
	line, yes uint32 // 0 for nowhere
}

// A doubt is a finding on a rule. It waits until all other rules are read, as one of them
// may settle it.
type doubt struct {
	check   *check
	line    uint32
	column  int
	message string
	settled settler
	edit    *Edit
}

// A settler reports whether another rule makes a finding on r pointless, or may do so.
// The others are all rules of the file that say the opposite of r.
type settler func(l *linter, s *match.Set, r match.Rule, others []match.Rule) bool

// A loser is a rule that never decides, and the rule that wins instead. The winner of a
// rule for /robots.txt itself is unknown.
type loser struct{ rule, winner match.Rule }

// reserve makes room for what the lines of text hold.
func (l *linter) reserve(text []byte) {
	lines := bytes.Count(text, []byte("\n")) + 1
	l.read.Text = make([]byte, 0, len(text))
	l.read.Rules, l.read.Tags, l.columns = make([]match.Rule, 0, lines), make([]match.Tag, 0, lines), make([]uint32, 0, lines)
	l.starts = make([]uint32, 0, lines+1)
}

// hasRoom reports whether one more finding of a check, in a line, is listed. If not, it counts the
// finding, unless a comment ignores it.
func (l *linter) hasRoom(c *check, line int) bool {
	if l.isIgnored(c, line) {
		return false
	}
	if l.counts[c] >= l.most {
		l.counts[c]++
		l.doubtRules(c.Severity)
		return false
	}
	return true
}

// never is a severity that no finding has.
const never = Error + 1

// doubtRules notes a finding in the current line. If it is grave, nobody knows which rules the group is meant to have.
func (l *linter) doubtRules(found Severity) {
	if n := len(l.wrong); found >= l.grave && (n == 0 || l.wrong[n-1] != l.line) {
		l.wrong = append(l.wrong, l.line)
	}
}

// isIgnored reports whether a comment ignores what a check finds in a line.
func (l *linter) isIgnored(c *check, line int) bool { return slices.Contains(l.ignored[line], c.ID) }

// report adds a finding, and returns it so that it may get an edit. It returns nil if the
// finding is not listed.
func (l *linter) report(c *check, line, column int, message string) *Finding {
	if l.isIgnored(c, line) {
		return nil
	}
	l.counts[c]++
	l.doubtRules(c.Severity)
	if l.counts[c] > l.most {
		return nil
	}
	l.findings = append(l.findings, Finding{ID: c.ID, Severity: c.Severity, Line: line, Column: column, Message: message})
	return &l.findings[len(l.findings)-1]
}

// with gives a finding its edit. It does nothing if the finding is not listed.
func (f *Finding) with(e *Edit) {
	if f != nil && e != nil && utf8.ValidString(e.Text) {
		e.Changes = find(f.ID).changes
		f.Edit = e
	}
}

// say reports a finding on part, a slice of the current line.
func (l *linter) say(c *check, part []byte, message string) *Finding {
	return l.report(c, int(l.line), l.column(part), message)
}

// sayf is like say, with a message to be formatted.
func (l *linter) sayf(c *check, part []byte, format string, args ...any) *Finding {
	if !l.hasRoom(c, int(l.line)) {
		return nil
	}
	return l.say(c, part, fmt.Sprintf(format, args...))
}

// sayOnce reports a finding at the end of the current line, if it is the check's first.
// If the first is ignored, so are the others.
func (l *linter) sayOnce(c *check, message string) {
	if l.counts[c] == 0 {
		l.say(c, l.current[len(l.current):], message)
		l.counts[c] = 1
	}
}

// onValuef reports a finding on the value of a line that was read before.
func (l *linter) onValuef(c *check, line uint32, format string, args ...any) *Finding {
	if !l.hasRoom(c, int(line)) {
		return nil
	}
	return l.report(c, int(line), int(l.columns[line-1]), fmt.Sprintf(format, args...))
}

// over returns the edit that writes text in place of part, a slice of the current line. It
// is nil if part begins within the first character of the file.
func (l *linter) over(part []byte, text string) *Edit {
	at := l.column(part) - 1
	if l.line == 1 && at == l.margin(1) && l.isWithin(at) {
		return nil
	}
	return &Edit{From: at, To: at + len(part), Text: text}
}

// instead returns the edit that writes text in place of a line that was read before. Without a text, it removes the
// line with its line end. It is not the first line: a user-agent line precedes it.
func (l *linter) instead(line uint32, text string) *Edit {
	whole := l.body[l.starts[line-1]:l.starts[line]]
	if text != "" {
		whole = bytes.TrimRight(whole, "\r\n")
	}
	return &Edit{To: len(whole), Text: text}
}

// without returns the edit that removes the current line. It leaves the line end of the first line if the next
// begins as a byte order mark may.
func (l *linter) without() *Edit {
	e := l.over(l.current, "")
	if next := e.To + len(l.end); l.line > 1 || next < len(l.body) && l.body[next] < utf8.RuneSelf {
		e.To = next
	}
	return e
}

// eachOf returns the edit that gives each word of list a line of its own, with a key. List
// follows the first word of a value. The characters of between separate words, and those
// of around do not belong to them. The edit is nil if is returns false for a word.
func (l *linter) eachOf(list []byte, key, between, around string, is func(word string) bool) *Edit {
	var lines strings.Builder
	for word := range strings.FieldsFuncSeq(string(list), func(r rune) bool { return strings.ContainsRune(between, r) }) {
		word = strings.Trim(word, around)
		if word == "" {
			continue
		}
		if !is(word) {
			return nil
		}
		lines.WriteString(l.newLine() + key + ": " + word)
	}
	return l.over(list, lines.String())
}

// newLine returns what ends a line in this file, for an edit that adds one.
func (l *linter) newLine() string {
	if l.said.lineEnd == "\r\n" || l.said.lineEnd == "" && string(l.end) == "\r\n" {
		return "\r\n"
	}
	return "\n"
}

// countOthers notes the number of findings that were left out in the last finding of each
// check that has too many.
func (l *linter) countOthers() {
	for c, n := range l.counts {
		for i := len(l.findings) - 1; n > l.most; i-- {
			if f := &l.findings[i]; f.ID == c.ID {
				f.More = n - l.most
				break
			}
		}
	}
}

// column returns the column at which part, a slice of the current line, begins.
func (l *linter) column(part []byte) int {
	return l.margin(l.line) + l.offset(part) + 1
}

// margin returns the number of octets of the byte order mark that a line begins with.
func (l *linter) margin(line uint32) int {
	if line != 1 {
		return 0
	}
	return syntax.MarkSize(l.body)
}

// isWithin reports whether an octet of the body is within a character.
func (l *linter) isWithin(at int) bool { return at < len(l.body) && !utf8.RuneStart(l.body[at]) }

// offset returns the index in the current line at which part, a slice of it, begins. All
// lines share one array, and the capacity of a slice is its distance from the end of that
// array.
func (l *linter) offset(part []byte) int { return cap(l.current) - cap(part) }

// from returns the part of a statement from one of its labels on. The label is a word
// there, if there is such a place, and otherwise a part of one.
func from(statement []byte, label string) []byte {
	first := max(0, bytes.Index(statement, []byte(label)))
	for at := first; at < len(statement); at++ {
		i := bytes.Index(statement[at:], []byte(label))
		if i < 0 {
			break
		}
		at += i
		if beginsWord(statement[:at]) && endsWord(statement[at+len(label):]) {
			return statement[at:]
		}
	}
	return statement[first:]
}

// beginsWord reports whether a word begins after before.
func beginsWord(before []byte) bool {
	return len(before) == 0 || bytes.ContainsAny(before[len(before)-1:], ", \t")
}

// endsWord reports whether a word ends before after.
func endsWord(after []byte) bool { return len(after) == 0 || bytes.ContainsAny(after[:1], "=, \t;") }

func (l *linter) widen(by divider) { l.divider = max(l.divider, by) }

func (l *linter) addName(token []byte) {
	group := &l.groups[len(l.groups)-1]
	l.names = append(l.names, named{folded(token), token, l.line})
	group.names = l.names[len(l.names)-1-len(group.names):]
}

// closeGroups sets the ends of the groups: each is where the next begins.
func (l *linter) closeGroups() {
	end, wrong := len(l.read.Rules), l.wrong
	for i := len(l.groups) - 1; i >= 0; i-- {
		g := &l.groups[i]
		g.end, end = end, g.first
		g.kept = g.end - g.first + g.empties
		own, _ := slices.BinarySearch(wrong, g.from)
		g.inDoubt, wrong = own < len(wrong), wrong[:own]
	}
}

// maxEffort limits how much is spent on comparing rules with rules, in octets or so.
const maxEffort = 50_000_000

// spend spends n, and reports whether there was enough effort left.
func (l *linter) spend(n int) bool {
	l.effort += n
	return l.effort <= maxEffort
}

// rightKeys are the right spellings of the known keys.
var rightKeys = [...]string{
	syntax.Allow: "Allow", syntax.Disallow: "Disallow", syntax.UserAgent: "User-agent",
	syntax.Sitemap: "Sitemap", syntax.CrawlDelay: "Crawl-delay", syntax.RequestRate: "Request-rate",
}

func isRightKey(kind syntax.Kind, key []byte) bool {
	return strings.EqualFold(string(key), rightKeys[kind])
}

// folded returns b in lower case. The result may share the memory of b.
func folded(b []byte) string {
	if !slices.ContainsFunc(b, func(c byte) bool { return c != syntax.Lower(c) }) {
		return match.View(b)
	}
	b = bytes.Clone(b)
	for i, c := range b {
		b[i] = syntax.Lower(c)
	}
	return match.View(b)
}
