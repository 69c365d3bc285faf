package lint

import (
	"github.com/go-polite/polite/robots/internal/syntax"
)

var emptyFile = &check{
	Check:   Check{"empty-file", Note, "the file has no lines but blank ones and comments"},
	example: "",
}

var noGroupAtAll = &check{
	Check:   Check{"no-group", Warning, "the file has lines but no user-agent line, and so no rules"},
	example: "hello",
}

var tooLarge = &check{
	Check:   Check{"too-large", Error, "the file is larger than 500 KiB, and what follows is ignored"},
	example: "user-agent: *\n(#\n)×256000",
}

var tooManyRules = &check{
	Check:   Check{"many-rules", Note, "the file has more than 5,000 rules"},
	example: "user-agent: *\n(disallow: /x\n)×5001",
}

var byteOrderMarkFound = &check{
	Check:   Check{"byte-order-mark", Note, "the file begins with a byte order mark"},
	example: "\uFEFFuser-agent: *",
}

// manyRulesInAll is the number of rules that probably all crawlers read.
const manyRulesInAll = 5000

func (l *linter) checkFile(truncated bool) {
	switch {
	case truncated:
		l.report(tooLarge, int(l.line)+1, 1, "from here on the file is ignored, as it is larger than 500 KiB; make it shorter")
	case !l.said.anything:
		l.report(emptyFile, 1, 1, "the file says nothing: everything is allowed")
	case len(l.groups) == 0 && l.said.pointless && !l.said.outside:
		l.report(noGroupAtAll, 1, 1, `the file has no user-agent line, and so no rules: everything is allowed; begin with "User-agent: *"`).with(l.begin("User-agent: *"))
	}
}

// checkMark looks at the byte order mark. The file has size octets of it.
func (l *linter) checkMark(size int) {
	edit := &Edit{To: size} // and each mark that would then begin the file
	for more := size; more > 0; edit.To += more {
		more = syntax.MarkSize(l.body[edit.To:])
	}
	if l.isWithin(edit.To) {
		edit = nil // a character begins as a mark does
	}
	switch size {
	case 0:
	case len(syntax.ByteOrderMark):
		l.report(byteOrderMarkFound, 1, 1, "the file begins with a byte order mark, which some crawlers take for a part of the first line; save it as UTF-8 without one").with(edit)
	default:
		l.report(byteOrderMarkFound, 1, 1, "the file begins with a part of a byte order mark, which some crawlers take for a part of the first line; remove it").with(edit)
	}
}

// begin returns the edit that writes a line above all others. It is nil if the first
// character of the file begins as a byte order mark does.
func (l *linter) begin(line string) *Edit {
	at := l.margin(1)
	if l.isWithin(at) {
		return nil
	}
	return &Edit{From: at, To: at, Text: line + l.newLine()}
}
