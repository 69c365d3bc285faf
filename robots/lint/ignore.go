package lint

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-polite/polite/robots/internal/syntax"
)

// ignoreMark begins a comment that is for a linter.
const ignoreMark = "polite-lint:"

// readIgnores reads which checks the comments of a file ignore: "# polite-lint: ignore
// ID". A comment counts for its own line and, if it stands alone, for the next line.
// Checks returns the IDs of all checks.
func (l *linter) readIgnores(text []byte, checks func() []string) {
	if !bytes.Contains(text, []byte(ignoreMark)) {
		return
	}
	l.ignored = make(map[int][]string)
	known := checks()
	for line := range syntax.Lines(text) {
		before, comment, ok := bytes.Cut(line.Text, []byte("#"))
		comment = bytes.TrimLeft(comment, " \t")
		if !ok || !bytes.HasPrefix(comment, []byte(ignoreMark)) {
			continue
		}
		l.line, l.current = uint32(line.Number), line.Text
		ids := l.readIgnore(comment[len(ignoreMark):], known)
		l.ignored[line.Number] = append(l.ignored[line.Number], ids...)
		if len(ids) > 0 && len(bytes.TrimSpace(before)) == 0 {
			below := line.Number + 1
			l.ignored[below] = append(l.ignored[below], ids...)
			l.below = append(l.below, below)
		}
	}
}

// keepComments takes away edits after which a comment that stands alone would ignore findings in another line: they
// remove the line below it, or add one before that.
func (l *linter) keepComments() {
	for i := range l.findings {
		f := &l.findings[i]
		if f.Edit == nil || f.Edit.From > 0 {
			continue
		}
		if _, below := slices.BinarySearch(l.below, f.Line); !below {
			continue
		}
		line := bytes.TrimRight(l.body[l.starts[f.Line-1]:l.starts[f.Line]], "\r\n")
		if f.Edit.Text == "" && f.Edit.To >= len(line) || f.Edit.To == 0 && strings.HasSuffix(f.Edit.Text, "\n") {
			f.Edit = nil
		}
	}
}

// readIgnore returns the checks that a comment ignores.
func (l *linter) readIgnore(comment []byte, known []string) (ids []string) {
	verb, rest := nextWord(comment)
	id, rest := nextWord(rest)
	if string(verb) != "ignore" || len(id) == 0 {
		if string(verb) == "ignore" {
			verb = id
		}
		l.say(unknownIgnore, verb, `write "# polite-lint: ignore" and the ID of a check`)
		return nil
	}
	for ; len(id) > 0; id, rest = nextWord(rest) {
		if slices.Contains(known, string(id)) {
			ids = append(ids, string(id))
			continue
		}
		l.reportIgnored(id, nearest(strings.ToLower(string(id)), known))
	}
	return ids
}

// nextWord returns the first word of text, and what follows it. Spaces and commas are
// between words.
func nextWord(text []byte) (word, rest []byte) {
	for len(text) > 0 && bytes.IndexByte([]byte(" \t,"), text[0]) >= 0 {
		text = text[1:] // and never nil, as it has a column
	}
	if end := bytes.IndexAny(text, " \t,"); end >= 0 {
		return text[:end], text[end:]
	}
	return text, text[len(text):]
}

func (l *linter) reportIgnored(id []byte, meant string) {
	if meant == "" {
		l.sayf(unknownIgnore, id, "there is no check %v that a comment can ignore", quoted(id))
		return
	}
	l.sayf(unknownIgnore, id, "there is no check %v; did you mean %q?", quoted(id), meant).with(l.over(id, meant))
}
