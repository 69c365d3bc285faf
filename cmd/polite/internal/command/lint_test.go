package command

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
	assert.Equal(t, 1, strings.Count(got.stdout, `"more":50,"edit":{`))
}

// What is below the level of --level is neither told nor counted.
func TestLintLevel(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{"three": "user-agent: ChatGPT\ndisallow: x\ndisallow: /a/*\n", "warning": "user-agent: ChatGPT\ndisallow: /x\n"} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for _, test := range []struct {
		args    string
		told    int
		summary string
		status  int
	}{
		{"three", 3, "1 error, 1 warning, 1 note in 1 file\n", 1},
		{"--level note three", 3, "1 error, 1 warning, 1 note in 1 file\n", 1},
		{"--level warning three", 2, "1 error, 1 warning in 1 file\n", 1},
		{"--level error three", 1, "1 error in 1 file\n", 1},
		{"--level error --json three", 1, "", 1},
		{"--strict warning", 1, "0 errors, 1 warning, 0 notes in 1 file\n", 1},
		{"--strict --level error warning", 0, "0 errors in 1 file\n", 0},
	} {
		got := runCommand(t, append([]string{"lint"}, strings.Fields(test.args)...)...)
		lines := regexp.MustCompile(`(?m)^[^ ].*\n`).FindAllString(got.stdout, -1)
		assert.Equal(t, []any{test.told, test.summary, test.status}, []any{len(lines), got.stderr, got.status}, test.args)
	}
}

func TestLintMisuse(t *testing.T) {
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing", nil, "which robots.txt?"},
		{"no name", []string{""}, "which robots.txt?"},
		{"two outputs", []string{"--json", "--sarif", slips}, "--json and --sarif do not go together"},
		{"an id like another", []string{"--ignore", lint.Checks()[0].ID + "x", slips}, `did you mean "` + lint.Checks()[0].ID + `"?`},
		{"an id in a list", []string{"--ignore", "html,zzz", slips}, `"html,zzz" for "--ignore" flag: there is no such id`},
		{"an id like none", []string{"--ignore", "zzzzzzzzzzzzzzzzzzzzzzzz", slips}, `"polite help lint" lists them`},
		{"no level", []string{"--level", "bad", slips}, "there is error, warning, note"},
		{"standard input twice", []string{"-", "-"}, "standard input can be read once"},
		{"a URL of no use", []string{"ftp://example.com/"}, "begins with https:// or http://"},
		{"a URL without host", []string{slips, "https:///"}, "no host"},
		{"unknown flag", []string{slips, "--mend"}, "-mend"},
	} {
		t.Run(test.name, func(t *testing.T) { assertMisuse(t, "lint", test.want, test.args...) })
	}
}

func TestLintUnreadable(t *testing.T) {
	none := newSite(t, origintest.Status(404), nil)
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

// What a line of lint begins with is the name of a file.
func TestLintFileNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, want := range map[string]string{
		"::error::x": "./::error::x", " ::error::x": "./ ::error::x", "-x": "./-x", "\u2028::x": `\u2028::x`,
		"##[error]x": `##\x5berror]x`, "a:b": "a:b", "...x": "...x",
	} {
		require.NoError(t, os.WriteFile(name, []byte("user-agent: *\ndisallow: x\n"), 0o600))
		got := runCommand(t, "lint", "--", name)
		assert.True(t, strings.HasPrefix(got.stdout, want+":2:11: error: "), "%q", got.stdout)
	}
}

// In a step of GitHub Actions, findings are shown at their lines.
func TestLintAnnotates(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "true")
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a,b.txt", []byte("User-agent: ChatGPT\nDisallow: x\nDisallow: /a/*\n"), 0o600))
	got := runCommand(t, "lint", "a,b.txt")
	assert.Equal(t, []string{
		`::warning file=a%2Cb.txt,line=1::no crawler of OpenAI reads the name "ChatGPT"; its known crawlers: GPTBot (ai-training), OAI-SearchBot (ai-search), ChatGPT-User (ai-user), OAI-AdsBot (ads) [unread-crawler]`,
		`::error file=a%2Cb.txt,line=2::the rule matches nothing, as paths begin with "/"; write "/x", or "*/x" for any folder [pattern-without-slash]`,
	}, strings.Split(got.stderr, "\n")[:2])
	assert.Equal(t, 1, strings.Count(got.stderr, "::notice file=a%2Cb.txt,line=3::"))
	require.NoError(t, os.WriteFile("many.txt", []byte("User-agent: a\n"+strings.Repeat("Disallow: x\n", 50)), 0o600))
	assert.Equal(t, report.MostAnnotations, strings.Count(runCommand(t, "lint", "many.txt").stderr, "::error file="))
	assert.NotContains(t, runCommand(t, "lint", "-q", "a,b.txt").stderr, "::")
	assert.NotContains(t, runCommand(t, "lint", "--json", "a,b.txt").stdout, "::")
}
