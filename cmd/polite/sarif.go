package main

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

// What a SARIF 2.1.0 log has of use here (OASIS, §3.13 and on).
type (
	sarifLog struct {
		Version string     `json:"version"`
		Schema  string     `json:"$schema"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		ColumnKind  string            `json:"columnKind"`
		Results     []sarifResult     `json:"results"`
	}
	sarifInvocation struct {
		ExecutionSuccessful bool                `json:"executionSuccessful"`
		Notifications       []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string       `json:"level"`
		Message sarifMessage `json:"message"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version,omitempty"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID                   string       `json:"id"`
		ShortDescription     sarifMessage `json:"shortDescription"`
		FullDescription      sarifMessage `json:"fullDescription"`
		Help                 sarifMessage `json:"help"`
		DefaultConfiguration sarifLevel   `json:"defaultConfiguration"`
	}
	sarifLevel struct {
		Level string `json:"level"`
	}
	sarifMessage struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID    string          `json:"ruleId"`
		RuleIndex int             `json:"ruleIndex"`
		Level     string          `json:"level"`
		Message   sarifMessage    `json:"message"`
		Locations []sarifLocation `json:"locations"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPlace `json:"physicalLocation"`
	}
	sarifPlace struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
		EndLine     int `json:"endLine"`
		EndColumn   int `json:"endColumn"` // past the last
	}
)

// sarif returns all that was found, and why other sources could not be read, as a
// SARIF log.
func sarif(all []linted, unread []error) string {
	checks := lint.Checks()
	run := sarifRun{
		Invocations: []sarifInvocation{sarifInvocationOf(unread)},
		ColumnKind:  "utf16CodeUnits",
		Results:     []sarifResult{}, // [] says that nothing was found
	}
	run.Tool.Driver = sarifDriver{Name: "polite", Version: buildVersion(), InformationURI: "https://github.com/go-polite/polite"}
	for _, c := range checks {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRuleOf(c))
	}
	for _, l := range all {
		for f, region := range regions(l) {
			result := sarifResultOf(l.name, f, region)
			result.RuleIndex = slices.IndexFunc(checks, func(c lint.Check) bool { return c.ID == f.ID })
			run.Results = append(run.Results, result)
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.Encode(sarifLog{"2.1.0", "https://json.schemastore.org/sarif-2.1.0.json", []sarifRun{run}})
	return printable.JSON(b.String())
}

// sarifInvocationOf tells that not all was looked at, and why, or else that no
// results are good news.
func sarifInvocationOf(unread []error) sarifInvocation {
	i := sarifInvocation{ExecutionSuccessful: len(unread) == 0}
	for _, err := range unread {
		i.Notifications = append(i.Notifications, sarifNotification{"error", sarifMessage{sarifText(message(err))}})
	}
	return i
}

// regions yields the findings of a source with where they are: from their column
// to the end of the line. Columns count UTF-16 code units, as those of editors do,
// and not octets.
func regions(l linted) iter.Seq2[lint.Finding, sarifRegion] {
	return func(yield func(lint.Finding, sarifRegion) bool) {
		lines := maps.Collect(robots.Lines(l.body))
		for _, f := range l.findings {
			line, octets := lines[f.Line], f.Column-1
			if f.Line == 1 && bytes.HasPrefix(l.body, []byte(byteOrderMark)) {
				octets -= len(byteOrderMark) // which is no part of the text
			}
			start := 1 + utf16Len(line[:min(max(octets, 0), len(line))])
			if !yield(f, sarifRegion{f.Line, start, f.Line, max(start, 1+utf16Len(line))}) {
				return
			}
		}
	}
}

const byteOrderMark = "\uFEFF"

// utf16Len returns the number of code units of text. An octet that is not UTF-8
// is shown as one.
func utf16Len(text []byte) int {
	n := 0
	for _, r := range string(text) {
		n += utf16.RuneLen(r)
	}
	return n
}

func sarifRuleOf(c lint.Check) sarifRule {
	summary := sarifMessage{sarifText(c.Summary)}
	return sarifRule{c.ID, summary, summary, summary, sarifLevel{c.Severity.String()}}
}

func sarifResultOf(name string, f lint.Finding, region sarifRegion) sarifResult {
	return sarifResult{
		RuleID: f.ID, Level: f.Severity.String(), Message: sarifMessage{sarifText(f.Message)},
		Locations: []sarifLocation{{sarifPlace{sarifArtifact{sarifURI(name)}, region}}},
	}
}

// sarifText returns plain text as a message has it, in which braces are those of
// placeholders, and brackets before a parenthesis those of links, unless there is
// an odd number of backslashes before them (§3.11.5, §3.11.6).
func sarifText(text string) string {
	return strings.NewReplacer("{", "{{", "}", "}}", `\\`, `\\`, `\](`, `\](`, "](", `\](`).Replace(text)
}

// sarifURI returns the URI of a source: that of a site's robots.txt, or of a file,
// which is relative if its name is.
func sarifURI(name string) string {
	if strings.Contains(name, "://") {
		return name
	}
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}
