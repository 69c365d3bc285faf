package main

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/go-polite/polite/robots"
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
	}
)

// sarif returns all that was found, and why other sources could not be read, as a
// SARIF log.
func sarif(all []linted, unread []error) string {
	checks := robots.Checks()
	run := sarifRun{
		Invocations: []sarifInvocation{sarifInvocationOf(unread)},
		ColumnKind:  "utf16CodeUnits",
		Results:     []sarifResult{}, // [] says that nothing was found
	}
	run.Tool.Driver = sarifDriver{Name: "polite", Version: buildVersion(), InformationURI: "https://github.com/go-polite/polite"}
	for _, c := range checks {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{c.ID, sarifMessage{c.Summary}, sarifLevel{c.Severity.String()}})
	}
	for _, l := range all {
		for _, f := range inUTF16(l.findings, l.body) {
			result := sarifResultOf(l.name, f)
			result.RuleIndex = slices.IndexFunc(checks, func(c robots.Check) bool { return c.ID == f.ID })
			run.Results = append(run.Results, result)
		}
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.Encode(sarifLog{"2.1.0", "https://json.schemastore.org/sarif-2.1.0.json", []sarifRun{run}})
	return escaped(b.String())
}

// sarifInvocationOf tells that not all was looked at, and why, or else that no
// results are good news.
func sarifInvocationOf(unread []error) sarifInvocation {
	i := sarifInvocation{ExecutionSuccessful: len(unread) == 0}
	for _, err := range unread {
		i.Notifications = append(i.Notifications, sarifNotification{"error", sarifMessage{message(err)}})
	}
	return i
}

// inUTF16 returns the findings in body with columns that count UTF-16 code units,
// as editors do, and not octets.
func inUTF16(findings []robots.Finding, body []byte) []robots.Finding {
	converted := slices.Clone(findings)
	rest := converted // which are in the order of the lines
	for n, line := range robots.Lines(body) {
		for ; len(rest) > 0 && rest[0].Line == n; rest = rest[1:] {
			octets := rest[0].Column - 1
			if n == 1 && bytes.HasPrefix(body, []byte(byteOrderMark)) {
				octets -= len(byteOrderMark) // which is no part of the text
			}
			rest[0].Column = 1 + utf16Len(line[:min(max(octets, 0), len(line))])
		}
	}
	return converted
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

func sarifResultOf(name string, f robots.Finding) sarifResult {
	return sarifResult{
		RuleID: f.ID, Level: f.Severity.String(), Message: sarifMessage{f.Message},
		Locations: []sarifLocation{{sarifPlace{
			sarifArtifact{sarifURI(name)}, sarifRegion{f.Line, f.Column},
		}}},
	}
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
