package request

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/internal/conduct"
	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/provenance"
	"github.com/go-polite/polite/robots/usage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a site says no to does not arrive, redirects included.
func TestPurposes(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(conduct.Signals))
	web.Robots("silent.example", origintest.Text("user-agent: *\ndisallow: /private\n"))
	web.Page("silent.example", "/away", origintest.Redirect("http://example.com/page"))
	for _, test := range []struct {
		purposes []usage.Use
		url      string
		refusal  error // nil: it is sent
	}{
		{nil, "http://example.com/page", nil},
		{[]usage.Use{usage.Search}, "http://example.com/page", nil},
		{[]usage.Use{usage.Search}, "http://example.com/shut/page", polite.ErrUse},
		{[]usage.Use{usage.TrainAI}, "http://example.com/page", polite.ErrUse},
		{[]usage.Use{"ai-train"}, "http://example.com/page", polite.ErrUse},
		{[]usage.Use{usage.Search, usage.TrainAI}, "http://example.com/page", polite.ErrUse},
		{[]usage.Use{usage.TrainAI}, "http://example.com/open/page", polite.ErrUse}, // the content-signal says no
		{[]usage.Use{usage.AIInput}, "http://example.com/page", nil},                // not stated is not no
		{[]usage.Use{"my-own"}, "http://example.com/page", nil},
		{[]usage.Use{usage.TrainAI}, "http://example.com/private", polite.ErrDisallowed},
		{[]usage.Use{usage.TrainAI}, "http://example.com/robots.txt", nil},
		{[]usage.Use{usage.TrainAI}, "http://silent.example/page", nil},
		{[]usage.Use{usage.TrainAI}, "http://silent.example/away", polite.ErrUse},
	} {
		_, err := conduct.Get(conduct.Training(t, web, test.purposes...), test.url)
		if test.refusal == nil {
			assert.NoError(t, err, "%v %s", test.purposes, test.url)
			continue
		}
		assert.ErrorIs(t, err, test.refusal, "%v %s", test.purposes, test.url)
		assert.ErrorIs(t, err, polite.ErrRefused)
	}
	for _, page := range web.Log().Pages() {
		assert.NotContains(t, page.URI, "private")
	}
	assert.Len(t, web.Log().Pages(), 5+1, "the pages that no one refused, and the one that redirects")
}

// A path that servers read as another is judged as both.
func TestPurposesFoldPaths(t *testing.T) {
	web := origintest.New(t)
	web.Robots("example.com", origintest.Text(conduct.Signals))
	for _, fold := range []bool{false, true} {
		transport := conduct.NewTransport(t, web)
		transport.Policy = polite.Policy{Purposes: []usage.Use{usage.Search}, FoldPaths: fold}
		_, err := conduct.Get(conduct.Client(transport), "http://example.com/x/../shut/page")
		assert.Equal(t, fold, errors.Is(err, polite.ErrUse))
	}
}

func TestBadPurposes(t *testing.T) {
	for _, purpose := range []usage.Use{"", "train ai", "train_ai", "Train-AI", "ä", "a=b", usage.Use(strings.Repeat("x ", 1000))} {
		_, err := conduct.Get(conduct.Client(&polite.Transport{UserAgent: conduct.UserAgent, Policy: polite.Policy{Purposes: []usage.Use{purpose}}}), "http://example.com/")
		require.ErrorContains(t, err, "Policy.Purposes")
		assert.ErrorContains(t, err, "usage.TrainAI")
		assert.Less(t, len(err.Error()), 400)
	}
}

