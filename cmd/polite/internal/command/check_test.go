package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/cmd/polite/internal/input"
	"github.com/go-polite/polite/cmd/polite/internal/judge"
	"github.com/go-polite/polite/cmd/polite/internal/report"
	"github.com/go-polite/polite/cmd/polite/internal/verb"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCheckMisuse(t *testing.T) {
	s := shopSite(t)
	for _, test := range []struct {
		name string
		args []string
		want string
	}{
		{"no scheme", []string{"example.com/a"}, "as in https://example.com/a"},
		{"ftp", []string{"ftp://example.com/"}, "begins with https:// or http://"},
		{"no host", []string{"http:///a"}, "no host"},
		{"bad port", []string{"http://example.com:99999/"}, "port 99999"},
		{"good and bad URLs", []string{s.URL + "/a", "example.com"}, "as in https://example.com"},
		{"a path, but of which site", []string{"/a"}, "no URL"},
		{"standard input twice", []string{"-f", "-"}, "standard input is the file"},
		{"standard input twice, said", []string{"-f", "-", "-"}, "standard input is the file"},
		{"a file of a site", []string{"-f", s.URL + "/robots.txt", s.URL}, "leave it out to ask the site"},
		{"a file, and neither URL nor path", []string{"-f", "testdata/shop.txt", "a"}, "or /page"},
		{"a file, and a bad path", []string{"-f", "testdata/shop.txt", "/a\x7f"}, "invalid control character"},
		{"no crawler", []string{"-A", "", s.URL}, "write a name of letters from a to z, as in GPTBot"},
		{"no product token", []string{"-A", "*bot", s.URL}, "write a name of letters from a to z, as in GPTBot"},
		{"a browser", []string{"-A", "Mozilla/5.0 (X11)", s.URL}, "write a name of letters from a to z, as in GPTBot"},
		{"a file, and not -f", []string{slips}, `"testdata/slips.txt" is a file: write -f before it`},
		{"a list of URLs", []string{"-f", slips, "testdata/shop.txt"}, "write --urls before it to read URLs from it, as in --urls testdata/shop.txt"},
		{"two files", []string{"-f", "testdata/shop.txt", "-f", "testdata/slips.txt", "/a"}, "flag: there is one already"},
		{"one slash", []string{"http:/example.com/a"}, "as in http://example.com/a"},
		{"no flag behind --", []string{s.URL, "--", "-v"}, `"-v" is no URL`},
		{"unknown flag", []string{s.URL, "-x"}, "unknown shorthand flag: 'x' in -x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			assertMisuse(t, "check", test.want, test.args...)
		})
	}
	assert.Empty(t, s.arrivals())
}

