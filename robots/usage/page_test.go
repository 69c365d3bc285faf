package usage_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
)

// header returns the header of some lines.
func header(lines ...string) http.Header {
	h := make(http.Header)
	for _, line := range lines {
		name, value, _ := strings.Cut(line, ": ")
		h.Add(name, value)
	}
	return h
}

// stated returns what a page says, as "use=preference".
func stated(p usage.Page) string {
	var all []string
	for _, use := range p.Uses() {
		all = append(all, string(use)+" "+p.Allows(use).String())
	}
	return strings.Join(all, ", ")
}

// The statements of a page count beside the statements of its site, and no wins.
func TestHeaderBesideRobots(t *testing.T) {
	site := usage.Of(robots.Parse([]byte("user-agent: *\ncontent-usage: train-ai=y, search=n")), "/")
	page := usage.OfHeader(header("Content-Usage: train-ai=n, search=y"))
	both := site.And(page.Statement)
	assert.Equal(t, usage.No, both.Allows(usage.TrainAI))
	assert.Equal(t, usage.No, both.Allows(usage.Search))
	why, _ := both.Why(usage.TrainAI)
	assert.Equal(t, usage.Said{Use: usage.TrainAI, Preference: usage.No, Label: "train-ai", Value: "n", Source: "content-usage"}, why)
	why, _ = both.Why(usage.Search)
	assert.Equal(t, 2, why.Line)
	why, _ = site.And(usage.OfHeader(header("Content-Usage: search=n")).Statement).Why(usage.Search)
	assert.Equal(t, 2, why.Line, "the first that says it")

	for slip := range usage.OfHeader(header("Content-Signal: search=yes, ai-train:no")).Slips() {
		why = slip
	}
	assert.Equal(t, usage.TrainAI, why.Use, "what is said of another use makes no slip clear")
}

// The examples of Google's documentation of X-Robots-Tag, and other forms.
func TestDirectives(t *testing.T) {
	for _, test := range []struct{ value, want string }{
		{"noindex", "noindex"},
		{"noarchive, unavailable_after: 25 Jun 2010 15:00:00 PST", "noarchive; unavailable_after: 25 Jun 2010 15:00:00 PST"},
		{"examplebot:nofollow", "examplebot: nofollow"},
		{"otherbot: examplebot: nofollow", "examplebot: nofollow"},
		{"BadBot: noindex, nofollow, ExampleBot: nofollow", "ExampleBot: nofollow"},
		{"unavailable_after: Friday, 25-Jun-10 15:00:00 PST, noindex", "unavailable_after: Friday, 25-Jun-10 15:00:00 PST; noindex"},
		{"unavailable_after: when, noindex", "unavailable_after: when; noindex"},
		{"unavailable_after: 2020-09-21T10:00:00Z", "unavailable_after: 2020-09-21T10:00:00Z"},
		{"max-snippet:20, max-image-preview: large, max-video-preview:-1", "max-snippet: 20; max-image-preview: large; max-video-preview: -1"},
		{"examplebot: max-snippet: 0, noai", "examplebot: max-snippet: 0; examplebot: noai"},
		{"indexifembedded , NoIndex,", "indexifembedded; noindex"},
		{"", ""},
		{":, ,: ,::", ""},
		{"not a token: noindex", "not a token: noindex"},
	} {
		var all []string
		for _, d := range usage.OfHeader(header("X-Robots-Tag: "+test.value), "ExampleBot").Directives {
			all = append(all, d.String())
		}
		assert.Equal(t, test.want, strings.Join(all, "; "), test.value)
	}
}

// Of a long Robots-Tag, the beginning counts.
func TestLongTag(t *testing.T) {
	for n, want := range map[int]bool{1000: true, 10_000: false} {
		page := usage.OfHeader(header("Robots-Tag: *;noindex, " + strings.Repeat("a;noai, ", n) + "*;nofollow, noai, a"))
		assert.True(t, page.NoIndex())
		assert.Equal(t, want, page.NoFollow())
		assert.Equal(t, want, slices.Collect(page.Slips()) != nil)
	}
}

