package told

import (
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
)

// A record is what is decided on a request, in JSON. The documentation of the command
// describes it.
type record struct {
	URL             string        `json:"url"`
	Hop             int           `json:"hop,omitempty"`
	RedirectedFrom  string        `json:"redirected_from,omitempty"`
	Allowed         bool          `json:"allowed"`
	Reason          polite.Reason `json:"reason,omitempty"`
	Agreement       string        `json:"agreement,omitempty"`
	Status          int           `json:"status,omitempty"`
	Error           string        `json:"error,omitempty"`
	File            string        `json:"file,omitempty"`
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

	Provenance *polite.Provenance `json:"provenance,omitempty"`
}

func recordOf(d polite.Decision) record {
	r := record{
		URL: d.URL, Allowed: d.Allowed, Reason: d.Reason,
		Origin: d.Origin, Agent: d.Agent, Group: d.Group,
		RobotsURL: d.RobotsURL, RobotsStatus: d.Status, RobotsHops: d.Hops,
		RobotsError: fetchError(d.Err), RobotsTruncated: d.Truncated,
		Delay: d.Gap.Seconds(), SiteDelay: d.CrawlDelay.Seconds(),
		Next: toSecond(d.Next),
	}
	if d.Reason == polite.ReasonAgreed {
		r.Agreement = d.Basis
	}
	if d.Reason == polite.ReasonRule {
		r.Rule, r.Line = d.Rule.String(), d.Rule.Line
	}
	return r
}

// toSecond returns t as it is shown. The zero time stays as it is.
func toSecond(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Round(time.Second)
}

// A verdictRecord is a verdict in JSON. The documentation of the command describes it.
type verdictRecord struct {
	record
	Agents      []string          `json:"agents"`
	GroupReason judge.GroupReason `json:"group_reason,omitempty"`
	RuleReason  judge.RuleReason  `json:"rule_reason,omitempty"`
	Matches     []match           `json:"matches,omitempty"`
	Lines       []judge.Line      `json:"lines,omitempty"`
	Uses        []Use             `json:"uses,omitempty"`
	Fetched     time.Time         `json:"robots_fetched,omitzero"`
}

type match struct {
	Rule   string `json:"rule"`
	Line   int    `json:"line"`
	Length int    `json:"length"`
}

func recordOfVerdict(v judge.Verdict) verdictRecord {
	r := verdictRecord{
		record: recordOf(v.Decision), Agents: v.Tokens,
		GroupReason: v.GroupReason(), RuleReason: v.RuleReason(),
		Lines: v.Lines, Uses: Uses(v.Usage), Fetched: toSecond(v.Decision.Fetched),
	}
	r.URL, r.Error = v.URL, verb.Message(v.Err)
	for _, m := range v.Matches {
		r.Matches = append(r.Matches, match{m.String(), m.Line, m.Len()})
	}
	return r
}
