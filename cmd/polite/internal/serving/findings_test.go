package serving

import (
	"bufio"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/go-polite/polite/cmd/polite/internal/terminal"
	"github.com/go-polite/polite/internal/printable"
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
}
