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

// sarifLog returns a SARIF 2.1.0 log, which code scanners read: of what checks have found, and of the errors of sources that could not be
// read.
func sarifLog(checks []lint.Check, all []source, unread []error) string {
	r := run{
		Tool:        tool{driverWith(checks)},
		Invocations: []invocation{invocationWith(unread)},
		ColumnKind:  "utf16CodeUnits",
		Results:     []result{}, // [] says that nothing was found
	}
	for _, s := range all {
		lines := s.Lines()
		for _, f := range s.Findings {
			line, octet := lines(f)
			found := resultOf(s.Name, f, regionOf(f, line, octet))
			found.RuleIndex = slices.IndexFunc(checks, func(c lint.Check) bool { return c.ID == f.ID })
			if where, ok := s.replaced(f, line); ok {
				found.Fixes = []fix{fixOf(s.Name, where, f.Edit)}
			}
			r.Results = append(r.Results, found)
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.Encode(log{"2.1.0", "https://json.schemastore.org/sarif-2.1.0.json", []run{r}})
	return printable.JSON(b.String())
}

func driverWith(checks []lint.Check) driver {
	d := driver{Name: "polite", Version: verb.Version(), InformationURI: verb.Home}
	for _, c := range checks {
		summary := message{escape(c.Summary)}
		d.Rules = append(d.Rules, rule{c.ID, summary, summary, summary, level{c.Severity.String()}})
	}
	return d
}

// invocationWith tells what could not be read. Without it, a log without results
// would be good news.
func invocationWith(unread []error) invocation {
	i := invocation{ExecutionSuccessful: len(unread) == 0}
	for _, err := range unread {
		i.Notifications = append(i.Notifications, notification{"error", message{escape(verb.Message(err))}})
	}
	return i
}

// resultOf returns a finding in the region where. One about no line is in no region.
func resultOf(name string, f lint.Finding, where region) result {
	r := result{
		RuleID: f.ID, Level: f.Severity.String(), Message: message{escape(f.Text())},
		Locations: []location{{place{artifact{uri(name)}, nil}}},
	}
	if f.Line > 0 {
		r.Locations[0].PhysicalLocation.Region = &where
	}
	return r
}

func fixOf(name string, where region, edit *lint.Edit) fix {
	r := replacement{DeletedRegion: where}
	if edit.Text != "" {
		r.InsertedContent = &message{edit.Text}
	}
	f := fix{Changes: []change{{artifact{uri(name)}, []replacement{r}}}}
	if edit.Changes {
		f.Description = &message{"This may change what crawlers may fetch, or how fast."}
	}
	return f
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

// regionOf returns the place of a finding: from its column to the end of its line. Columns
// count UTF-16 code units, as in editors, and not octets.
func regionOf(f lint.Finding, line string, octet int) region {
	start := 1 + utf16Len(line[:octet])
	return region{f.Line, start, f.Line, max(start, 1+utf16Len(line))}
}

// replaced returns the region which a finding's edit replaces. If the finding has no edit,
// or if its edit is on a byte order mark, ok is false.
func (s source) replaced(f lint.Finding, line string) (where region, ok bool) {
	if f.Edit == nil {
		return region{}, false
	}
	from, to := f.Edit.From, f.Edit.To
	if f.Line == 1 {
		from, to = from-s.markSize(), to-s.markSize()
	}
	if from < 0 || to > len(line) {
		return region{}, false
	}
	return region{f.Line, 1 + utf16Len(line[:from]), f.Line, 1 + utf16Len(line[:to])}, true
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

// The parts of a SARIF 2.1.0 log that are used here (OASIS, §3.13 and on).
type (
	log struct {
		Version string `json:"version"`
		Schema  string `json:"$schema"`
		Runs    []run  `json:"runs"`
	}
	run struct {
		Tool        tool         `json:"tool"`
		Invocations []invocation `json:"invocations"`
		ColumnKind  string       `json:"columnKind"`
		Results     []result     `json:"results"`
	}
	invocation struct {
		ExecutionSuccessful bool           `json:"executionSuccessful"`
		Notifications       []notification `json:"toolExecutionNotifications,omitempty"`
	}
	notification struct {
		Level   string  `json:"level"`
		Message message `json:"message"`
	}
	tool struct {
		Driver driver `json:"driver"`
	}
	driver struct {
		Name           string `json:"name"`
		Version        string `json:"version,omitempty"`
		InformationURI string `json:"informationUri"`
		Rules          []rule `json:"rules"`
	}
	rule struct {
		ID                   string  `json:"id"`
		ShortDescription     message `json:"shortDescription"`
		FullDescription      message `json:"fullDescription"`
		Help                 message `json:"help"`
		DefaultConfiguration level   `json:"defaultConfiguration"`
	}
	level struct {
		Level string `json:"level"`
	}
	message struct {
		Text string `json:"text"`
	}
	result struct {
		RuleID    string     `json:"ruleId"`
		RuleIndex int        `json:"ruleIndex"`
		Level     string     `json:"level"`
		Message   message    `json:"message"`
		Locations []location `json:"locations"`
		Fixes     []fix      `json:"fixes,omitempty"`
	}
	fix struct {
		Description *message `json:"description,omitempty"`
		Changes     []change `json:"artifactChanges"`
	}
	change struct {
		ArtifactLocation artifact      `json:"artifactLocation"`
		Replacements     []replacement `json:"replacements"`
	}
	replacement struct {
		DeletedRegion   region   `json:"deletedRegion"` // empty if text is only inserted
		InsertedContent *message `json:"insertedContent,omitempty"`
	}
	location struct {
		PhysicalLocation place `json:"physicalLocation"`
	}
	place struct {
		ArtifactLocation artifact `json:"artifactLocation"`
		Region           *region  `json:"region,omitempty"` // nil for the whole artifact
	}
	artifact struct {
		URI string `json:"uri"`
	}
	region struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"` // past the last
	}
)
