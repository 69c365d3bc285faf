package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
)

const slips = "testdata/slips.txt"

// found returns what there is to find in slips.
func found(t *testing.T) []lint.Finding {
	body, err := os.ReadFile(slips)
	require.NoError(t, err)
	findings := lint.Lint(body)
	require.NotEmpty(t, findings)
	require.True(t, slices.ContainsFunc(findings, func(f lint.Finding) bool { return f.Severity == lint.Error }))
	return findings
}

func TestLintLines(t *testing.T) {
	var want strings.Builder
	for _, f := range found(t) {
		want.WriteString(slips + ":" + f.String() + "\n")
	}
	got := runCommand(t, "lint", slips)
	assert.Equal(t, 1, got.status)
	assert.Equal(t, want.String(), got.stdout, "as compilers write it")
	assert.Regexp(t, `^\d+ errors?, \d+ warnings?, \d+ notes? in 1 file\n$`, got.stderr)
}

func TestLintJSON(t *testing.T) {
	got := runCommand(t, "lint", "--json", slips)
	assert.Equal(t, 1, got.status)
	assert.Empty(t, got.stderr)
	lines := strings.SplitAfter(got.stdout, "\n")
	findings := found(t)
	require.Len(t, lines, len(findings)+1)
	for i, f := range findings {
		assert.Equal(t, findingJSON(slips, f), lines[i])
		assert.True(t, json.Valid([]byte(lines[i])))
	}
}

// The exit status is that of the worst which is not ignored.
func TestLintStatus(t *testing.T) {
	dir := t.TempDir()
	worst := make(map[lint.Severity]string) // a file of which it is the worst
	for name, body := range map[string]string{
		"error":   "user-agent: *\ndisallow /x\n",
		"warning": "user-agent: *\n" + strings.Repeat("# padding\n", robots.MaxSize/10),
		"nothing": "user-agent: *\ndisallow: /x\n",
	} {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(body), 0o600))
		most := lint.Note
		for _, f := range lint.Lint([]byte(body)) {
			most = max(most, f.Severity)
		}
		worst[most] = file
	}
	require.Len(t, worst, 3)
	for _, test := range []struct {
		args []string
		want int
	}{
		{[]string{worst[lint.Error]}, 1},
		{[]string{worst[lint.Warning]}, 0},
		{[]string{worst[lint.Note]}, 0},
		{[]string{"--strict", worst[lint.Error]}, 1},
		{[]string{"--strict", worst[lint.Warning]}, 1},
		{[]string{"--strict", worst[lint.Note]}, 0},
		{[]string{worst[lint.Note], worst[lint.Error]}, 1},
		{append(ignoring(lint.Error), worst[lint.Error]), 0},
		{append(ignoring(lint.Error), worst[lint.Warning], "--strict"), 1},
		{append(ignoring(lint.Warning), worst[lint.Warning], "--strict"), 0},
		{[]string{"--json", worst[lint.Error]}, 1},
		{[]string{"--sarif", worst[lint.Error]}, 1},
	} {
		assert.Equal(t, test.want, runCommand(t, append([]string{"lint"}, test.args...)...).status, test.args)
	}
}

// ignoring returns the flags that ignore all checks of a severity.
func ignoring(severity lint.Severity) (args []string) {
	for _, c := range lint.Checks() {
		if c.Severity == severity {
			args = append(args, "--ignore", c.ID)
		}
	}
	return args
}

func TestLintIgnore(t *testing.T) {
	for _, f := range found(t) {
		assert.Contains(t, runCommand(t, "lint", slips).stdout, "["+f.ID+"]")
		assert.NotContains(t, runCommand(t, "lint", "--ignore", f.ID, slips).stdout, "["+f.ID+"]")
		assert.NotContains(t, runCommand(t, "lint", "--ignore", "html,"+f.ID, slips).stdout, "["+f.ID+"]")
	}
}