// TestCheckAgrees puts the same questions to check and to RoundTrip: what check
// says of them is what RoundTrip does, as the site sees it.
func TestCheckAgrees(t *testing.T) {
	for _, test := range []struct {
		name    string
		robots  http.HandlerFunc // of site.example; nil for none
		agents  string
		url     string
		verdict string // and the line of the rule
	}{
		{"no rule", origintest.Text("user-agent: *\ndisallow: /x\n"), "a", "http://site.example/y", "allowed 0"},
		{"a rule", origintest.Text("user-agent: *\ndisallow: /x\n"), "a", "http://site.example/x/y", "disallowed 2"},
		{"the longest", origintest.Text("user-agent: *\ndisallow: /x\nallow: /x/\n"), "a", "http://site.example/x/y", "allowed 3"},
		{"a tie", origintest.Text("user-agent: *\ndisallow: /x\nallow: /x\n"), "a", "http://site.example/x", "allowed 3"},
		{"a tie of wildcards", origintest.Text("user-agent: *\ndisallow: /*y\nallow: /x*\n"), "a", "http://site.example/xy", "allowed 3"},
		{"the query", origintest.Text("user-agent: *\ndisallow: /*?s=\n"), "a", "http://site.example/?s=1", "disallowed 2"},
		{"no path", origintest.Text("user-agent: *\ndisallow: /$\n"), "a", "http://site.example", "disallowed 2"},
		{"a fragment", origintest.Text("user-agent: *\ndisallow: /x$\n"), "a", "http://site.example/x#y", "disallowed 2"},
		{"encoded", origintest.Text("user-agent: *\ndisallow: /ツ\n"), "a", "http://site.example/%e3%83%84", "disallowed 2"},
		{"not encoded", origintest.Text("user-agent: *\ndisallow: /%E3%83%84\n"), "a", "http://site.example/ツ", "disallowed 2"},
		{"an encoded slash", origintest.Text("user-agent: *\ndisallow: /a/b\n"), "a", "http://site.example/a%2Fb", "allowed 0"},
		{"dot segments", origintest.Text("user-agent: *\ndisallow: /b\n"), "a", "http://site.example/a/../b", "allowed 0"},
		{"own group", origintest.Text("user-agent: *\ndisallow: /\nuser-agent: a\nallow: /\n"), "A", "http://site.example/", "allowed 4"},
		{"a fallback", origintest.Text("user-agent: b\ndisallow: /\n"), "a,b", "http://site.example/", "disallowed 2"},
		{"a group without rules", origintest.Text("user-agent: *\ndisallow: /\nuser-agent: a\n"), "a", "http://site.example/", "allowed 0"},
		{"groups that are merged", origintest.Text("user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /\nuser-agent: a\nallow: /x/y\n"), "a", "http://site.example/x/y", "allowed 6"},
		{"a long group", origintest.Text("user-agent: *\n" + strings.Repeat("disallow: /x\n", 100) + "allow: /x/y"), "a", "http://site.example/x/yz", "allowed 102"},
		{"robots.txt itself", origintest.Text("user-agent: *\ndisallow: /\n"), "a", "http://site.example/robots.txt", "allowed 0"},
		{"empty", origintest.Text(""), "a", "http://site.example/", "allowed 0"},
		{"HTML", origintest.Text("<!DOCTYPE html><title>x</title>"), "a", "http://site.example/", "allowed 0"},
		{"too long", origintest.Endless("user-agent: *\ndisallow: /x\n", "# more\n"), "a", "http://site.example/x", "disallowed 2"},
		{"gzip", origintest.Gzip("user-agent: *\ndisallow: /x\n"), "a", "http://site.example/x", "disallowed 2"},
		{"none", nil, "a", "http://site.example/", "allowed 0"},
		{"401", origintest.Status(401), "a", "http://site.example/", "allowed 0"},
		{"429", origintest.Status(429), "a", "http://site.example/", "unreachable 0"},
		{"500", origintest.Status(500), "a", "http://site.example/", "unreachable 0"},
		{"no HTTP", babble, "a", "http://site.example/", "unreachable 0"},
		{"text, called gzip", origintest.Encoded("gzip", "user-agent: *\nallow: /\n"), "a", "http://site.example/", "allowed 2"},
		{"no gzip", origintest.Encoded("gzip", "\x00\x01\x02"), "a", "http://site.example/", "unreachable 0"},
		{"redirect", origintest.Redirect("http://other.example/rules"), "a", "http://site.example/x", "disallowed 2"},
		{"redirect in a loop", origintest.Redirect("/robots.txt"), "a", "http://site.example/x", "allowed 0"},
		{"a lost host", nil, "a", "http://lost.example/", "unreachable 0"},
		{"another port", origintest.Text("user-agent: *\ndisallow: /\n"), "a", "http://site.example:8080/", "allowed 0"},
		{"the default port", origintest.Text("user-agent: *\ndisallow: /\n"), "a", "http://site.example:80/", "disallowed 2"},
		{"a user", origintest.Text("user-agent: *\ndisallow: /x\n"), "a", "http://me:secret@site.example/x", "disallowed 2"},
		{"a user's page", origintest.Text("user-agent: *\ndisallow: /x\n"), "a", "http://me:secret@site.example/y", "allowed 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			all := pages{"http://other.example/rules": origintest.Text("user-agent: *\ndisallow: /x\n")}
			if test.robots != nil {
				all["http://site.example/robots.txt"] = test.robots
			}
			sites := openWeb(t, all)
			sites.Lose("lost.example")
			tokens := strings.Split(test.agents, ",")
			line := checkJSON(t, sites.Transport(t), tokens, test.url)
			said := struct {
				URL     string
				Allowed bool
				Reason  polite.Reason
				Line    int
				Matches []struct{ Line int }
			}{}
			require.NoError(t, json.Unmarshal([]byte(line), &said))

			outcome, ruleLine, arrived := roundTrip(t, sites, tokens, test.url)
			word, lineNumber, _ := strings.Cut(test.verdict, " ")
			assert.Equal(t, word, string(outcome))
			assert.Equal(t, outcome == report.Allowed, said.Allowed)
			assert.Equal(t, outcome == report.Unreachable, said.Reason == polite.ReasonUnreachable)
			assert.Equal(t, said.Allowed, arrived, "at the site")
			assert.Equal(t, lineNumber, jsonNumber(said.Line))
			if outcome == report.Disallowed {
				assert.Equal(t, said.Line, ruleLine)
			}
			if said.Line != 0 {
				require.NotEmpty(t, said.Matches, line)
				assert.Equal(t, said.Line, said.Matches[0].Line)
			}
			assert.NotContains(t, said.URL, "secret")
		})
	}
}

