package lint

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/internal/match"
	"github.com/go-polite/polite/robots/internal/syntax"
	"github.com/go-polite/polite/robots/usage"
)

// checkUsage looks at a record that says what may be done with pages.
func (l *linter) checkUsage(kind syntax.Kind, key, value []byte) {
	if len(l.groups) == 0 && kind == syntax.ContentSignal {
		l.say(signalOutsideGroup, key, `this stands above the first user-agent line, where some crawlers do not look for it; write it below "User-agent: *"`)
	}
	said := usage.OfRecord(robots.Record{Key: string(key), Value: match.View(value), Line: int(l.line)})
	if kind == syntax.ContentSignal && len(value) > 0 && (value[0] == '/' || value[0] == '*') {
		l.reportPath(value)
		return
	}
	path, statement := "", value
	if kind == syntax.ContentUsage {
		var text string
		path, text, _ = syntax.SplitUsage(match.View(value))
		statement = value[len(value)-len(text):]
	}
	something := false
	for s := range said {
		something = true
		l.checkUse(kind, s, statement)
		l.noteUse(s, statement)
	}
	switch plain := strings.TrimRight(path, ",;:"); {
	case !something && kind == syntax.ContentUsage:
		l.reportMalformed(plain, value, statement)
	case len(plain) < len(path):
		at := value[len(plain):len(path)]
		l.sayf(malformedUsage, at, "%v is read as a part of the path, so that the line is for other paths; leave it out", quoted(at)).with(l.over(at, ""))
	}
}

// reportPath reports a content-signal with a path, and says what it would be as a content-usage.
func (l *linter) reportPath(value []byte) {
	path, signal, _ := strings.Cut(string(value), " ")
	instead := `write a line "Content-Usage" with it`
	if uses := inUsage(signal); uses != "" {
		instead = fmt.Sprintf("write %v", quoted("Content-Usage: /"+strings.TrimPrefix(path, "/")+" "+uses))
	}
	first, _, _ := bytes.Cut(value, []byte(","))
	l.sayf(pathInSignal, value, "Content-Signal is for all paths, so %v says nothing; leave the path out, or %s", quoted(first), instead)
}

// inUsage returns what a content-signal says as a content-usage does. It is "" if it says anything that no content-usage
// says.
func inUsage(signal string) string {
	labels := map[usage.Use]string{usage.Search: "search", usage.TrainAI: "train-ai", usage.AIInput: "ai-use"}
	var all []string
	for s := range usage.OfRecord(robots.Record{Key: "content-signal", Value: signal}) {
		if labels[s.Use] == "" || s.Preference == usage.NotStated {
			return ""
		}
		all = append(all, labels[s.Use]+"="+s.Preference.String()[:1])
	}
	return strings.Join(all, ", ")
}

func (l *linter) reportMalformed(path string, value, statement []byte) {
	uses := ownUses(statement)
	switch {
	case len(statement) == 0:
		l.say(malformedUsage, value, `the line says nothing about any use; write it as "train-ai=n", after the path if there is one`)
	case statement[0] == '*' || bytes.HasPrefix(statement, []byte("http")):
		l.say(malformedUsage, statement, `nothing of the line counts: a path begins with "/", and "*" may follow, as in "/*.pdf train-ai=n"`)
	case uses != "":
		l.sayf(malformedUsage, statement, "nothing of the line counts, as it is malformed; write %v", quoted(strings.TrimLeft(path+" "+uses, " ")))
	default:
		l.say(malformedUsage, statement, `nothing of the line counts, as it is malformed: a path begins with "/" and has %20 for a space, uses are in lower case with y or n behind "=", and commas stand between them`)
	}
}

// ownUses returns the uses and values of a malformed statement as they should be written. It is "" if anything else is there.
func ownUses(statement []byte) string {
	form := usageForms[syntax.ContentUsage-syntax.ContentSignal]
	uses := strings.FieldsFunc(strings.ToLower(string(statement)), func(r rune) bool { return strings.ContainsRune(" \t,;", r) })
	if slices.ContainsFunc(uses, func(use string) bool {
		label, value, _ := strings.Cut(use, "=")
		return !form.knows(label) || !slices.Contains(form.values, value)
	}) {
		return ""
	}
	return strings.Join(uses, ", ")
}

