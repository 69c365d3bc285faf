package request

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/provenance"
	"github.com/go-polite/polite/robots/usage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// paths returns the paths of the pages that have arrived.
func paths(web *origintest.Server) []string { return web.Log().Pages().URIs() }

// A slip says nothing, unless the Policy reads it. Then what it says no to does not arrive.
func TestSlips(t *testing.T) {
	for _, line := range []string{
		"content-signal: ai-train:no", `content-signal: ai-train="no"`, "content-signal: search=yes; ai-train=no", "content-signal: ai-train=no\u00a0",
		"content-signal ai-train=no", "content-signals: ai-train=no", "content-usage: train-ai=no",
	} {
		web := origintest.New(t)
		web.Robots("example.com", origintest.Text("user-agent: *\n"+line+"\nallow: /\n"))
		for _, policy := range []polite.Policy{{}, {ReadSlips: true}, polite.Strict()} {
			transport := conduct.NewTransport(t, web)
			policy.Purposes = []usage.Use{usage.TrainAI}
			transport.Policy = policy
			_, err := conduct.Get(conduct.Client(transport), "http://example.com/page")
			if policy.ReadSlips {
				assert.ErrorIs(t, err, polite.ErrUse, line)
				assert.ErrorContains(t, err, "line 2 of http://example.com/robots.txt, which is spelled wrong, and means no")
			} else {
				assert.NoError(t, err, line)
			}
		}
		assert.Equal(t, []string{"/page"}, paths(web), line)
	}
}

// The levels of Content-Signal's use are purposes. So is what Content-Usage calls ai-use.
func TestLevelsAreRefused(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text("user-agent: *\ncontent-signal: use=reference\ncontent-usage: /no-input ai-use=n\nallow: /\n"))
	for _, test := range []struct {
		purpose usage.Use
		path    string
		refused bool
	}{
		{usage.Immediate, "/1", false},
		{usage.Reference, "/2", false},
		{usage.Full, "/3", true},
		{usage.AIInput, "/4", false},
		{usage.AIInput, "/no-input", true},
		{"ai-use", "/no-input", true},
	} {
		_, err := conduct.Get(conduct.Training(t, web, test.purpose), "http://example.com"+test.path)
		if test.refused {
			assert.ErrorIs(t, err, polite.ErrUse, "%s %s", test.purpose, test.path)
		} else {
			assert.NoError(t, err, "%s %s", test.purpose, test.path)
		}
	}
	assert.Equal(t, []string{"/1", "/2", "/4"}, paths(web))
}

// Files about the site are no content. A crawler that trains models reads them, and the
// pages that the site opens to it. Rules still count.
func TestNoContent(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(`user-agent: *
content-usage: train-ai=n
content-usage: /open train-ai=y
disallow: /private
sitemap: http://example.com/maps/news.xml?page=1
sitemap: http://other.example/elsewhere.xml
sitemap: http://example.com/private/map.xml
license: /terms.xml
`))
	client := conduct.Training(t, web, usage.TrainAI)
	for path, refusal := range map[string]error{
		"/robots.txt": nil, "/sitemap.xml": nil, "/.well-known/tdmrep.json": nil, "/maps/news.xml?page=1": nil, "/terms.xml": nil, "/open": nil,
		"/maps/news.xml": polite.ErrUse, "/elsewhere.xml": polite.ErrUse, "/news.xml?page=1": polite.ErrUse, "/sitemap.xml/page": polite.ErrUse, "/page": polite.ErrUse,
		"/private/map.xml": polite.ErrDisallowed,
	} {
		_, err := conduct.Get(client, "http://example.com"+path)
		if refusal == nil {
			assert.NoError(t, err, path)
		} else {
			assert.ErrorIs(t, err, refusal, path)
		}
	}
	assert.ElementsMatch(t, []string{"/sitemap.xml", "/.well-known/tdmrep.json", "/maps/news.xml?page=1", "/terms.xml", "/open"}, paths(web))
}

// The slips in a robots.txt are told with the verdict.
func TestSlipsAreTold(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text("user-agent: *\ncontent-signals: search=yes, ai-train=no\n"+strings.Repeat("content-signal: search:no\n", 200)))
	transport := conduct.NewTransport(t, web)
	var told [][]usage.Said
	transport.Trace.Judged = func(_ *http.Request, r polite.Ruling) { told = append(told, r.Decision().Slips) }
	_, err := conduct.Get(conduct.Client(transport), "http://example.com/page")
	require.NoError(t, err)
	require.Len(t, told, 1)
	assert.Len(t, told[0], 100)
	for _, slip := range told[0] {
		assert.True(t, slip.Slip)
		assert.Positive(t, slip.Line)
	}
}

// A Provenance says whether a page may be used for something: by robots.txt, by the headers
// and by the <meta> elements. It refuses nothing, and sends nothing.
func TestProvenanceAllows(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text("user-agent: *\ncontent-signal: search=yes, ai-train:no, use=reference\n"))
	web.Robots("long.example", origintest.Text("user-agent: *\n"+strings.Repeat("content-signal: a=no, b=yes, search=yes\n", 100)+"content-signal: ai-input=no\ncontent-signal: search=no\n"))
	transport := conduct.NewTransport(t, web)
	of := func(text string, header http.Header, meta ...usage.Meta) provenance.Record {
		u, err := url.Parse(text)
		require.NoError(t, err)
		p, err := provenance.Of(t.Context(), transport, u, header, meta...)
		require.NoError(t, err)
		assert.True(t, p.Allowed)
		return p
	}

	p := of("http://example.com/", http.Header{"Robots-Tag": {"OtherBot;noindex, *;nofollow"}}, usage.Meta{Name: "examplebot", Content: "noai"}, usage.Meta{Name: "tdm-reservation", Content: "1"})
	assert.Equal(t, usage.Yes, p.Allows(usage.Search))
	assert.Equal(t, usage.No, p.Allows(usage.TrainAI))
	assert.Equal(t, usage.No, p.Allows("ai-train"))
	assert.Equal(t, usage.No, p.Allows(usage.TDM))
	assert.Equal(t, usage.No, p.Allows(usage.Full))
	assert.Equal(t, usage.NotStated, p.Allows(usage.AIInput))
	assert.False(t, p.NoIndex)
	assert.True(t, p.NoFollow)

	p = of("http://example.com/", nil, usage.Meta{Name: "robots", Content: "noindex"}, usage.Meta{Name: "otherbot", Content: "nofollow"})
	assert.Equal(t, usage.No, p.Allows(usage.Search))
	assert.Equal(t, usage.NotStated, p.Allows(usage.TrainAI), "a slip says nothing")
	assert.True(t, p.NoIndex)
	assert.False(t, p.NoFollow)

	p = of("http://long.example/", nil)
	assert.Equal(t, usage.No, p.Allows(usage.AIInput), "what decides is not left out")
	assert.Equal(t, usage.No, p.Allows(usage.Search))
	assert.Len(t, p.Uses, 102)

	transport = conduct.NewTransport(t, web)
	transport.Policy.ReadSlips = true
	assert.Equal(t, usage.No, of("http://example.com/", nil).Allows(usage.TrainAI))
	assert.Empty(t, web.Log().Pages())
}
