package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/robots"
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
		{"a file, and a bad path", []string{"-f", "testdata/shop.txt", "/%zz"}, `invalid URL escape "%zz"`},
		{"no crawler", []string{"-A", "", s.URL}, "write one as in GPTBot"},
		{"everyone is no crawler", []string{"-A", "*", s.URL}, "write one as in GPTBot"},
		{"a browser", []string{"-A", "Mozilla/5.0 (X11)", s.URL}, "write one as in GPTBot"},
		{"two files", []string{"-f", "testdata/shop.txt", "-f", "testdata/slips.txt", "/a"}, "for flag -f: there is one already"},
		{"one slash", []string{"http:/example.com/a"}, "as in http://example.com/a"},
		{"no flag behind --", []string{s.URL, "--", "-v"}, `"-v" is no URL`},
		{"unknown flag", []string{s.URL, "-x"}, "unknown flag -x: there is -A, -f, --json, -v\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			assertMisuse(t, "check", test.want, test.args...)
		})
	}
	assert.Empty(t, s.arrivals())
}

// assertMisuse checks that a command says what is wrong in a line, and where to
// learn more in another.
func assertMisuse(t *testing.T, command, want string, args ...string) {
	got := runCommand(t, append([]string{command}, args...)...)
	assert.Equal(t, 2, got.status)
	assert.Empty(t, got.stdout)
	assert.True(t, strings.HasPrefix(got.stderr, "polite "+command+": "), got.stderr)
	assert.Contains(t, got.stderr, want)
	assert.Equal(t, 2, strings.Count(got.stderr, "\n"), got.stderr)
	assert.True(t, strings.HasSuffix(got.stderr, "\n\"polite help "+command+"\" tells how to use it.\n"), got.stderr)
}

func TestParseAgent(t *testing.T) {
	for agent, want := range map[string][]string{
		"GPTBot":                         {"GPTBot"},
		"GPTBot/1.2":                     {"GPTBot"},
		"Googlebot-News, Googlebot":      {"Googlebot-News", "Googlebot"},
		"Googlebot-Image/1.0":            {"Googlebot-Image", "Googlebot"},
		"googleother-video":              {"googleother-video", "GoogleOther"},
		"Googlebot-Image,a":              {"Googlebot-Image", "a"},
		"ExampleBot/1.0 (+https://a, b)": {"ExampleBot"},
		"Mozilla/5.0 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)": {"GPTBot"},
	} {
		got, err := parseAgent(agent)
		assert.NoError(t, err)
		assert.Equal(t, want, got, agent)
	}
}