// What is too much to be listed is counted.
func TestLintCounts(t *testing.T) {
	name := filepath.Join(t.TempDir(), "robots.txt")
	require.NoError(t, os.WriteFile(name, []byte(strings.Repeat("disallow: /\n", 150)), 0o600))
	got := runCommand(t, "lint", name)
	assert.Equal(t, 100, strings.Count(got.stdout, "[rule-outside-group]"))
	assert.Equal(t, "150 errors, 0 warnings, 0 notes in 1 file\n", got.stderr)
	got = runCommand(t, "lint", "--json", name)
	assert.Equal(t, 1, strings.Count(got.stdout, `"more":50}`+"\n"))
}

func TestLintMisuse(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing", nil, "which robots.txt?"},
		{"no name", []string{""}, "which robots.txt?"},
		{"two outputs", []string{"--json", "--sarif", slips}, "--json or --sarif?"},
		{"an id like another", []string{"--ignore", lint.Checks()[0].ID + "x", slips}, `did you mean "` + lint.Checks()[0].ID + `"?`},
		{"an id in a list", []string{"--ignore", "html,zzz", slips}, `value "html,zzz" for flag --ignore: there is no such id`},
		{"an id like none", []string{"--ignore", "zzzzzzzzzzzzzzzzzzzzzzzz", slips}, `"polite help lint" lists them`},
		{"standard input twice", []string{"-", "-"}, "standard input can be read once"},
		{"a URL of no use", []string{"ftp://example.com/"}, "begins with https:// or http://"},
		{"a URL without host", []string{slips, "https:///"}, "no host"},
		{"unknown flag", []string{slips, "--fix"}, "-fix"},
	} {
		t.Run(test.name, func(t *testing.T) { assertMisuse(t, "lint", test.want, test.args...) })
	}
}

func TestLintUnreadable(t *testing.T) {
	none := newSite(t, status(404), nil)
	for _, arg := range []string{filepath.Join(t.TempDir(), "robots.txt"), t.TempDir(), none.URL} {
		got := runCommand(t, "lint", arg, slips)
		assert.Equal(t, 4, got.status)
		assert.Contains(t, got.stdout, slips, "what can be read is")
		assert.Regexp(t, `^polite lint: .+\n.+ in 1 file\n$`, got.stderr)
	}
}

func TestLintNothingRead(t *testing.T) {
	got := runCommand(t, "lint", t.TempDir())
	assert.Equal(t, 4, got.status)
	assert.Equal(t, 1, strings.Count(got.stderr, "\n"), "no summary of nothing: %s", got.stderr)
}

// A sarifRead is what a code scanner looks at.
type sarifRead struct {
	Version string
	Schema  string `json:"$schema"`
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string
				Rules []struct {
					ID                   string
					ShortDescription     struct{ Text string }
					DefaultConfiguration struct{ Level string }
				}
			}
		}
		ColumnKind  string
		Invocations []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct {
				Level   string
				Message struct{ Text string }
			}
		}
		Results []struct {
			RuleID    string
			RuleIndex int
			Level     string
			Message   struct{ Text string }
			Locations []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI string }
					Region           struct{ StartLine, StartColumn int }
				}
			}
		}
	}
}