// What a page says in its headers is told, and does not stop it.
func TestStated(t *testing.T) {
	web := origintest.New(t)
	web.Page("example.com", "/no", origintest.Status(200, "Content-Usage", "train-ai=n", "X-Robots-Tag", "noindex"))
	transport := conduct.NewTransport(t, web)
	transport.Policy.Purposes = []usage.Use{usage.TrainAI}
	var told []usage.Page
	transport.Trace.Answered = func(_ *http.Request, resp *http.Response) {
		if page := usage.OfHeader(resp.Header, "ExampleBot"); !page.IsZero() {
			told = append(told, page)
		}
	}
	web.Page("example.com", "/slip", origintest.Status(200, "Content-Signal", "ai-train:no", "Robots-Tag", "noindex"))
	for _, path := range []string{"/no", "/silent", "/slip"} {
		_, err := conduct.Get(conduct.Client(transport), "http://example.com"+path)
		require.NoError(t, err)
	}
	require.Len(t, told, 2)
	assert.Equal(t, usage.No, told[0].Allows(usage.TrainAI))
	assert.Equal(t, usage.No, told[0].Allows(usage.Search))
	assert.Equal(t, usage.NotStated, told[1].Allows(usage.TrainAI))
	assert.Equal(t, usage.No, told[1].Strictly().Allows(usage.TrainAI))
	assert.Equal(t, usage.No, told[1].Strictly().Allows(usage.Search))
}

func TestProvenance(t *testing.T) {
	web := origintest.New(t)
	const body = conduct.Signals + "license: https://example.com/license.xml\n"
	digest := sha256.Sum256([]byte(body))
	web.Robots("example.com", origintest.Text(body))
	web.Robots("down.example", origintest.Status(500))
	transport := conduct.NewTransport(t, web)
	transport.Policy.Purposes = []usage.Use{usage.TrainAI}
	header := http.Header{"Content-Usage": {"ai-use=n"}, "Link": {`</terms.xml>; rel="license"`}}
	of := func(text string, header http.Header) string {
		u, err := url.Parse(text)
		require.NoError(t, err)
		p, err := provenance.Of(t.Context(), transport, u, header)
		require.NoError(t, err)
		assert.WithinDuration(t, time.Now(), p.Time, time.Minute)
		p.Time = time.Time{}
		if p.Robots != nil && !p.Robots.Fetched.IsZero() {
			p.Robots.Fetched = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		out, err := json.Marshal(p)
		require.NoError(t, err)
		var again provenance.Record
		require.NoError(t, json.Unmarshal(out, &again))
		assert.Equal(t, p, again, "it can be read again")
		return string(out)
	}
	assert.JSONEq(t, `{
		"url": "http://example.com/open/page", "time": "0001-01-01T00:00:00Z", "user_agent": "`+conduct.UserAgent+`",
		"allowed": false, "reason": "use", "agent": "ExampleBot", "group": "*", "rule": "content-signal: ai-train=no", "line": 2,
		"robots": {"url": "http://example.com/robots.txt", "status": 200, "fetched": "2026-01-01T00:00:00Z", "sha256": "`+hex.EncodeToString(digest[:])+`"},
		"uses": [
			{"use": "search", "allowed": "yes", "statement": "content-signal: search=yes", "source": "content-signal", "line": 2},
			{"use": "train-ai", "allowed": "no", "statement": "content-signal: ai-train=no", "source": "content-signal", "line": 2},
			{"use": "train-ai", "allowed": "yes", "statement": "content-usage: /open/ train-ai=y", "source": "content-usage", "line": 3},
			{"use": "ai-input", "allowed": "no", "statement": "content-usage: ai-use=n", "source": "content-usage"}
		],
		"licenses": ["https://example.com/license.xml", "/terms.xml"]
	}`, of("http://example.com/open/page", header))
	assert.JSONEq(t, `{
		"url": "http://down.example/", "time": "0001-01-01T00:00:00Z", "user_agent": "`+conduct.UserAgent+`",
		"allowed": false, "reason": "unreachable", "agent": "ExampleBot", "basis": "Unreachable: deny all",
		"robots": {"url": "http://down.example/robots.txt", "status": 500}
	}`, of("http://down.example/", nil))
	assert.Empty(t, web.Log().Pages(), "nothing is sent to the page")
}
