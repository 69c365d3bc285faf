package lint

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

// An object is a part of a SARIF 2.1.0 log (OASIS, §3.13 and on).
type object = map[string]any

// sarifLog returns a SARIF 2.1.0 log, which code scanners read: of what checks have found, and of the errors of sources that could not be
// read.
func sarifLog(checks []lint.Check, all []source, unread []error) string {
	results := []object{} // [] says that nothing was found
	for _, s := range all {
		lines := s.Lines()
		for _, f := range s.Findings {
			line, octet := lines(f)
			found := s.result(f, line, octet)
			found["ruleIndex"] = slices.IndexFunc(checks, func(c lint.Check) bool { return c.ID == f.ID })
			results = append(results, found)
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.Encode(object{"version": "2.1.0", "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "runs": []object{{
		"tool": object{"driver": driver(checks)}, "invocations": []object{invocation(unread)},
		"columnKind": "utf16CodeUnits", "results": results,
	}}})
	return printable.JSON(b.String())
}

func driver(checks []lint.Check) object {
	var rules []object
	for _, c := range checks {
		summary := message(escape(c.Summary))
		rules = append(rules, object{
			"id": c.ID, "shortDescription": summary, "fullDescription": summary, "help": summary,
			"defaultConfiguration": object{"level": c.Severity.String()},
		})
	}
	d := object{"name": "polite", "informationUri": verb.Home, "rules": rules}
	if version := verb.Version(); version != "" {
		d["version"] = version
	}
	return d
}

// invocation tells what could not be read. Without it, a log without results would be good news.
func invocation(unread []error) object {
	told := []object{}
	for _, err := range unread {
		told = append(told, object{"level": "error", "message": message(escape(verb.Message(err)))})
	}
	return object{"executionSuccessful": len(unread) == 0, "toolExecutionNotifications": told}
}

func message(text string) object { return object{"text": text} }

// result returns a finding, which begins at an octet of a line. One about no line is in no region. Columns count UTF-16 code
// units, as in editors, and not octets.
func (s source) result(f lint.Finding, line string, octet int) object {
	file := object{"uri": uri(s.Name)}
	place := object{"artifactLocation": file}
	if start := 1 + utf16Len(line[:octet]); f.Line > 0 {
		place["region"] = region(f.Line, start, max(start, 1+utf16Len(line)))
	}
	r := object{
		"ruleId": f.ID, "level": f.Severity.String(), "message": message(escape(f.Text())),
		"locations": []object{{"physicalLocation": place}},
	}
	if where := s.replaced(f, line); where != nil {
		replacement := object{"deletedRegion": where} // empty if text is only inserted
		if f.Edit.Text != "" {
			replacement["insertedContent"] = message(f.Edit.Text)
		}
		fix := object{"artifactChanges": []object{{"artifactLocation": file, "replacements": []object{replacement}}}}
		if f.Edit.Changes {
			fix["description"] = message("This may change what crawlers may fetch, how fast, or for what use.")
		}
		r["fixes"] = []object{fix}
	}
	return r
}

// region returns a part of a line, from a column to before another.
func region(line, from, to int) object {
	return object{"startLine": line, "startColumn": from, "endLine": line, "endColumn": to}
}

// escape returns plain text as a message has it. In a message, braces are for
// placeholders, and brackets before a parenthesis for links, unless an odd number of
// backslashes precedes them (§3.11.5, §3.11.6).
func escape(text string) string {
	return strings.NewReplacer("{", "{{", "}", "}}", `\\`, `\\`, `\](`, `\](`, "](", `\](`).Replace(text)
}

// uri returns the URI of a source. It is relative if the source is a file whose name
// is.
func uri(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}

// A source is a robots.txt and what was found in it.
type source struct {
	Name     string // of the file, or the URL
	Body     []byte
	Findings []lint.Finding
}

// Lines returns a function that returns the line of a finding, and the octet of the line
// at which the finding begins.
func (s source) Lines() func(lint.Finding) (line string, octet int) {
	lines := maps.Collect(robots.Lines(s.Body))
	return func(f lint.Finding) (string, int) {
		octet := f.Column - 1
		if f.Line == 1 {
			octet -= s.markSize()
		}
		line := string(lines[f.Line])
		return line, min(max(octet, 0), len(line))
	}
}

// Short returns the lines of a source, if they are few.
func (s source) Short() (lines []string) {
	const few = 12
	if bytes.Count(s.Body, []byte("\n")) > few {
		return nil
	}
	for _, line := range robots.Lines(s.Body) {
		lines = append(lines, string(line))
	}
	return lines
}

// replaced returns the region which a finding's edit replaces. It is nil if the finding has no edit, or if the edit is
// on a byte order mark.
func (s source) replaced(f lint.Finding, line string) object {
	if f.Edit == nil {
		return nil
	}
	from, to := f.Edit.From, f.Edit.To
	if f.Line == 1 {
		from, to = from-s.markSize(), to-s.markSize()
	}
	if from < 0 {
		return nil
	}
	where := region(f.Line, 1+utf16Len(line[:from]), 1+utf16Len(line[:min(to, len(line))]))
	if to > len(line) { // with the line end
		where["endLine"], where["endColumn"] = f.Line+1, 1
	}
	return where
}

// markSize returns the number of octets of the byte order mark, or of a part of it, that
// the body begins with. It is not part of the text.
func (s source) markSize() (n int) {
	for n < min(len(byteOrderMark), len(s.Body)) && s.Body[n] == byteOrderMark[n] {
		n++
	}
	return n
}

const byteOrderMark = "\uFEFF"

// utf16Len returns the number of code units of text. An octet that is not UTF-8
// counts as one.
func utf16Len(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