func TestUnavailableAfter(t *testing.T) {
	pst := time.Date(2010, 6, 25, 23, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"25 Jun 2010 15:00:00 PST":               pst,
		"Fri, 25 Jun 2010 15:00:00 -0800":        pst,
		"Friday, 25-Jun-10 23:00:00 GMT":         pst,
		"Fri, 25 Jun 10 23:00 UT":                pst,
		"2010-06-25T15:00:00-08:00":              pst,
		"2010-06-25T15:00:00-0800":               pst,
		"2010-06-25T23:00:00":                    pst,
		"2010-06-25 23:00:00":                    pst,
		"2020-09-21":                             time.Date(2020, 9, 21, 0, 0, 0, 0, time.UTC),
		"1 Jan 2020":                             time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC),
		"soon":                                   {},
		"":                                       {},
		"PST":                                    {},
		"25 Foo 2010 15:00:00 PST":               {},
		"25 Jun 2010 15:00:00 XYZ":               {},
		"2010-06-25" + strings.Repeat("0", 1000): {},
	} {
		at, ok := usage.OfHeader(header("X-Robots-Tag: unavailable_after: " + text)).UnavailableAfter()
		assert.Equal(t, want, at, text)
		assert.Equal(t, !want.IsZero(), ok, text)
	}
	at, _ := usage.OfHeader(header("X-Robots-Tag: unavailable_after: 2020-01-02, unavailable_after: 2020-01-01, unavailable_after: 2020-01-03, max-snippet: 2019-01-01, unavailable_after: never")).UnavailableAfter()
	assert.Equal(t, "2020-01-01", at.Format(time.DateOnly))
	_, ok := usage.Page{}.UnavailableAfter()
	assert.False(t, ok)
}

// A page says nothing if it says nothing in any way. And puts together what two pages say in all of them.
func TestIsZero(t *testing.T) {
	assert.True(t, usage.Page{}.IsZero())
	assert.True(t, usage.OfHeader(header("Content-Type: text/html", "X-Robots-Tag: otherbot: noarchive")).IsZero())
	var all usage.Page
	for _, line := range []string{
		"Content-Usage: train-ai=n", "Content-Signal: ai-train:no", "X-Robots-Tag: noarchive", `Link: </l>; rel=license`, "TDM-Policy: https://example.com/policy.json",
	} {
		page := usage.OfHeader(header(line))
		assert.False(t, page.IsZero(), line)
		assert.Equal(t, page, usage.Page{}.And(page), line)
		assert.Equal(t, page, page.And(usage.Page{}), line)
		all = all.And(page)
	}
	assert.Equal(t, usage.No, all.Allows(usage.TrainAI))
	assert.Len(t, slices.Collect(all.Slips()), 1)
	assert.Len(t, all.And(usage.OfHeader(header("X-Robots-Tag: nofollow"))).Directives, 2)
	assert.Len(t, all.And(usage.OfHeader(header("Link: </m>; rel=license"))).Licenses, 2)
	assert.Equal(t, "https://example.com/2.json", all.And(usage.OfHeader(header("TDM-Policy: https://example.com/2.json"))).TDMPolicy)
}

