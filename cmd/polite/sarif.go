package main

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

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
		Tool    sarifTool     `json:"tool"`
		Results []sarifResult `json:"results"`
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

// sarif returns all that was found as a SARIF log.
func sarif(all []linted) string {
	checks := robots.Checks()
	run := sarifRun{Results: []sarifResult{}} // [] says that nothing was found
	run.Tool.Driver = sarifDriver{Name: "polite", Version: buildVersion(), InformationURI: "https://github.com/go-polite/polite"}
	for _, c := range checks {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{c.ID, sarifMessage{c.Summary}, sarifLevel{c.Severity.String()}})
	}
	for _, l := range all {
		for _, f := range l.findings {
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