func jsonNumber(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// checkJSON returns what check says of a URL, in JSON.
func checkJSON(t *testing.T, base http.RoundTripper, tokens []string, arg string) string {
	j := judge.New(judge.Options{Crawlers: [][]string{tokens}, Base: base, Explain: true})
	return report.JSON().Tell(j.Judge(t.Context(), input.Question(arg, false)), true)
}

// roundTrip requests a page, and returns what came of it, the line of the rule
// that refused it, and whether the request for the page arrived.
func roundTrip(t *testing.T, sites site, tokens []string, arg string) (outcome report.Outcome, line int, arrived bool) {
	before := len(sites.Log())
	transport := &polite.Transport{UserAgent: "a", Agents: tokens, Base: sites.Transport(t)}
	u, err := url.Parse(arg)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, arg, nil)
	require.NoError(t, err)
	resp, err := transport.RoundTrip(req)
	if err == nil {
		resp.Body.Close()
	}
	for _, a := range sites.Log()[before:] {
		arrived = arrived || a.URI == u.RequestURI()
	}
	if refused, ok := errors.AsType[*polite.DisallowedError](err); ok {
		line = refused.Rule.Line
	}
	return report.OutcomeOf(polite.Decision{Allowed: true}, err), line, arrived
}

// A file with more than can be shown leaves room for what matters.
func TestCheckManyRules(t *testing.T) {
	body := strings.Repeat("user-agent: *\n", 100) + strings.Repeat("disallow: /*\n", 1000) + "disallow: /x" + strings.Repeat("*", 1000)
	got := runWithInput(t, body, "check", "-f", "-", "/x")
	assert.Equal(t, 3, got.status)
	assert.Less(t, strings.Count(got.stdout, "\n"), 60)
	for line := range strings.Lines(got.stdout) {
		assert.Less(t, len(line), 200)
	}
	assert.Contains(t, got.stdout, "lines 1, 2, 3, 4, 5, ...: no group")
	assert.Contains(t, got.stdout, "  1002  1101  disallow: /x***")
	assert.Contains(t, got.stdout, "...  <- decides: the longest\n")
	assert.Contains(t, got.stdout, "and 991 more\n")
	assert.Contains(t, got.stdout, "\n>   1101 | disallow: /x***")

	got = runWithInput(t, body, "check", "--json", "-f", "-", "/x")
	var line struct{ Matches, Lines []struct{ Line int } }
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &line))
	assert.Len(t, line.Matches, 20)
	assert.Equal(t, 1101, line.Matches[0].Line)
	assert.Len(t, line.Lines, 21)
	assert.Equal(t, 1101, line.Lines[20].Line, "the one that decides")
}