func TestGooglesCrawlers(t *testing.T) {
	for token, want := range map[string][2]bool{ // ignores everyone's group, crawl-delay
		"Googlebot":            {false, true},
		"GoogleOther-Image":    {false, true},
		"Storebot-Google":      {false, true},
		"AdsBot-Google":        {true, true},
		"AdsBot-Google-Mobile": {true, true},
		"apis-google":          {true, true},
		"Mediapartners-Google": {true, true},
		"GPTBot":               {false, false},
		"NotGoogle":            {false, false},
	} {
		assert.Equal(t, want, [2]bool{ignoresEveryone(token), ignoresDelay(token)}, token)
	}
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
		{"no rule", origintest.Text("user-agent: *\ndisallow: /x\n"), "a", "https://site.example/y", "allowed 0"},
		{"a rule", origintest.Text("user-agent: *\ndisallow: /x\n"), "a", "https://site.example/x/y", "disallowed 2"},
		{"the longest", origintest.Text("user-agent: *\ndisallow: /x\nallow: /x/\n"), "a", "https://site.example/x/y", "allowed 3"},
		{"a tie", origintest.Text("user-agent: *\ndisallow: /x\nallow: /x\n"), "a", "https://site.example/x", "allowed 3"},
		{"a tie of wildcards", origintest.Text("user-agent: *\ndisallow: /*y\nallow: /x*\n"), "a", "https://site.example/xy", "allowed 3"},
		{"the query", origintest.Text("user-agent: *\ndisallow: /*?s=\n"), "a", "https://site.example/?s=1", "disallowed 2"},
		{"no path", origintest.Text("user-agent: *\ndisallow: /$\n"), "a", "https://site.example", "disallowed 2"},
		{"a fragment", origintest.Text("user-agent: *\ndisallow: /x$\n"), "a", "https://site.example/x#y", "disallowed 2"},
		{"encoded", origintest.Text("user-agent: *\ndisallow: /ツ\n"), "a", "https://site.example/%e3%83%84", "disallowed 2"},
		{"not encoded", origintest.Text("user-agent: *\ndisallow: /%E3%83%84\n"), "a", "https://site.example/ツ", "disallowed 2"},
		{"an encoded slash", origintest.Text("user-agent: *\ndisallow: /a/b\n"), "a", "https://site.example/a%2Fb", "allowed 0"},
		{"dot segments", origintest.Text("user-agent: *\ndisallow: /b\n"), "a", "https://site.example/a/../b", "allowed 0"},
		{"own group", origintest.Text("user-agent: *\ndisallow: /\nuser-agent: a\nallow: /\n"), "A", "https://site.example/", "allowed 4"},
		{"a fallback", origintest.Text("user-agent: b\ndisallow: /\n"), "a,b", "https://site.example/", "disallowed 2"},
		{"a group without rules", origintest.Text("user-agent: *\ndisallow: /\nuser-agent: a\n"), "a", "https://site.example/", "allowed 0"},
		{"groups that are merged", origintest.Text("user-agent: a\ndisallow: /x\nuser-agent: b\ndisallow: /\nuser-agent: a\nallow: /x/y\n"), "a", "https://site.example/x/y", "allowed 6"},
		{"a long group", origintest.Text("user-agent: *\n" + strings.Repeat("disallow: /x\n", 100) + "allow: /x/y"), "a", "https://site.example/x/yz", "allowed 102"},
		{"robots.txt itself", origintest.Text("user-agent: *\ndisallow: /\n"), "a", "https://site.example/robots.txt", "allowed 0"},
		{"empty", origintest.Text(""), "a", "https://site.example/", "allowed 0"},
		{"HTML", origintest.Text("<!DOCTYPE html><title>x</title>"), "a", "https://site.example/", "allowed 0"},
		{"too long", origintest.Endless("user-agent: *\ndisallow: /x\n", "# more\n"), "a", "https://site.example/x", "disallowed 2"},
		{"gzip", origintest.Gzip("user-agent: *\ndisallow: /x\n"), "a", "https://site.example/x", "disallowed 2"},
		{"none", nil, "a", "https://site.example/", "allowed 0"},
		{"401", origintest.Status(401), "a", "https://site.example/", "allowed 0"},
		{"429", origintest.Status(429), "a", "https://site.example/", "unreachable 0"},
		{"500", origintest.Status(500), "a", "https://site.example/", "unreachable 0"},
		{"reset", origintest.Reset, "a", "https://site.example/", "unreachable 0"},
		{"cut short", origintest.Cut("user-agent: *\nallow: /\n"), "a", "https://site.example/", "unreachable 0"},
		{"redirect", origintest.Redirect("https://other.example/rules"), "a", "https://site.example/x", "disallowed 2"},
		{"redirect in a loop", origintest.Redirect("/robots.txt"), "a", "https://site.example/x", "allowed 0"},
		{"a lost host", nil, "a", "https://lost.example/", "unreachable 0"},
		{"another port", origintest.Text("user-agent: *\ndisallow: /\n"), "a", "http://site.example:8080/", "allowed 0"},
		{"the default port", origintest.Text("user-agent: *\ndisallow: /\n"), "a", "https://site.example:443/", "disallowed 2"},
		{"a user", origintest.Text("user-agent: *\ndisallow: /x\n"), "a", "https://me:secret@site.example/x", "disallowed 2"},
		{"a user's page", origintest.Text("user-agent: *\ndisallow: /x\n"), "a", "https://me:secret@site.example/y", "allowed 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := origintest.New(t)
			server.Lose("lost.example")
			server.Page("other.example", "/rules", origintest.Text("user-agent: *\ndisallow: /x\n"))
			if test.robots != nil {
				server.Robots("site.example", test.robots)
			}
			tokens := strings.Split(test.agents, ",")
			line := checkJSON(t, server.Transport(t), tokens, test.url)
			said := struct {
				URL     string
				Allowed bool
				Reason  polite.Reason
				Line    int
				Matches []struct{ Line int }
			}{}
			require.NoError(t, json.Unmarshal([]byte(line), &said))

			status, ruleLine, arrived := roundTrip(t, server, tokens, test.url)
			word, lineNumber, _ := strings.Cut(test.verdict, " ")
			assert.Equal(t, word, status.word())
			assert.Equal(t, status == exitOK, said.Allowed)
			assert.Equal(t, status == exitUnreachable, said.Reason == polite.Unreachable)
			assert.Equal(t, said.Allowed, arrived, "at the site")
			assert.Equal(t, lineNumber, jsonNumber(said.Line))
			if status == exitDisallowed {
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
	j := judgeFor([][]string{tokens}, base)
	j.explain()
	o := checkOptions{json: true}
	return o.form(style{}).tell(j.on(t.Context())(o.question(arg)), true)
}

// roundTrip requests a page, and returns what came of it, the line of the rule
// that refused it, and whether the request for the page arrived.
func roundTrip(t *testing.T, server *origintest.Server, tokens []string, arg string) (status exitStatus, line int, arrived bool) {
	before := len(server.Log())
	transport := &polite.Transport{UserAgent: "a", Agents: tokens, Base: server.Transport(t)}
	u, err := url.Parse(arg)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, arg, nil)
	require.NoError(t, err)
	resp, err := transport.RoundTrip(req)
	if err == nil {
		resp.Body.Close()
	}
	for _, a := range server.Log()[before:] {
		arrived = arrived || a.URI == u.RequestURI()
	}
	if refused, ok := errors.AsType[*polite.DisallowedError](err); ok {
		line = refused.Rule.Line
	}
	return hop{err: err}.exitStatus(), line, arrived
}

// The picture is of the text that decided, or there is none.
func TestExplainOtherText(t *testing.T) {
	d := polite.Decision{Reason: polite.ByRule, Group: "*", Rule: robots.Rule{Pattern: "/x", Line: 2}}
	for body, want := range map[string]int{
		"user-agent: *\ndisallow: /x\n":  2,
		"user-agent: *\n\ndisallow: /x":  0,
		"user-agent: *\ndisallow: /x*\n": 0,
		"user-agent: a\ndisallow: /x\n":  0,
		"":                               0,
	} {
		assert.Len(t, explain(d, newText([]byte(body)), []string{"a"}, "/x").lines, want, body)
	}
}

// A text that speaks to nobody is told from one that speaks to others.
func TestLack(t *testing.T) {
	for body, want := range map[string]lack{
		"user-agent: b\ndisallow: /\n":      noLack,
		"# none\n\nUSERAGENT b":             noLack,
		"<!doctype html><title>x</title>\n": isHTML,
		"\xff\xfeu\x00s\x00":                isUTF16,
		"":                                  noGroups,
		"sitemap: https://a/s.xml":          noGroups,
		"disallow: /\n":                     noGroups,
		"user-agent:\ndisallow: /":          noGroups,
		"# user-agent: b\n":                 noGroups,
	} {
		e := explain(polite.Decision{Allowed: true, Reason: polite.NoRule}, newText([]byte(body)), []string{"a"}, "/x")
		assert.Equal(t, want, e.lack, body)
	}
	assert.Zero(t, explain(polite.Decision{Allowed: true, Reason: polite.NoRule}, nil, []string{"a"}, "/x"), "the text is no longer at hand")
}

// Without the text, the story has what the decision has.
func TestStoryWithoutText(t *testing.T) {
	d := polite.Decision{
		Allowed: true, Reason: polite.ByRule, Group: "*", Rule: robots.Rule{Allow: true, Pattern: "/x", Line: 2},
		RobotsURL: "https://example.com/robots.txt", Status: 200, Fetched: time.Now().Add(-time.Minute),
	}
	story := style{}.story(verdict{url: "https://example.com/x", tokens: []string{"a"}, decision: d})
	assert.Equal(t, `allowed  https://example.com/x

  crawler     a
  robots.txt  https://example.com/robots.txt
              200 OK, fetched 1m0s ago
  group       "*": no group is for a
  rules       line 2: allow: /x
`, story)
}

func TestRuleReason(t *testing.T) {
	for body, want := range map[string]ruleReason{
		"disallow: /a":                            "",
		"disallow: /x":                            onlyRule,
		"disallow: /x\nallow: /":                  longest,
		"disallow: /x\nallow: /x":                 allowOnTie,
		"allow: /x\nallow: /*\ndisallow: /x*":     longest,
		"disallow: /x\ndisallow: /*":              firstOfEqual,
		"allow: /x\nallow: /*\ndisallow: /":       firstOfEqual,
		"allow: /x\nallow: /*\ndisallow: /x":      allowOnTie,
		"allow: /%78\nallow: /x*\ndisallow: /xy*": longest,
	} {
		var e explanation
		for m := range robots.Parse([]byte("user-agent: *\n" + body)).Rules("a").Matches("/xy") {
			e.matches = append(e.matches, m)
		}
		assert.Equal(t, want, e.ruleReason(), body)
	}
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
	var line struct{ Matches, Lines []any }
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &line))
	assert.Len(t, line.Matches, 1001)
	assert.Len(t, line.Lines, 1101)
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
	assert.Equal(t, []string{userAgent()}, sent)
	assert.Equal(t, []string{"/robots.txt"}, s.arrivals())
}

