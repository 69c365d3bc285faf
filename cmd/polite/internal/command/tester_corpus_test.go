package command

import (
	"cmp"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/internal/lab/corpus"
	"github.com/go-polite/polite/internal/lab/long"
	"github.com/go-polite/polite/robots/crawlers"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// On real files the tester says what check and lint say: verdicts, lines, errors and findings,
// also for all crawlers of a preset. What it exports is what check writes.
func TestTesterAgreesOnCorpus(t *testing.T) {
	files, cases := corpus.Load(t)
	t.Chdir(t.TempDir())
	link, _ := startTester(t, "--no-open")
	hosts := slices.Sorted(maps.Keys(files))
	kinds := append(crawlers.Kinds(), "known")
	many := long.Or(50, 200)
	asked, disallowed, several := 0, 0, 0
	for i := range many {
		host := hosts[i*len(hosts)/many]
		agent, urls := questionsOn(host, cases)
		require.NoError(t, os.WriteFile("robots.txt", files[host], 0o600))
		parts := map[string]string{"text": string(files[host]), "urls": strings.Join(urls, "\n")}
		parts["request"] = inJSON(t, map[string]any{"agent": agent, "format": "json", "several": map[string]any{"kind": kinds[i%len(kinds)]}})
		checked := checkFile(t, urls, agent)
		a := judged(t, askTester(t, link, "judge", parts))
		require.Equal(t, verdictsOf(t, checked), a.Verdicts, "%s for %q", host, agent)
		require.Equal(t, checked, askTester(t, link, "export", parts), "%s for %q", host, agent)
		require.Equal(t, findingsIn(t, runCommand(t, "lint", "--json", "robots.txt").stdout), a.Findings, host)
		several += assertTable(t, a.Table, urls[:min(len(urls), 50)], host)
		asked += len(urls)
		disallowed += strings.Count(checked, `"allowed":false`)
	}
	t.Logf("%d URLs of %d files, %d of them disallowed or invalid; %d verdicts for presets", asked, many, disallowed, several)
	assert.Greater(t, asked, many)
	assert.Greater(t, disallowed, many/10)
	assert.Greater(t, several, 10*asked)
}

// checkFile returns what check writes about URLs for crawlers.
func checkFile(t *testing.T, urls []string, agents ...string) string {
	args := []string{"check", "--json", "-f", "robots.txt"}
	for _, agent := range agents {
		args = append(args, "-A", agent)
	}
	return runWithInput(t, strings.Join(urls, "\n"), args...).stdout
}

// assertTable holds a table to what check says for each of its crawlers. It returns how many
// verdicts these are.
func assertTable(t *testing.T, table judgedTable, urls []string, host string) (verdicts int) {
	var agents []string
	for _, c := range table.Columns {
		agents = append(agents, c.Crawlers...)
	}
	want := verdictsOf(t, checkFile(t, urls, agents...))
	require.Len(t, want, len(urls)*len(agents))
	for i := range urls {
		for n, c := range table.Columns {
			for range c.Crawlers {
				require.Equal(t, want[0], table.Rows[i][n], "%s %s for %s", host, urls[i], c.Crawlers)
				want = want[1:]
				verdicts++
			}
		}
	}
	return verdicts
}

func inJSON(t *testing.T, v any) string {
	text, err := json.Marshal(v)
	require.NoError(t, err)
	return string(text)
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
	Error   string `json:"error"`
}

type judgedTable struct {
	Columns []struct{ Crawlers []string }
	Rows    [][]judgedVerdict
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
	Table    judgedTable     `json:"table"`
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
		verdicts = append(verdicts, judgedVerdict{word, v.Line, v.Error})
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
