package command

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/serving"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots/lint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// served answers with a text that has no fault, under a type.
func served(contentType string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("ETag", `"1"`)
		origintest.Text("user-agent: *\ndisallow: /x\n")(w, r)
	}
}

// How a file is served is told in the forms of lint, without a line.
func TestLintServing(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Cache-Control", "no-store")
		origintest.Text("user-agent: *\ndisallow: /x\n")(w, r)
	}, nil)
	const told = "note: Cache-Control says no-store: crawlers ask again after 5 minutes"
	got := runCommand(t, "lint", s.URL)
	assert.Equal(t, 0, got.status)
	assert.True(t, strings.HasPrefix(got.stdout, s.URL+"/robots.txt: "+told), got.stdout)
	assert.Equal(t, 1, strings.Count(got.stdout, "\n"), "no line, and no table of one host: %s", got.stdout)
	assert.Equal(t, "0 errors, 0 warnings, 1 note in 1 file\n", got.stderr)

	var data map[string]any
	require.NoError(t, json.Unmarshal([]byte(runCommand(t, "lint", "--json", s.URL).stdout), &data))
	assert.Equal(t, "kept-briefly", data["id"])
	assert.Equal(t, s.URL+"/robots.txt", data["file"])
	assert.NotContains(t, data, "line")
	assert.Contains(t, runCommand(t, "lint", "--json", s.URL).stdout, `/robots.txt","severity":"note","id":"kept-briefly",`)

	var log sarifRead
	require.NoError(t, json.Unmarshal([]byte(runCommand(t, "lint", "--sarif", s.URL).stdout), &log))
	require.Len(t, log.Runs[0].Results, 1)
	assert.Equal(t, "kept-briefly", log.Runs[0].Tool.Driver.Rules[log.Runs[0].Results[0].RuleIndex].ID)
	assert.Zero(t, log.Runs[0].Results[0].Locations[0].PhysicalLocation.Region.StartLine)
	assert.Empty(t, runCommand(t, "lint", "--ignore", "kept-briefly", s.URL).stdout)
}

// What a status means is told, although there is no file to lint. The exit status is what it
// was.
func TestLintStatusOfSite(t *testing.T) {
	for status, want := range map[int]string{404: "[no-file]", 403: "[refused]", 503: "[unreachable]"} {
		s := newSite(t, origintest.Status(status), nil)
		got := runCommand(t, "lint", s.URL)
		assert.Equal(t, 4, got.status)
		assert.Contains(t, got.stdout, want)
		assert.Contains(t, got.stderr, "answered ")
	}
}

func TestLintAs(t *testing.T) {
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.UserAgent(), "OtherBot") {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		served("text/plain")(w, r)
	}, nil)
	assert.Empty(t, runCommand(t, "lint", s.URL).stdout)
	got := runCommand(t, "lint", "--strict", "--as", "OtherBot/1.0", s.URL)
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stdout, `"OtherBot/1.0" gets 403 Forbidden, where polite gets 200 OK`)
	assertMisuse(t, "lint", "as", "--as", "Mozilla/5.0", s.URL)
}

// The hosts of a site are told apart in a table.
func TestLintHosts(t *testing.T) {
	w := openWeb(t, pages{
		"http://example.com/robots.txt":     served("text/plain"),
		"http://www.example.com/robots.txt": origintest.Redirect("http://example.com/robots.txt"),
	})
	cmd := process(t, "lint", "http://example.com/")
	cmd.Env = append(cmd.Env, "HTTP_PROXY="+w.URL, "HTTPS_PROXY="+w.URL, "http_proxy=", "https_proxy=", "NO_PROXY=", "no_proxy=")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	require.NoError(t, cmd.Run(), stderr.String())
	assert.Regexp(t, `^HOST +RULES +KEPT FOR +ANSWER
http://example.com +its own +1 day +200 OK, 27 bytes
https://example.com +allows none +- +robots.txt could not be fetched: .*
https://www.example.com +allows none +- +robots.txt could not be fetched: .*
http://www.example.com +the same +1 day +200 OK, 27 bytes, from http://example.com/robots.txt
$`, stdout.String())
}

func TestExplainServing(t *testing.T) {
	for _, c := range lint.Checks() {
		assert.NotContains(t, runCommand(t, "lint", "--explain", c.ID).stdout, "\n\n\n", c.ID)
	}
	for _, c := range serving.Checks() {
		got := runCommand(t, "lint", "--explain", c.ID)
		assert.Equal(t, 0, got.status)
		assert.Contains(t, got.stdout, "\n    GET http")
		assert.Contains(t, got.stdout, "--ignore "+c.ID)
		assert.NotContains(t, got.stdout, "polite-lint", "a comment in the file does not help")
		assert.NotContains(t, got.stdout, "the line", "it is about no line")
		assert.NotRegexp(t, `\S\n    (GET|HEAD) `, got.stdout, "a blank line parts two exchanges")
		assert.LessOrEqual(t, strings.Count(got.stdout, "\n"), 40)
		assert.Contains(t, runCommand(t, "help", "lint").stdout, "\n    "+c.ID+" ")
	}
}