// Standard input is left to others where it is not needed.
func TestCheckLeavesStdin(t *testing.T) {
	for _, args := range [][]string{
		{"check", "-f", "testdata/shop.txt", "/x"}, {"lint", "--ignore", "never-wins", "testdata/shop.txt"}, {"records", "testdata/shop.txt"},
	} {
		stdin := strings.NewReader("not for us\n")
		assert.Equal(t, 0, run(t.Context(), args, stdio{stdin, io.Discard, io.Discard}))
		assert.Equal(t, len("not for us\n"), stdin.Len(), args[0])
	}
}

func TestCheckNobodyListens(t *testing.T) {
	s := shopSite(t)
	s.Close()
	got := runCommand(t, "check", s.URL+"/a")
	assert.Equal(t, 4, got.status)
	assert.Contains(t, got.stdout, "could not be fetched: ")
	assert.Contains(t, got.stdout, "connection refused")
	assert.Regexp(t, `"robots_error":"[^"]*connection refused"`, runCommand(t, "check", "--json", s.URL+"/a").stdout)
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
	assert.Equal(t, 1, run(ctx, []string{"check", hanging.URL + "/a", hanging.URL + "/b"}, stdio{nil, &stdout, &stderr}))
	assert.Equal(t, "polite check: enough\n", stderr.String())
	assert.Empty(t, stdout.String())

	for _, args := range [][]string{{"check"}, {"lint", "-"}, {"records", "-"}, {"check", "-f", "-", "/x"}} {
		never, _ := io.Pipe()
		stderr.Reset()
		assert.Equal(t, 1, run(ctx, args, stdio{never, &stdout, &stderr}))
		assert.Equal(t, "polite "+args[0]+": enough\n", stderr.String())
	}
}

func TestInOrder(t *testing.T) {
	done := make([]chan struct{}, 100)
	for i := range done {
		done[i] = make(chan struct{})
	}
	do := func(i int) int {
		if i%2 == 0 {
			<-done[i+1] // ends after its successor
		}
		close(done[i])
		return i
	}
	var got []int
	for i := range inOrder(slices.Values(numbers(100)), 2, do) {
		got = append(got, i)
	}
	assert.Equal(t, numbers(100), got)

	for i := range inOrder(slices.Values(numbers(100)), 2, func(i int) int { return i }) {
		if i == 50 {
			break
		}
	}
}

func numbers(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}
