package main

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/printable"
)

// jsonLine returns v as a line of JSON.
func jsonLine(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // "&" is common in URLs
	e.Encode(v)
	return printable.JSON(b.String())
}

// A record is what is decided on a request, in JSON. The package's documentation
// describes it.
type record struct {
	URL             string        `json:"url"`
	Hop             int           `json:"hop,omitempty"`
	RedirectedFrom  string        `json:"redirected_from,omitempty"`
	Allowed         bool          `json:"allowed"`
	Reason          polite.Reason `json:"reason,omitempty"`
	Status          int           `json:"status,omitempty"`
	Error           string        `json:"error,omitempty"`
	Origin          string        `json:"origin,omitempty"`
	Agent           string        `json:"agent,omitempty"`
	Group           string        `json:"group,omitempty"`
	Rule            string        `json:"rule,omitempty"`
	Line            int           `json:"line,omitempty"`
	RobotsURL       string        `json:"robots_url,omitempty"`
	RobotsStatus    int           `json:"robots_status,omitempty"`
	RobotsHops      []string      `json:"robots_hops,omitempty"`
	RobotsError     string        `json:"robots_error,omitempty"`
	RobotsTruncated bool          `json:"robots_truncated,omitempty"`
	Delay           float64       `json:"delay,omitempty"`
	SiteDelay       float64       `json:"site_delay,omitempty"`
	Next            time.Time     `json:"next,omitzero"`
}

func recordOf(d polite.Decision) record {
	r := record{
		URL: d.URL, Allowed: d.Allowed, Reason: d.Reason,
		Origin: d.Origin, Agent: d.Agent, Group: d.Group,
		RobotsURL: d.RobotsURL, RobotsStatus: d.Status, RobotsHops: d.Hops,
		RobotsError: fetchError(d.Err), RobotsTruncated: d.Truncated,
		Delay: d.Delay.Seconds(), SiteDelay: d.SiteDelay.Seconds(),
		Next: toSecond(d.Next),
	}
	if d.Reason == polite.ByRule {
		r.Rule, r.Line = d.Rule.String(), d.Rule.Line
	}
	return r
}

// toSecond returns t for others to read. The zero time stays as it is.
func toSecond(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Round(time.Second)
}

// json tells a verdict as a line of JSON. The package's documentation describes
// it.
func (v verdict) json() string {
	type match struct {
		Rule   string `json:"rule"`
		Line   int    `json:"line"`
		Length int    `json:"length"`
	}
	line := struct {
		record
		Agents      []string     `json:"agents"`
		GroupReason groupReason  `json:"group_reason,omitempty"`
		RuleReason  ruleReason   `json:"rule_reason,omitempty"`
		Matches     []match      `json:"matches,omitempty"`
		Lines       []sourceLine `json:"lines,omitempty"`
		Fetched     time.Time    `json:"robots_fetched,omitzero"`
	}{
		record: recordOf(v.decision), Agents: v.tokens,
		GroupReason: v.groupReason(), RuleReason: v.ruleReason(),
		Lines: v.lines, Fetched: toSecond(v.decision.Fetched),
	}
	line.URL, line.Error = v.url, message(v.err)
	for _, m := range v.matches {
		line.Matches = append(line.Matches, match{m.String(), m.Line, m.Len()})
	}
	return jsonLine(line)
}
