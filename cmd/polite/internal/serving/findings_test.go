package serving

import (
	"bufio"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/robotstxt"
	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/internal/printable"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/lint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A dialogue is a web that answers as an example says. Other hosts do not exist.
type dialogue map[string]string // the answers, by what was asked for

// newDialogue returns the web of an example, and the URL that is asked for first.
func newDialogue(t *testing.T, example string) (dialogue, *url.URL) {
	d := make(dialogue)
	asked := regexp.MustCompile(`(?m)^(GET|HEAD) (\S+).*\n`)
	places := append(asked.FindAllStringIndex(example, -1), []int{len(example), len(example)})
	for i, at := range places[:len(places)-1] {
		d[strings.TrimSpace(example[at[0]:at[1]])] = example[at[1]:places[i+1][0]]
	}
	first, err := url.Parse(asked.FindStringSubmatch(example)[2])
	require.NoError(t, err)
	return d, first
}

func (d dialogue) RoundTrip(req *http.Request) (*http.Response, error) {
	get := "GET " + req.URL.String()
	for _, asked := range []string{req.Method + " " + req.URL.String() + " as " + strings.Fields(req.UserAgent())[0], req.Method + " " + req.URL.String(), get} {
		if answer, ok := d[asked]; ok {
			return http.ReadResponse(bufio.NewReader(strings.NewReader(answer)), req)
		}
	}
	return nil, errors.New("no such host")
}

// look returns what is found in an example.
func look(t *testing.T, example string) Site {
	base, first := newDialogue(t, example)
	site, err := NewAsker(base, nil, 0).Look(t.Context(), first, Browser())
	require.NoError(t, err)
	return site
}

func idsOf(findings []lint.Finding) (ids []string) {
	for _, f := range findings {
		ids = append(ids, f.ID)
	}
	return ids
}

func TestExamples(t *testing.T) {
	for _, c := range Checks() {
		found := Findings(look(t, Example(c.ID)))
		require.Contains(t, idsOf(found), c.ID)
		for _, f := range found {
			assert.Zero(t, f.Line)
			assert.Equal(t, printable.Text(f.Message), f.Message)
			if f.ID == c.ID {
				assert.Equal(t, c.Severity, f.Severity)
			}
		}
	}
	assert.Empty(t, Example("none"))
}

// Nothing is found where nothing is wrong.
func TestNothingFound(t *testing.T) {
	for _, fields := range [][]string{
		{`ETag: "1"`}, {`ETag: "1"`, "Cache-Control: max-age=86400"}, {"Last-Modified: Mon, 23 Nov 2026 10:00:00 GMT", "Cache-Control: public, max-age=3600"},
		{`ETag: "1"`, "Age: 3599"}, {`ETag: "1"`, "Content-Type: Text/plain;charset=UTF8"},
	} {
		assert.Empty(t, Findings(look(t, text("GET https://example.com/robots.txt", fields...))))
	}
}

// What is said of caching names the field that counts, and the age of a copy is no fault of the site's Cache-Control.
func TestKept(t *testing.T) {
	for _, test := range []struct {
		fields []string
		want   string
	}{
		{[]string{"Cache-Control: max-age=60"}, "Cache-Control says max-age=60: crawlers ask again after 5 minutes;"},
		{[]string{"Cache-Control: public", "Expires: 0"}, "Expires says 0: crawlers ask again after 5 minutes;"},
		{[]string{"Expires: Sat, 01 Jan 2000 00:00:00 GMT", "Date: Sat, 25 Dec 1999 00:00:00 GMT"}, "Expires says Sat, 01 Jan 2000 00:00:00 GMT, so the file holds for 7 days:"},
		{[]string{"Cache-Control: max-age=86400", "Age: 86000"}, "a cache on the way has kept for 23h53m20s (Age: 86000): crawlers see a change of the file that much later; they keep this copy for 6m40s"},
		{[]string{"Age: 3600"}, "a cache on the way has kept for 1 hour (Age: 3600):"},
		{[]string{"Cache-Control: max-age=3599"}, "Cache-Control says max-age=3599: crawlers ask again after 59m59s;"},
		{[]string{"Cache-Control: max-age=86401"}, "so the file holds for 24h0m1s:"},
		{[]string{"Age: 7200"}, "a cache on the way has kept for 2 hours (Age: 7200): crawlers see a change of the file that much later; they keep this copy for 1 day"},
	} {
		found := Findings(look(t, text("GET https://example.com/robots.txt", append(test.fields, `ETag: "1"`)...)))
		require.Len(t, found, 1, test.fields)
		assert.Contains(t, found[0].Message, test.want)
	}
}

// The hosts of a site may answer the same, and redirect to each other.
func TestHostsAgree(t *testing.T) {
	agreed := text("GET https://example.com/robots.txt", `ETag: "1"`) +
		exchange("GET http://example.com/robots.txt", "301 Moved Permanently", "Location: https://example.com/robots.txt") +
		text("GET https://www.example.com/robots.txt") + "# from www\n" +
		exchange("GET http://www.example.com/robots.txt", "302 Found", "Location: https://www.example.com/robots.txt")
	assert.Empty(t, Findings(look(t, agreed)))
}

// Who asks, how, and at which host may make a difference. Each row has what else is answered, and what is told of it.
func TestAnswersDiffer(t *testing.T) {
	const own, www, agent = "GET https://example.com/robots.txt", "GET https://www.example.com/robots.txt", "GET https://example.com/robots.txt as Mozilla/5.0"
	file := text(own, `ETag: "1"`)
	for _, test := range []struct{ dialogue, want string }{
		{file + "\n" + text(agent) + "# as Mozilla\n\n", ""},
		{file + "\n" + text(agent) + "Disallow: /y\n", "gets another file, where polite gets 200 OK;"},
		{file + "\n" + exchange(agent, "404 Not Found"), "gets 404 Not Found, where polite gets 200 OK;"},
		{exchange(own, "301 Moved Permanently", "Location: /r.txt") + text("GET https://example.com/r.txt", `ETag: "1"`) + "\n" + text(agent), "gets 200 OK, where polite gets a redirect;"},
		{file + "\n" + exchange("HEAD https://example.com/robots.txt", "204 No Content"), ""},
		{file + "\n" + exchange("HEAD https://example.com/robots.txt", "501 Not Implemented"), "HEAD gets 501 Not Implemented, where GET gets 200 OK;"},
		{file + "\n" + text(www) + "Disallow: /y\n", "https://www.example.com: other rules; each file"},
		{file + "\n" + exchange(www, "404 Not Found"), "https://www.example.com: no rules, as robots.txt answered 404 Not Found; each file"},
		{file + "\n" + exchange(www, "503 Service Unavailable"), "https://www.example.com: robots.txt answered 503 Service Unavailable; each file"},
		{exchange(own, "404 Not Found") + text(www), "https://www.example.com: rules of its own; each file"},
		{exchange(own, "404 Not Found") + exchange(www, "410 Gone"), ""},
		{exchange(own, "503 Service Unavailable") + text(www), ""},
	} {
		site := look(t, test.dialogue)
		var told []string
		for _, f := range Findings(site) {
			if strings.HasPrefix(f.ID, "other-") {
				told = append(told, f.Message)
			}
		}
		assert.Contains(t, strings.Join(told, "\n"), test.want)
		assert.Equal(t, test.want != "", len(told) == 1, "%v", told)
		assert.Equal(t, strings.Contains(test.dialogue, own+"\nHTTP/1.1 503"), len(site.Probes) == 0, "who is down is not asked more")
	}
}

func TestSizes(t *testing.T) {
	for n, want := range map[int]string{1023: "1023 bytes", 1024: "1.0 KiB", robots.MaxSize: "500.0 KiB"} {
		assert.Equal(t, want, amount(Answer{Text: &robotstxt.Text{Body: make([]byte, n)}}))
	}
	assert.Equal(t, "more than 500 KiB (compressed)", amount(Answer{Text: &robotstxt.Text{Body: make([]byte, robots.MaxSize+1), Packed: true}}))
}

func TestIsSameSite(t *testing.T) {
	for hosts, want := range map[[2]string]bool{
		{"a.example", "WWW.a.example"}: true, {"LOCALHOST", "localhost"}: true, {"a.co.uk", "b.co.uk"}: false, {"co.uk", "com"}: false, {"a.example", "com"}: false,
	} {
		assert.Equal(t, want, isSameSite(hosts[0], hosts[1]), hosts)
		assert.Equal(t, want, isSameSite(hosts[1], hosts[0]), hosts)
	}
}

// A sitemap is of the site's own host whatever its scheme and spelling.
func TestSitemapElsewhere(t *testing.T) {
	for sitemap, want := range map[string][]string{
		"https://EXAMPLE.com./s.xml":   nil,
		"http://example.com/s.xml":     nil,
		"/s.xml":                       nil,
		"https://www.example.com/s":    {"sitemap-elsewhere"},
		"https://cdn.example.net/s.gz": {"sitemap-elsewhere"},
	} {
		site := look(t, text("GET https://example.com/robots.txt", `ETag: "1"`)+"Sitemap: "+sitemap+"\n")
		assert.Equal(t, want, idsOf(Findings(site)), sitemap)
	}
}

// An ID is that of one check, also among those of files.
func TestIDs(t *testing.T) {
	seen := make(map[string]bool)
	for _, c := range append(lint.Checks(), Checks()...) {
		assert.False(t, seen[c.ID], c.ID)
		seen[c.ID] = true
		assert.Regexp(t, `^[a-z0-9]+(-[a-z0-9]+)*$`, c.ID)
		assert.NotEmpty(t, c.Summary)
	}
}

// What a site sends is shown, and does not act.
func TestFindingsArePrintable(t *testing.T) {
	for _, fields := range [][]string{
		{"Content-Type: text/\u202ehtml"}, {"Cache-Control: no-cache, \x1b[31m=1"}, {"Content-Type: text/plain; charset=\u202e" + strings.Repeat("x", 5000)},
	} {
		base, first := newDialogue(t, text("GET https://example.com/robots.txt", fields...))
		site, err := NewAsker(base, nil, 0).Look(t.Context(), first)
		require.NoError(t, err)
		for _, f := range Findings(site) {
			assert.Equal(t, printable.Text(f.Message), f.Message)
			assert.Less(t, len(f.Message), 600)
		}
	}
}

func TestNotCompressed(t *testing.T) {
	long := text("GET https://example.com/robots.txt", `ETag: "1"`) + strings.Repeat("Disallow: /some/folder/\n", 3000)
	assert.Equal(t, []string{"not-compressed"}, idsOf(Findings(look(t, long))))
	site := look(t, long)
	site.Text.Packed = true
	assert.Empty(t, Findings(site))
}

func TestTable(t *testing.T) {
	site := look(t, text("GET https://example.com/robots.txt", "Cache-Control: max-age=3600", `ETag: "1"`)+
		exchange("GET http://example.com/robots.txt", "301 Moved Permanently", "Location: https://example.com/robots.txt")+
		text("GET https://www.example.com/robots.txt")+"Disallow: /y\n")
	assert.Equal(t, `HOST                     RULES        KEPT FOR  ANSWER
https://example.com      its own      1 hour    200 OK, 27 bytes
http://example.com       the same     1 hour    200 OK, 27 bytes, from
                         https://example.com/robots.txt
https://www.example.com  others       1 day     200 OK, 40 bytes
http://www.example.com   allows none  -         robots.txt could not be fetched:
                         no such host
`, Table(site, terminal.Style{}, 80))
	site.Others[0].Origin = ""
	assert.NotContains(t, Table(site, terminal.Style{}, 80), "example.com/robots.txt", "nobody could be asked")
	site.Others = nil
	assert.Empty(t, Table(site, terminal.Style{}, 80))
}
