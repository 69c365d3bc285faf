package sites_test

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite"
	"github.com/go-polite/polite/sites"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	pace := func(p polite.Pace) polite.Options { return polite.Options{Pace: &p} }
	for line, want := range map[string]polite.Options{
		"delay=2s concurrency=1":        pace(polite.Pace{MinDelay: 2 * time.Second, Concurrency: 1}),
		"delay=0 jitter=0":              pace(polite.Pace{MinDelay: polite.NoDelay, Jitter: -1}),
		"jitter=0.5":                    pace(polite.Pace{Jitter: 0.5}),
		"max-delay=1m30s":               pace(polite.Pace{MaxDelay: 90 * time.Second}),
		"max-delay=none":                pace(polite.Pace{MaxDelay: polite.NoDelay}),
		"max-delay=any":                 pace(polite.Pace{MaxDelay: polite.Forever}),
		"concurrency=any":               pace(polite.Pace{Concurrency: polite.NoLimit}),
		"longer=refuse":                 pace(polite.Pace{RefuseLonger: true}),
		"backoff=off":                   pace(polite.Pace{Backoff: polite.Backoff{Off: true}}),
		"max-wait=10s":                  pace(polite.Pace{MaxWait: 10 * time.Second}),
		"max-queue=100":                 pace(polite.Pace{MaxQueue: 100}),
		"max-queue=none":                pace(polite.Pace{MaxQueue: polite.NoQueue}),
		"max-retry-after=1h":            pace(polite.Pace{MaxRetryAfter: time.Hour}),
		"together":                      {Key: "example.com"},
		"together=wiki":                 {Key: "wiki"},
		"agreed":                        {Agreed: true, Basis: "sites.txt:1"},
		"default":                       {},
		"delay=1s together agreed # so": {Pace: &polite.Pace{MinDelay: time.Second}, Key: "example.com", Agreed: true, Basis: "sites.txt:1"},
	} {
		table, err := sites.Parse("sites.txt", "\ufeffexample.com\t "+line+" \r\n")
		require.NoError(t, err, line)
		assert.Equal(t, &want, table.Site(request("http://example.com/")), line)
	}
}

// Every error names the line and the octet, and says what to write.
func TestParseErrors(t *testing.T) {
	for line, want := range map[string]string{
		"example.com":                           "sites.txt:2:1: example.com has no settings: write some, as in delay=2s, or write default",
		"delay=2s example.com":                  `sites.txt:2:1: "delay=2s" is a setting, where a site is expected: write, as in example.com delay=2s`,
		"exämple.com  dealy=2s":                 `sites.txt:2:15: unknown setting "dealy": write delay`,
		"example.com Agreed":                    `sites.txt:2:13: unknown setting "Agreed": write agreed`,
		"example.com colour=red":                `sites.txt:2:13: unknown setting "colour": there is delay, jitter, concurrency, max-delay, longer, backoff, max-wait, max-queue, max-retry-after, group, group-delay, group-concurrency, together, agreed, default`,
		"example.com delay=2":                   `sites.txt:2:13: delay: "2" has no unit: write it as in 2s`,
		"example.com delay=soon":                `sites.txt:2:13: delay: "soon" is no time: write it as in 2s, 500ms or 1m30s`,
		"example.com delay=-2s":                 `sites.txt:2:13: delay: "-2s" is less than zero: write it as in 2s`,
		"example.com delay":                     "sites.txt:2:13: delay needs a value: write it after a =, as in delay=2s",
		"example.com delay=":                    "sites.txt:2:13: delay needs a value: write it after a =, as in delay=2s",
		"example.com delay=1s delay=2s":         "sites.txt:2:22: delay is there twice: write one of them",
		"example.com concurrency=-1":            `sites.txt:2:13: concurrency: "-1" is no number of requests: write it as in 8, or any`,
		"example.com concurrency=0":             `sites.txt:2:13: concurrency: "0" is no number of requests: write it as in 8, or any`,
		"example.com jitter=NaN":                `sites.txt:2:13: jitter: "NaN" is no number from zero: write it as in 0.5`,
		"example.com jitter=Inf":                `sites.txt:2:13: jitter: "Inf" is no number from zero: write it as in 0.5`,
		"example.com max-delay=0":               "sites.txt:2:13: max-delay: zero means nothing here: write a longer time, as in 30s, or none to keep no crawl-delay",
		"example.com max-wait=0":                "sites.txt:2:13: max-wait: zero means nothing here: write a longer time, as in 30s, or max-queue=none to wait for no turn",
		"example.com max-queue=0":               `sites.txt:2:13: max-queue: "0" is no number of requests: write it as in 100, or none`,
		"example.com max-retry-after=48h":       `sites.txt:2:13: max-retry-after: "48h" is not between zero and a day: write it as in 1h`,
		"example.com max-retry-after=soon":      `sites.txt:2:13: max-retry-after: "soon" is no time`,
		"example.com longer=refused":            `sites.txt:2:13: longer: "refused" is not known: write refuse, or leave it out`,
		"example.com backoff=on":                `sites.txt:2:13: backoff: "on" is not known: write off, or leave it out`,
		"example.com together=":                 "sites.txt:2:13: together= has no name: write together, or a name as in together=wiki",
		"example.com together=\u00a0":           "sites.txt:2:1: the key \"\\u00a0\" has white space: write a name without",
		"example.com agreed=yes":                "sites.txt:2:13: agreed has no value: write agreed alone",
		"example.com group":                     "sites.txt:2:13: group needs a value: write it after a =",
		"example.com group=a\u00a0b":            "sites.txt:2:13: group: the name \"a\\u00a0b\" has white space: write a name without",
		"example.com group=domain backoff=off":  "sites.txt:2:1: group=domain has no gap and no limit, and with backoff=off no breaks: write group-delay=500ms, or group-concurrency=2",
		"example.com group-delay=1s":            "sites.txt:2:1: group-delay and group-concurrency are for a group: write which, as in group=domain",
		"example.com group=none group-delay=1s": "sites.txt:2:1: group=none is no group: leave group-delay and group-concurrency out",
		"example.com group-delays=1s":           `sites.txt:2:13: unknown setting "group-delays": write group-delay`,
		"example.com default agreed":            "sites.txt:2:1: default says that nothing is different: leave it or the other settings out",
		"FIRST.example agreed":                  "sites.txt:2:1: first.example is on line 1 already: write all its settings there",
		"exa mple.com":                          `sites.txt:2:5: unknown setting "mple.com": there is`,
		"example.com delay=2s\r concurrency=\r": `sites.txt:2:13: delay: "2s\r" is no time`,
	} {
		_, err := sites.Parse("sites.txt", "first.example agreed\n"+line+"\nlast.example agreed\n")
		assert.ErrorContains(t, err, want, line)
	}
}

