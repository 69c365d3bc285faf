package provenance_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/provenance"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// transportTo returns a transport to a web without sockets.
func transportTo(t *testing.T, web *origintest.Server) *polite.Transport {
	transport := &polite.Transport{UserAgent: "ExampleBot/1.0", Base: web.Transport(t)}
	t.Cleanup(transport.CloseIdleConnections)
	return transport
}

// A Record goes by one file, also if the Cache keeps none and the site changes its mind between two
// look-ups: the no of a site does not get lost.
func TestOfGoesByOneFile(t *testing.T) {
	says := func(preference, comment string) http.HandlerFunc {
		return origintest.Text("user-agent: *\ncontent-signal: ai-train=" + preference + "\n" + comment)
	}
	no, yes, down := says("no", ""), says("yes", ""), origintest.Status(http.StatusInternalServerError)
	for name, test := range map[string]struct {
		answers []http.HandlerFunc // for robots.txt
		says    usage.Preference
		fails   string
	}{
		"the same":        {[]http.HandlerFunc{no}, usage.No, ""},
		"changed once":    {[]http.HandlerFunc{no, yes}, usage.Yes, ""},
		"then it is down": {[]http.HandlerFunc{no, down}, usage.NotStated, "500"},
		"changes for ever": {[]http.HandlerFunc{
			no, yes, says("no", "#"), says("yes", "#"), says("no", "##"), says("yes", "##"), says("no", "###"), says("yes", "###"),
		}, usage.NotStated, "changes again and again"},
	} {
		t.Run(name, func(t *testing.T) {
			web := origintest.NewInMemory(t)
			web.Robots("example.com", test.answers...)
			transport := transportTo(t, web)
			transport.Cache = &polite.Cache{MaxBytes: 1}
			transport.Sites = func(req *http.Request) *polite.Options { // each look-up begins without a copy
				for i := range 3 {
					if req.URL.Host == "example.com" {
						transport.Robots(t.Context(), &url.URL{Scheme: "http", Host: fmt.Sprintf("%d.example", i)})
					}
				}
				return nil
			}
			record, err := provenance.Of(t.Context(), transport, &url.URL{Scheme: "http", Host: "example.com", Path: "/"}, nil)
			if test.fails != "" {
				assert.ErrorContains(t, err, test.fails)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.says, record.Allows(usage.TrainAI))
		})
	}
}

// One no is a no, whatever is said before and after it.
func TestAllows(t *testing.T) {
	use := func(of string, says usage.Preference) provenance.Use { return provenance.Use{Use: of, Allowed: says} }
	for _, test := range []struct {
		uses []provenance.Use
		want usage.Preference
	}{
		{nil, usage.NotStated},
		{[]provenance.Use{use("search", usage.No), use("train-ai", usage.Yes)}, usage.Yes},
		{[]provenance.Use{use("train-ai", usage.No), use("train-ai", usage.Yes)}, usage.No},
		{[]provenance.Use{use("train-ai", usage.Yes), use("train-ai", usage.No)}, usage.No},
	} {
		assert.Equal(t, test.want, provenance.Record{Uses: test.uses}.Allows(usage.TrainAI))
	}
}

// A Record names the line that decided, whether it is a rule or a statement about use, and the file by
// which it goes.
func TestOfRule(t *testing.T) {
	web := origintest.NewInMemory(t)
	web.Robots("example.com", origintest.Redirect("https://example.org/robots.txt"))
	web.Robots("example.org", origintest.Text("user-agent: ExampleBot\n\ndisallow: /private\ncontent-usage: /draft train-ai=n\n"))
	transport := transportTo(t, web)
	transport.Policy.Purposes = []usage.Use{usage.TrainAI}
	for path, want := range map[string]provenance.Record{
		"/private/a": {Reason: polite.ReasonRule, Rule: "disallow: /private", Line: 3},
		"/draft":     {Reason: polite.ReasonUse, Rule: "content-usage: /draft train-ai=n", Line: 4},
		"/":          {Reason: polite.ReasonNoRule, Allowed: true},
	} {
		record, err := provenance.Of(t.Context(), transport, &url.URL{Scheme: "https", Host: "example.com", Path: path}, nil)
		require.NoError(t, err)
		assert.Equal(t, want, provenance.Record{Reason: record.Reason, Rule: record.Rule, Line: record.Line, Allowed: record.Allowed}, path)
		assert.Equal(t, "https://example.com/robots.txt", record.Robots.URL)
		assert.Equal(t, []string{"https://example.org/robots.txt"}, record.Robots.Hops)
	}
}

// A Record has so many licences that it stays small, whatever a site writes.
func TestOfManyLicenses(t *testing.T) {
	var text strings.Builder
	text.WriteString("user-agent: *\n")
	for i := range 150 {
		fmt.Fprintf(&text, "license: https://example.com/%d.xml\n", i)
	}
	web := origintest.NewInMemory(t)
	web.Robots("example.com", origintest.Text(text.String()))
	record, err := provenance.Of(t.Context(), transportTo(t, web), &url.URL{Scheme: "https", Host: "example.com", Path: "/"}, nil)
	require.NoError(t, err)
	assert.Len(t, record.Licenses, 100)
}

// A Record says whether the rules are those that the site has now, and whether they are all of them.
func TestOfLastGoodRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const day, rules = 25 * time.Hour, "user-agent: *\ndisallow: /private\n"
		long := rules + strings.Repeat("#", robots.MaxSize)
		web := origintest.NewInMemory(t)
		web.Robots("example.com", origintest.Text(rules), origintest.Status(http.StatusInternalServerError), origintest.Text(long), func(http.ResponseWriter, *http.Request) {
			panic(http.ErrAbortHandler)
		})
		transport := transportTo(t, web)
		for i, want := range []provenance.Robots{{Status: 200}, {Status: 500, Stale: true}, {Status: 200, Truncated: true}, {Stale: true, Truncated: true, Error: "the server closed the connection without an answer: EOF"}} {
			record, err := provenance.Of(t.Context(), transport, &url.URL{Scheme: "http", Host: "example.com", Path: "/"}, nil)
			require.NoError(t, err)
			got := *record.Robots
			assert.Equal(t, want, provenance.Robots{Status: got.Status, Stale: got.Stale, Truncated: got.Truncated, Error: got.Error}, "day %d", i)
			time.Sleep(day)
		}
	})
}
