package command

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/sites"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sitesFile makes a file for --sites.
func sitesFile(t *testing.T, text string) (name string) {
	name = filepath.Join(t.TempDir(), "sites.txt")
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	return name
}

// hurried returns the arguments of a command that leaves no gap between the pages of the
// sites of tests, which nobody has to wait for then. Only get leaves one.
func hurried(t *testing.T, args ...string) []string {
	if args[0] != "get" {
		return args
	}
	return append([]string{"get", "--sites", sitesFile(t, "127.0.0.1 delay=0s\n")}, args[1:]...)
}

// runHurried runs a command that leaves no gap between the pages of a site.
func runHurried(t *testing.T, args ...string) result { return runCommand(t, hurried(t, args...)...) }

// Who has agreed is not asked. The delay of the file holds also from one run to the next.
func TestGetSites(t *testing.T) {
	s := newSite(t, origintest.Text("user-agent: *\ndisallow: /\n"), pages{"/a": origintest.Text("page a\n")})
	file := sitesFile(t, "# ours\n127.0.0.1 agreed delay=30m\n")
	first := runCommand(t, "get", "--sites", file, s.URL+"/a")
	assert.Equal(t, 0, first.status)
	assert.Equal(t, "page a\n", first.stdout)
	assert.Equal(t, "allowed     200  "+s.URL+"/a  (the owner has agreed: "+file+":2)\n", first.stderr)
	assert.Regexp(t, `^waiting (30m0|2\dm\d+)s: delay of 30m0s set for `+s.URL+`\nfailed  `, untilItWaits(t, "get", "--sites", file, s.URL+"/a"))
	assert.Equal(t, []string{"/a"}, s.arrivals())
}

// Without --sites, the owner has not agreed.
func TestGetWithoutSites(t *testing.T) {
	s := newSite(t, origintest.Text("user-agent: *\ndisallow: /\n"), nil)
	runCommand(t, "get", "--sites", sitesFile(t, "127.0.0.1 agreed\n"), s.URL+"/a")
	assert.Equal(t, 3, runCommand(t, "get", s.URL+"/a").status)
	assert.Equal(t, []string{"/a", "/robots.txt"}, s.arrivals())
}

// A file that makes no sense asks nobody for anything.
func TestSitesMisuse(t *testing.T) {
	s := newSite(t, http.NotFound, nil)
	for text, want := range map[string]string{
		"127.0.0.1 dealy=2s\n":                      `:1:11: unknown setting "dealy": write delay` + "\n",
		"127.0.0.1 dealy=2s\na delay=2\nb delay=\n": `:1:11: unknown setting "dealy": write delay (more lines are wrong: 2)` + "\n",
		"\x1b[31m agreed\n":                         `is no host`,
	} {
		file := sitesFile(t, text)
		for _, verb := range []string{"get", "check"} {
			got := runCommand(t, verb, "--sites", file, s.URL+"/a")
			assert.Equal(t, 2, got.status)
			assert.Contains(t, got.stderr, "polite "+verb+": --sites: "+file)
			assert.Contains(t, got.stderr, want)
			assert.NotContains(t, got.stderr, "\x1b")
		}
	}
	assert.Empty(t, s.arrivals())
}

// The guide tells all settings, and its example is a file.
func TestSitesGuide(t *testing.T) {
	_, err := sites.Parse("sites.txt", "example.com colour=red")
	_, list, _ := strings.Cut(err.Error(), "there is ")
	for name := range strings.SplitSeq(list, ", ") {
		assert.Regexp(t, `(?m)^    `+name+`[= ]`, guide("sites"))
	}
	example := strings.Split(guide("sites"), "\n\n")[2]
	_, err = sites.Parse("the guide", example)
	assert.NoError(t, err)
}

// Unless the file says otherwise, a second lies between two pages of a site.
func TestGetIsGentle(t *testing.T) {
	var last time.Time // the last page has arrived
	s := newSite(t, http.NotFound, pages{"/a": func(http.ResponseWriter, *http.Request) { last = time.Now() }})
	before := time.Now()
	_, gentle := getJSON(t, s.URL+"/a", s.URL+"/a")
	assert.GreaterOrEqual(t, last.Sub(before), time.Second-5*time.Millisecond)
	require.Len(t, gentle, 2)
	assert.EqualValues(t, 1, gentle[0]["gap"])
	_, quick := getJSON(t, "--sites", sitesFile(t, "127.0.0.1 delay=0s\n"), s.URL+"/a")
	assert.NotContains(t, quick[0], "gap")
}
