package provenance_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/provenance"
	"github.com/go-polite/polite/robots"
	"github.com/go-polite/polite/robots/usage"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// answers are those for robots.txt, in order. The last one goes on. "" is a 500.
type answers []string

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != "example.com" {
		return &http.Response{StatusCode: http.StatusNotFound, Header: make(http.Header), Body: http.NoBody}, nil
	}
	body := (*a)[0]
	if len(*a) > 1 {
		*a = (*a)[1:]
	}
	status := http.StatusOK
	if body == "" {
		status = http.StatusInternalServerError
	}
	return &http.Response{StatusCode: status, Header: make(http.Header), Body: io.NopCloser(strings.NewReader(body))}, nil
}

// A Record goes by one file, also if the Cache keeps none and the site changes its mind between two
// look-ups: the no of a site does not get lost.
func TestOfGoesByOneFile(t *testing.T) {
	const no, yes = "user-agent: *\ncontent-signal: ai-train=no\n", "user-agent: *\n\ncontent-signal: ai-train=yes\n"
	for name, test := range map[string]struct {
		answers answers
		says    usage.Preference
		fails   string
	}{
		"the same":         {answers{no}, usage.No, ""},
		"changed once":     {answers{no, yes}, usage.Yes, ""},
		"then it is down":  {answers{no, ""}, usage.NotStated, "500"},
		"changes for ever": {answers{no, yes, no + "#", yes + "#", no + "##", yes + "##", no + "###", yes + "###"}, usage.NotStated, "changes again and again"},
	} {
		t.Run(name, func(t *testing.T) {
			transport := &polite.Transport{UserAgent: "ExampleBot/1.0", Base: &test.answers, Cache: &polite.Cache{MaxBytes: 1}}
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

// A Record says whether the rules are those that the site has now, and whether they are all of them.
func TestOfLastGoodRules(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const day, rules = 25 * time.Hour, "user-agent: *\ndisallow: /private\n"
		long := rules + strings.Repeat("#", robots.MaxSize)
		base := &answers{rules, "", long}
		transport := &polite.Transport{UserAgent: "ExampleBot/1.0", Base: base}
		for i, want := range []provenance.Robots{{Status: 200}, {Status: 500, Stale: true}, {Status: 200, Truncated: true}} {
			record, err := provenance.Of(t.Context(), transport, &url.URL{Scheme: "http", Host: "example.com", Path: "/"}, nil)
			require.NoError(t, err)
			got := *record.Robots
			assert.Equal(t, want, provenance.Robots{Status: got.Status, Stale: got.Stale, Truncated: got.Truncated}, "day %d", i)
			time.Sleep(day)
		}
		transport.CloseIdleConnections()
	})
}