// An error names all problems at once, but not thousands.
func TestParseTellsSome(t *testing.T) {
	_, err := sites.Parse("sites.txt", strings.Repeat("example.com colour=red\n", 3))
	assert.Len(t, strings.Split(err.Error(), "\n"), 3)
	for _, line := range []string{"example.com colour=red", "example.com hours=%d-%[1]d:30 default"} {
		var text strings.Builder
		for i := range 20 {
			fmt.Fprintf(&text, line+"\n", i)
		}
		_, err = sites.Parse("sites.txt", text.String())
		assert.Len(t, strings.Split(err.Error(), "\n"), 10)
	}
}

// A text and its patterns are bounded.
func TestBounds(t *testing.T) {
	_, err := sites.Parse("sites.txt", strings.Repeat("\n", sites.MaxSize+1))
	assert.ErrorContains(t, err, "sites.txt: the file is longer than 16 MiB")
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, "*%d* delay=1s\n", i)
	}
	_, err = sites.Parse("sites.txt", text.String())
	assert.NoError(t, err)
	text.WriteString("*one*more* delay=1s\n")
	_, err = sites.Parse("sites.txt", text.String())
	assert.ErrorContains(t, err, "sites.txt:1001:1: there are more than 1000 patterns: write a domain, as in .example.com")
}

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "sites.txt")
	_, err := sites.ReadFile(name)
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, err = sites.ReadFile(filepath.Dir(name))
	assert.Error(t, err, "a folder")
	require.NoError(t, os.WriteFile(name, []byte("example.com agreed\n"), 0o600))
	table, err := sites.ReadFile(name)
	require.NoError(t, err)
	site := table.Site(request("http://example.com/"))
	require.NotNil(t, site)
	assert.Equal(t, name+":1", site.Basis)
	require.NoError(t, os.WriteFile(name, make([]byte, sites.MaxSize+1), 0o600))
	_, err = sites.ReadFile(name)
	assert.ErrorContains(t, err, "longer than 16 MiB")
}

// A table that is parsed and written is parsed and written as the same again. No URL
// makes a look-up panic.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"example.com delay=2s concurrency=1 # comment\n.example.org jitter=0.5 together\n",
		"*.wiki.example delay=5s together=w\nhttps://api.example.net:8443 delay=0 max-queue=none\n* agreed\n",
		"[2001:db8::1] backoff=on\n*a*b default\nhttp://[fe80::1%25a.b] longer=refuse max-delay=1m\n",
		"exämple.com max-wait=1h30m max-retry-after=24h\n",
		"* hours=22-6 delay=10s\n* delay=1s\nexample.com together\nexample.com together hours=0-1 default\nexample.com hours=7-24 together\n",
		"* group=address group-delay=500ms\n.a group=none\n.b delay=1s group=farm group-concurrency=2\n",
	} {
		f.Add(text, "http://www.example.com/")
	}
	f.Fuzz(func(t *testing.T, text, raw string) {
		table, err := sites.Parse("sites.txt", text)
		if err != nil {
			return
		}
		if u, err := url.Parse(raw); err == nil {
			table.Site(&http.Request{URL: u})
		}
	})
}

func request(url string) *http.Request {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		panic(err)
	}
	return req
}

// The documentation has all settings.
func TestSettingsAreDocumented(t *testing.T) {
	_, err := sites.Parse("sites.txt", "example.com colour=red")
	_, list, _ := strings.Cut(err.Error(), "there is ")
	doc, readErr := os.ReadFile("doc.go")
	require.NoError(t, readErr)
	page, readErr := os.ReadFile("../docs/settings.md")
	require.NoError(t, readErr)
	for name := range strings.SplitSeq(list, ", ") {
		assert.Regexp(t, `(?m)^//\t`+name+`[= ]`, string(doc))
		assert.Regexp(t, "(?m)^\\| `"+name+"[=`]", string(page))
	}
}