func TestLintSARIF(t *testing.T) {
	got := runCommand(t, "lint", "--sarif", slips)
	assert.Equal(t, 1, got.status)
	assert.Empty(t, got.stderr)
	var log sarifRead
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &log))
	assert.Equal(t, "2.1.0", log.Version)
	assert.NotEmpty(t, log.Schema)
	require.Len(t, log.Runs, 1)
	assert.Equal(t, "utf16CodeUnits", log.Runs[0].ColumnKind)

	driver := log.Runs[0].Tool.Driver
	assert.Equal(t, "polite", driver.Name)
	require.Len(t, driver.Rules, len(lint.Checks()))
	for i, c := range lint.Checks() {
		assert.Equal(t, c.ID, driver.Rules[i].ID)
		assert.Equal(t, c.Summary, driver.Rules[i].ShortDescription.Text)
		assert.Equal(t, c.Severity.String(), driver.Rules[i].DefaultConfiguration.Level)
	}
	findings := found(t)
	require.Len(t, log.Runs[0].Results, len(findings))
	for i, f := range findings {
		result := log.Runs[0].Results[i]
		assert.Equal(t, f.ID, result.RuleID)
		assert.Equal(t, f.ID, driver.Rules[result.RuleIndex].ID)
		assert.Equal(t, f.Severity.String(), result.Level)
		assert.Equal(t, f.Message, result.Message.Text)
		require.Len(t, result.Locations, 1)
		place := result.Locations[0].PhysicalLocation
		assert.Equal(t, slips, place.ArtifactLocation.URI)
		assert.Equal(t, f.Line, place.Region.StartLine)
		assert.Equal(t, f.Column, place.Region.StartColumn)
	}
}

// A log without results says so: null would be that nothing was looked for.
func TestLintSARIFNothing(t *testing.T) {
	assert.Contains(t, sarif(nil, nil), `"results": []`)
}

// Where something could not be read, no results are no good news.
func TestLintSARIFUnread(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	for _, test := range []struct {
		files      []string
		successful bool
		messages   int
	}{
		{[]string{"testdata/shop.txt"}, true, 0},
		{[]string{slips}, true, 0}, // that there are results is no failure
		{[]string{none}, false, 1},
		{[]string{none, slips, none}, false, 2},
	} {
		var log sarifRead
		got := runCommand(t, append([]string{"lint", "--sarif"}, test.files...)...)
		require.NoError(t, json.Unmarshal([]byte(got.stdout), &log))
		require.Len(t, log.Runs[0].Invocations, 1)
		invocation := log.Runs[0].Invocations[0]
		assert.Equal(t, test.successful, invocation.ExecutionSuccessful, test.files)
		require.Len(t, invocation.ToolExecutionNotifications, test.messages)
		for _, n := range invocation.ToolExecutionNotifications {
			assert.Equal(t, "error", n.Level)
			assert.Contains(t, n.Message.Text, none)
		}
	}
}

func TestRegions(t *testing.T) {
	for _, test := range []struct {
		body                    string
		line, octets, from, end int
	}{
		{"allow: /x", 1, 8, 8, 10},
		{"# a\nallow: /é/x", 2, 12, 11, 12},
		{"# a\r\nallow: /\U0001F600/x", 2, 13, 11, 13},
		{"allow: /\xff/x", 1, 10, 10, 12},
		{"\uFEFFallow: /x", 1, 11, 8, 10},
		{"\uFEFFallow: /x", 1, 1, 1, 10},
		{"\uFEFF# a\nallow: /x", 2, 8, 8, 10},
		{"", 1, 1, 1, 1},
		{"allow: /x", 1, 10, 10, 10}, // at its end
		{"allow: /x", 2, 1, 1, 1},    // after the last
	} {
		finding := lint.Finding{Line: test.line, Column: test.octets}
		l := linted{source{body: []byte(test.body)}, []lint.Finding{finding, finding}}
		for _, region := range regions(l) {
			assert.Equal(t, sarifRegion{test.line, test.from, test.line, test.end}, region, "%q", test.body)
		}
	}
}

func TestSARIFText(t *testing.T) {
	assert.Equal(t, `write "/{{0}}" for "[a\](http://example.com/)", [b] (c)`, sarifText(`write "/{0}" for "[a](http://example.com/)", [b] (c)`))
}

func TestSARIFURI(t *testing.T) {
	for name, want := range map[string]string{
		"robots.txt":                     "robots.txt",
		"a b/ü%.txt":                     "a%20b/%C3%BC%25.txt",
		"c:robots.txt":                   "./c:robots.txt",
		"/srv/robots.txt":                "file:///srv/robots.txt",
		"https://example.com/robots.txt": "https://example.com/robots.txt",
	} {
		assert.Equal(t, want, sarifURI(name))
	}
}
