package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/internal/corpus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// On real files the tester says what check and lint say: verdicts, lines, rules, errors and
// findings. What it exports is what check writes.
func TestTesterAgreesOnCorpus(t *testing.T) {
	files, cases := corpus.Load(t)
	t.Chdir(t.TempDir())
	link, _ := startTester(t, "--no-open")
	hosts := slices.Sorted(maps.Keys(files))
	const many = 200
	asked, disallowed := 0, 0
	for i := range many {
		host := hosts[i*len(hosts)/many]
		agent, urls := questionsOn(host, cases)
		require.NoError(t, os.WriteFile("robots.txt", files[host], 0o600))
		request, err := json.Marshal(map[string]any{"agent": agent, "urls": urls, "format": "json"})
		require.NoError(t, err)
		parts := map[string]string{"request": string(request), "text": string(files[host])}
		checked := runWithInput(t, strings.Join(urls, "\n"), "check", "--json", "-f", "robots.txt", "-A", agent).stdout
		a := judged(t, askTester(t, link, "judge", parts))
		require.Equal(t, verdictsOf(t, checked), a.Verdicts, "%s for %q", host, agent)
		require.Equal(t, checked, askTester(t, link, "export", parts), "%s for %q", host, agent)
		require.Equal(t, findingsIn(t, runCommand(t, "lint", "--json", "robots.txt").stdout), a.Findings, host)
		asked += len(urls)
		disallowed += strings.Count(checked, `"allowed":false`)
	}
	t.Logf("%d URLs of %d files, %d of them disallowed or invalid", asked, many, disallowed)
	assert.Greater(t, asked, many)
	assert.Greater(t, disallowed, many/10)
}

// questionsOn returns an agent of the corpus's cases on a file, and its URLs. A list of URLs
// can have them all.
func questionsOn(host string, cases []corpus.Case) (agent string, urls []string) {
	for _, c := range cases {
		if c.Host != host || strings.ContainsAny(c.URL, " #\t\r\n\v\f") || strings.TrimSpace(c.URL) != c.URL || c.URL == "" {
			continue
		}
		if _, err := judge.ParseAgent(c.Agent); err != nil || agent != "" && c.Agent != agent {
			continue
		}
		agent, urls = c.Agent, append(urls, c.URL)
	}
	return cmp.Or(agent, "GPTBot"), append(urls, "/", "/robots.txt", "https://"+host+"/x?y=z", "no-url")
}

type judgedVerdict struct {
	Verdict string `json:"verdict"`
	Line    int    `json:"line"`
	Rule    string `json:"rule"`
	Error   string `json:"error"`
}

type judgedFinding struct {
	ID       string `json:"id"`
	Severity string `json:"severity"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Message  string `json:"message"`
	More     int    `json:"more"`
}

type judgedAnswer struct {
	Verdicts []judgedVerdict `json:"verdicts"`
	Findings []judgedFinding `json:"findings"`
}

func judged(t *testing.T, body string) (a judgedAnswer) {
	require.NoError(t, json.Unmarshal([]byte(body), &a))
	return a
}

// verdictsOf reads what check --json writes.
func verdictsOf(t *testing.T, text string) (verdicts []judgedVerdict) {
	for line := range strings.Lines(text) {
		var v struct {
			Allowed bool
			Error   string
			Rule    string
			Line    int
		}
		require.NoError(t, json.Unmarshal([]byte(line), &v))
		word := "disallowed"
		switch {
		case v.Error != "":
			word = "invalid"
		case v.Allowed:
			word = "allowed"
		}
		verdicts = append(verdicts, judgedVerdict{word, v.Line, v.Rule, v.Error})
	}
	return verdicts
}

// findingsIn reads what lint --json writes.
func findingsIn(t *testing.T, text string) []judgedFinding {
	findings := []judgedFinding{}
	for line := range strings.Lines(text) {
		var f judgedFinding
		require.NoError(t, json.Unmarshal([]byte(line), &f))
		findings = append(findings, f)
	}
	return findings
}