// checkUse looks at one use in a statement.
func (l *linter) checkUse(kind syntax.Kind, s usage.Said, statement []byte) {
	label := strings.ToLower(s.Label[:min(len(s.Label), 40)]) // longer than any known one
	form := usageForms[kind-syntax.ContentSignal]
	colon := strings.IndexByte(label, ':')
	switch meant := form.meant(label); {
	case colon > 0 && form.knows(strings.Trim(label[:colon], " \t")):
		if l.hasRoom(usageValue, int(l.line)) {
			use := from(statement, s.Label)
			l.say(usageValue, use, `this says nothing: there is a ":" where crawlers read "="`).with(l.over(use[colon:colon+1], "="))
		}
	case meant != "":
		if l.hasRoom(misspelledUse, int(l.line)) {
			use := from(statement, s.Label)
			l.sayf(misspelledUse, use, "%s has no use %v that crawlers are known to read; write %q", form.name, quoted([]byte(s.Label)), meant).with(l.overUse(statement, use, s.Label, meant))
		}
	case !form.knows(label) && label != "":
		if l.hasRoom(unknownUse, int(l.line)) {
			l.sayf(unknownUse, from(statement, s.Label), "no draft of %s has the use %v, so hardly anybody reads it; write %s", form.name, quoted([]byte(s.Label)), strings.Join(form.right, ", "))
		}
	case form.knows(label) && form.lacksComma(s, statement):
		if l.hasRoom(usageValue, int(l.line)) {
			l.say(usageValue, from(statement, s.Label), "no comma stands between this use and the next, so they do not both count; separate uses by a comma")
		}
	case !form.knows(label) || s.Preference != usage.NotStated || label == "use" && isExtent(s.Value):
	case l.hasRoom(usageValue, int(l.line)):
		l.sayf(usageValue, from(statement, s.Label), "this says neither yes nor no; write %s", form.choice(label))
	}
}

// overUse returns the edit that writes what is meant in place of a label. It returns nil
// if the label is a part of another word there.
func (l *linter) overUse(statement, use []byte, label, meant string) *Edit {
	after, found := bytes.CutPrefix(use, []byte(label))
	if !found || !beginsWord(statement[:len(statement)-len(use)]) || !endsWord(after) {
		return nil
	}
	return l.over(use[:len(label)], meant)
}

// lacksComma reports whether a use follows s without a comma before it. A content-signal has it in the value of s, and a
// content-usage in the first parameter.
func (f usageForm) lacksComma(s usage.Said, statement []byte) bool {
	rest := s.Value
	if f.name == "Content-Usage" {
		part, _, _ := strings.Cut(match.View(from(statement, s.Label)), ",")
		_, rest, _ = strings.Cut(part, s.Label)
	}
	at := strings.IndexAny(rest, "; \t")
	if at < 0 {
		return false
	}
	next, _, found := strings.Cut(strings.TrimLeft(rest[at:], "; \t"), "=")
	next = strings.ToLower(strings.TrimRight(next[:min(len(next), 40)], " \t")) // longer than any known one
	return found && (f.knows(next) || f.meant(next) != "")
}

func isExtent(value string) bool {
	value = strings.ToLower(value)
	return value == "immediate" || value == "reference" || value == "full"
}

// A usageForm is how one of the signals writes uses and their values.
type usageForm struct {
	name   string
	right  []string          // the uses that its drafts name
	slips  map[string]string // with what is meant
	values []string
}

// usageForms are the forms of content-signal and content-usage.
var usageForms = [...]usageForm{
	{"Content-Signal", []string{"search", "ai-input", "ai-train", "use"}, map[string]string{
		"train-ai": "ai-train", "train_ai": "ai-train", "ai-training": "ai-train", "train": "ai-train", "training": "ai-train",
	}, []string{"no", "yes"}},
	{"Content-Usage", []string{"search", "train-ai", "ai-use"}, map[string]string{
		"ai_use":   "ai-use",
		"ai-train": "train-ai", "ai_train": "train-ai", "ai-training": "train-ai", "train": "train-ai", "training": "train-ai",
	}, []string{"n", "y"}},
}