// Sites are asked once, and by the name of the command, whoever is judged.
func TestCheckAsksOnce(t *testing.T) {
	var sent []string
	s := newSite(t, func(w http.ResponseWriter, r *http.Request) {
		sent = append(sent, r.UserAgent())
		io.WriteString(w, "user-agent: *\ndisallow: /private\n")
	}, nil)
	got := runWithInput(t, strings.Repeat(s.URL+"/a\n"+s.URL+"/b\n", 50), "check", "-A", "GPTBot", "-A", "CCBot")
	assert.Equal(t, 0, got.status)
	assert.Equal(t, 101, strings.Count(got.stdout, "\n"))
	assert.Equal(t, []string{verb.UserAgent()}, sent)
	assert.Equal(t, []string{"/robots.txt"}, s.arrivals())
}

// Standard input is left to others where it is not needed.
func TestCheckLeavesStdin(t *testing.T) {
	for _, args := range [][]string{
		{"check", "-f", "testdata/shop.txt", "/x"}, {"lint", "--ignore", "never-wins", "testdata/shop.txt"}, {"records", "testdata/shop.txt"},
	} {
		stdin := strings.NewReader("not for us\n")
		assert.Equal(t, 0, runTo(t.Context(), args, streams(stdin, io.Discard, io.Discard)))
		assert.Equal(t, len("not for us\n"), stdin.Len(), args[0])
	}
}

func TestCheckNobodyListens(t *testing.T) {
	url := deserted(t)
	got := runCommand(t, "check", url+"/a")
	assert.Equal(t, 4, got.status)
	assert.Contains(t, got.stdout, "could not be fetched: ")
	assert.Contains(t, got.stdout, "connection refused")
	assert.Regexp(t, `"robots_error":"[^"]*connection refused"`, runCommand(t, "check", "--json", url+"/a").stdout)
}

func TestCheckInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	over := make(chan struct{})
	hanging := newSite(t, func(http.ResponseWriter, *http.Request) {
		cancel(errors.New("enough"))
		<-over
	}, nil)
	defer close(over)
	var stdout, stderr strings.Builder
	assert.Equal(t, 1, runTo(ctx, []string{"check", hanging.URL + "/a", hanging.URL + "/b"}, streams(nil, &stdout, &stderr)))
	assert.Equal(t, "polite check: enough\n", stderr.String())
	assert.Empty(t, stdout.String())

	for _, args := range [][]string{{"check"}, {"lint", "-"}, {"records", "-"}, {"check", "-f", "-", "/x"}} {
		never, _ := io.Pipe()
		stderr.Reset()
		assert.Equal(t, 1, runTo(ctx, args, streams(never, &stdout, &stderr)))
		assert.Equal(t, "polite "+args[0]+": enough\n", stderr.String())
	}
}

// Verdicts come while URLs do, and the command ends when its reader does.
func TestCheckStream(t *testing.T) {
	cmd := process(t, "check", "-f", "testdata/shop.txt")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	require.NoError(t, cmd.Start())

	lines := bufio.NewReader(stdout)
	for range 3 {
		io.WriteString(stdin, "/private\n")
		line, err := lines.ReadString('\n')
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(line, "disallowed "), line)
	}
	stdout.Close()
	io.WriteString(stdin, "/private\n")
	require.ErrorAs(t, cmd.Wait(), new(*exec.ExitError))
	assert.Equal(t, 1, cmd.ProcessState.ExitCode())
	assert.Empty(t, stderr.String())
}