// A page that was to be unavailable after a time is noindex when the time is over.
func TestUnavailableAfterIsNoIndex(t *testing.T) {
	for _, test := range []struct {
		at      string
		noIndex bool
		search  usage.Preference
	}{
		{"1 Jan 2000 01:00:00 GMT", false, usage.NotStated},
		{"1 Jan 2000 00:59:59 GMT", true, usage.No},
		{"never", false, usage.NotStated},
	} {
		synctest.Test(t, func(t *testing.T) { // its clock begins with the year 2000
			time.Sleep(time.Hour)
			for _, page := range []usage.Page{
				usage.OfHeader(header("X-Robots-Tag: unavailable_after: "+test.at), "examplebot"),
				usage.OfMeta([]usage.Meta{{Name: "robots", Content: "unavailable_after: " + test.at}}),
			} {
				assert.Equal(t, test.noIndex, page.NoIndex(), test.at)
				assert.Equal(t, test.search, page.Allows(usage.Search), test.at)
			}
			other := usage.OfHeader(header("X-Robots-Tag: otherbot: unavailable_after: "+test.at), "examplebot")
			assert.False(t, other.NoIndex(), "for another crawler")
		})
	}
}

func TestLicenses(t *testing.T) {
	for _, test := range []struct {
		link string
		want []usage.License
	}{
		{`<https://example.com/license.xml>; rel="license"; type="application/rsl+xml"`, []usage.License{{URL: "https://example.com/license.xml", Type: "application/rsl+xml"}}},
		{`</a>; rel=next, </l>; rel=license`, []usage.License{{URL: "/l"}}},
		{`</a?b=1,2;c>;rel="next License";title="x, <y>; rel=\"z\""`, []usage.License{{URL: "/a?b=1,2;c"}}},
		{`</a>; title="a\", b; \\"; rel=license`, []usage.License{{URL: "/a"}}},
		{`</a>; rel="\license"; type="a\`, []usage.License{{URL: "/a", Type: "a"}}},
		{`</a>; rel=next; rel=license`, nil},
		{`</a>; title="rel=license"`, nil},
		{`</a`, nil},
		{`</a>; rel="license`, []usage.License{{URL: "/a"}}},
		{`</a> ; rel = license , junk </b>; rel=license`, []usage.License{{URL: "/a"}}},
		{`</a>; rel="licensed"`, nil},
		{`</a>; rel=license; anchor="https://other.example/"`, nil},
		{`</a>; anchor="#part"; rel=license, </b>; rel=license; anchor=""`, []usage.License{{URL: "/b"}}},
		{"", nil},
		{",, ,</a>;;rel=license;", []usage.License{{URL: "/a"}}},
	} {
		assert.Equal(t, test.want, usage.OfHeader(header("Link: "+test.link)).Licenses, test.link)
	}
	f := robots.Parse([]byte("License: https://example.com/1.xml\nuser-agent: a\nlicense:\nLICENSE: https://example.org/2.xml # two\nlicenses: x"))
	assert.Equal(t, []usage.License{{URL: "https://example.com/1.xml", Line: 1}, {URL: "https://example.org/2.xml", Line: 4}}, usage.Licenses(f))
	assert.Nil(t, usage.Licenses(robots.Parse(nil)))
}

func TestMeta(t *testing.T) {
	page := usage.OfMeta([]usage.Meta{
		{"viewport", "width=device-width, noai"},
		{"ROBOTS", "noindex, max-snippet:20"},
		{"examplebot", "NOAI"},
		{"otherbot", "nofollow"},
		{"", "none"},
		{"tdm-reservation", "1"},
		{" tdm-policy ", " https://example.com/policy.json "},
		{"robots", "unavailable_after: Friday, 25-Jun-10 15:00:00 PST"},
	}, "ExampleBot")
	assert.Equal(t, "search no, train-ai no, tdm no", stated(page))
	assert.Equal(t, "https://example.com/policy.json", page.TDMPolicy)
	assert.Len(t, page.Directives, 4)
	at, ok := page.UnavailableAfter()
	require.True(t, ok)
	assert.Equal(t, 2010, at.Year())
	why, _ := page.Why(usage.TrainAI)
	assert.Equal(t, "meta examplebot: noai", why.String())
	assert.Equal(t, "https://example.com/tdm.json", usage.OfHeader(header("TDM-Policy: https://example.com/tdm.json")).TDMPolicy)
}