func (f usageForm) knows(label string) bool { return slices.Contains(f.right, label) }

// meant returns the use that a label is a slip for, or "".
func (f usageForm) meant(label string) string {
	if f.knows(label) {
		return ""
	}
	if right, ok := f.slips[label]; ok {
		return right
	}
	for slip, right := range f.slips {
		if len(slip) > 8 && editDistance(label, slip) == 1 {
			return right
		}
	}
	for _, right := range f.right {
		if len(right) > 4 && editDistance(label, right)*4 < len(right) {
			return right
		}
	}
	return ""
}

// choice returns what may be said about a use.
func (f usageForm) choice(label string) string {
	values := f.values
	if label == "use" {
		values = []string{"immediate", "reference", "full"}
	}
	var choice []string
	for _, value := range values {
		choice = append(choice, `"`+label+"="+value+`"`)
	}
	return strings.Join(choice, " or ")
}

// noteUse notes what a statement says about one use, and compares it with what the group
// has said before.
func (l *linter) noteUse(s usage.Said, statement []byte) {
	if s.Preference == usage.NotStated {
		return
	}
	group := len(l.groups) - 1
	l.notePlace(group, s.Preference)
	if l.uses == nil {
		l.uses = make(map[useOn]saidUse)
	}
	on := useOn{group, string(syntax.AppendNormal(nil, s.Path, true)), string(s.Use)}
	switch before, ok := l.uses[on]; {
	case !ok:
		l.uses[on] = saidUse{l.line, s.Preference == usage.No}
	case before.no != (s.Preference == usage.No) && l.hasRoom(contradictingUses, int(l.line)):
		l.sayf(contradictingUses, from(statement, s.Label), "line %d says the opposite about this use, and of the two no counts; write only what you mean", before.line)
	}
}

// notePlace notes in which lines a group says yes, or anything, for the first time.
func (l *linter) notePlace(group int, said usage.Preference) {
	if n := len(l.usages); group >= 0 && (n == 0 || l.usages[n-1].group != group) {
		l.usages = append(l.usages, groupUsage{group: group, line: l.line})
	}
	if group < 0 || said != usage.Yes {
		return
	}
	if g := &l.usages[len(l.usages)-1]; g.yes == 0 {
		g.yes = l.line
	}
}

// checkUsages looks at the groups that say something about use.
func (l *linter) checkUsages(s *match.Set) {
	for _, u := range l.usages {
		g := &l.groups[u.group]
		if len(g.names) == 0 {
			l.onValuef(unreadUsage, u.line, `the group names no crawler, so nobody reads this; write "User-agent: *" above it for all crawlers`)
		} else if _, ok := g.firstCrawler(); ok && u.yes > 0 && l.isShut(s, g) {
			l.onValuef(useOfNothing, u.yes, "the group disallows everything, so there is nothing to use; allow what may be used, or say no")
		}
	}
	l.checkUnreached(s)
}

// checkUnreached looks for a crawler with a group of its own that what "*" says about use does not reach.
func (l *linter) checkUnreached(s *match.Set) {
	speaks := make(map[string]uint32) // by token, the line
	for _, u := range l.usages {
		for _, n := range l.groups[u.group].names {
			if speaks[n.token] == 0 {
				speaks[n.token] = u.line
			}
		}
	}
	line := speaks["*"]
	for i := range l.groups {
		g := &l.groups[i]
		if line == 0 {
			return
		}
		for _, n := range g.names {
			if speaks[n.token] == 0 && !isPolicy(n.token) && !l.isShut(s, g) {
				l.onValuef(usageNotInherited, line, "this does not reach %v, which has a group of its own in line %d; repeat it there, and in all groups of which it should hold", quoted(n.written), n.line)
				return
			}
		}
	}
}

// isShut reports whether the crawlers of a group may fetch nothing. It returns false if
// no effort is left to find out.
func (l *linter) isShut(s *match.Set, g *namedGroup) bool {
	if !isShut(s, l.read.Rules[g.first:g.end]) {
		return false
	}
	return !slices.ContainsFunc(g.names, func(n named) bool {
		if !l.spend(32 * (len(l.groups) + len(l.read.Rules))) {
			return true
		}
		return !isShut(s, l.rulesFor(n.token))
	})
}