func TestCheckLongLines(t *testing.T) {
	long := "/" + strings.Repeat("x", 1<<18)
	got := runWithInput(t, long+"\n/private\n", "check", "-f", "testdata/shop.txt")
	assert.Equal(t, 3, got.status)
	assert.True(t, strings.HasPrefix(got.stdout, "allowed      "+long), "a long URL is shown as it is")

	got = runWithInput(t, "/a\n"+strings.Repeat("x", 1<<21), "check", "-f", "testdata/shop.txt")
	assert.Equal(t, 1, got.status)
	assert.Equal(t, 2, strings.Count(got.stdout, "\n"))
	assert.Contains(t, got.stdout, "failed       standard input  a line is longer than any URL\n")
}

// A file is judged without network: not even a name is looked up.
func TestCheckFileAsksNobody(t *testing.T) {
	proxy := newSite(t, origintest.Text(""), nil)
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("NO_PROXY", "")
	got := runProcess(t, nil, "check", "-f", "testdata/shop.txt", "http://a.example/private", "http://b.example/")
	assert.Equal(t, 3, got.status)
	assert.Empty(t, proxy.arrivals())

	got = runProcess(t, nil, "check", "http://a.example/private")
	assert.Equal(t, 0, got.status)
	assert.Len(t, proxy.arrivals(), 1, "while without a file it goes there")
}

// Who asks about a crawler whose owner says that it does not obey learns of this.
func TestCheckOfDisobeying(t *testing.T) {
	got := runCommand(t, "check", "-f", "testdata/shop.txt", "-A", "Perplexity-User", "/private")
	assert.Equal(t, 3, got.status)
	assert.Contains(t, got.stderr, "polite check: Perplexity-User does not obey as a rule, as its owner says: robots.txt alone does not keep it out\n")
	assert.Empty(t, runCommand(t, "check", "-f", "testdata/shop.txt", "-A", "GPTBot", "/private").stderr)
}

// A policy token of a draft is the name of a use. It stands beside what Content-Signal says of the same use, and no command
// takes it for a crawler.
func TestPolicyToken(t *testing.T) {
	const token = "__usage_ai-training"
	body := func(path string) string {
		return "User-agent: " + token + "\nDisallow: " + path + "\n\nUser-agent: *\nContent-Signal: ai-train=yes\nDisallow: /x\n"
	}
	for form, want := range map[string]string{
		"/photos/1":                   "use         train-ai yes  line 5: content-signal: ai-train=yes\n              __usage_ai-training no  line 2: disallow: /photos/ (by a draft)\n",
		"/photos/1 /y":                "use: train-ai yes, __usage_ai-training no\n",
		"-A GPTBot -A a /photos/1 /y": "  train-ai yes     train-ai yes\n  __usage_ai-training no\nallowed          allowed          /y\n",
		"--json /photos/1":            `{"use":"__usage_ai-training","says":"no","line":2,"value":"disallow: /photos/ (by a draft)"}`,
	} {
		got := runWithInput(t, body("/photos/"), append([]string{"check", "-f", "-"}, strings.Fields(form)...)...)
		assert.Zero(t, got.status)
		assert.Contains(t, got.stdout, want)
	}

	assertMisuse(t, "check", "it names no crawler but a use of pages", "-A", token, "https://example.com/")
	got := runWithInput(t, "/photos/1 "+token+" disallowed\n", "check", "-f", "testdata/shop.txt", "--expect", "-")
	assert.Equal(t, 1, got.status)
	assert.Contains(t, got.stderr, "it names no crawler but a use of pages")

	file := filepath.Join(t.TempDir(), "robots.txt")
	require.NoError(t, os.WriteFile(file, []byte(body("/")), 0o644))
	got = runWithInput(t, body("/photos/"), "diff", "-", file)
	assert.Equal(t, 3, got.status)
	assert.Equal(t, "record  gone   disallow: /photos/  (was line 2, for "+token+")\nrecord  new    disallow: /  (line 2, for "+token+")\n", got.stdout)
	assert.Equal(t, "no verdict changes for 1 crawler, and 2 preferences about the use of pages\n", got.stderr)
	assert.Zero(t, runCommand(t, "diff", file, file).status)
}
