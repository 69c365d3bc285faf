package command

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/go-polite/polite/store/boltstore"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// lasting answers with a page that is fresh for an hour.
func lasting(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "max-age=3600")
	w.Header().Set("Content-Signal", "ai-train=no")
	origintest.Text("page\n")(w, r)
}

// changing answers with a page of version 1, which the caller may have.
func changing(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", `"1"`)
	if r.Header.Get("If-None-Match") == `"1"` {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	origintest.Text("page\n")(w, r)
}

// Each row is two runs for a page, and what arrives at the site in the second.
func TestGetKeptPages(t *testing.T) {
	for name, test := range map[string]struct {
		page          http.HandlerFunc
		first, second []string
		arrives       []string
		tells         string
	}{
		"fresh":             {lasting, nil, nil, nil, "matches), from the cache\n"},
		"unchanged":         {changing, nil, nil, []string{"/a"}, "matches), unchanged\n"},
		"said nothing":      {origintest.Text("page\n"), nil, nil, []string{"/a"}, "matches)\n"},
		"--refresh":         {lasting, nil, []string{"--refresh"}, []string{"/robots.txt", "/a"}, "matches)\n"},
		"--refresh, a 304":  {changing, nil, []string{"--refresh"}, []string{"/robots.txt", "/a"}, ", unchanged\n"},
		"--no-cache":        {lasting, nil, []string{"--no-cache"}, []string{"/robots.txt", "/a"}, "matches)\n"},
		"--no-cache before": {lasting, []string{"--no-cache"}, nil, []string{"/robots.txt", "/a"}, "matches)\n"},
		"another crawler":   {lasting, nil, []string{"-A", "OtherBot"}, []string{"/robots.txt", "/a"}, "matches)\n"},
		"with a secret":     {lasting, []string{"-H", "X-Api-Key: x"}, nil, []string{"/a"}, "matches)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, origintest.Text("user-agent: *\ndisallow: /private\n"), pages{"/a": test.page})
			get := func(flags []string) result {
				return runHurried(t, append(append([]string{"get"}, flags...), s.URL+"/a")...)
			}
			require.Equal(t, 0, get(test.first).status)
			before := len(s.arrivals())
			got := get(test.second)
			assert.Equal(t, 0, got.status)
			assert.Equal(t, "page\n", got.stdout)
			assert.True(t, strings.HasSuffix(got.stderr, test.tells), got.stderr)
			assert.ElementsMatch(t, test.arrives, s.arrivals()[before:])
		})
	}
}

// JSON tells how a kept page came, and what its site says of it.
func TestGetKeptPagesJSON(t *testing.T) {
	s := newSite(t, origintest.Text(""), pages{"/a": lasting, "/b": changing, "/old": origintest.Redirect("/a")})
	urls := []string{s.URL + "/old", s.URL + "/b"}
	getJSON(t, urls...)
	got := runCommand(t, append([]string{"get", "--json"}, urls...)...)
	assert.Contains(t, got.stderr, `"page":"from the cache"`)
	assert.Contains(t, got.stderr, `"page":"unchanged"`)
	assert.Contains(t, got.stderr, "ai-train=no")
}

// polite cache tells how many pages there are, and deletes them.
func TestCacheOfPages(t *testing.T) {
	s := newSite(t, origintest.Text(""), pages{"/a": lasting, "/b": lasting})
	require.Equal(t, 0, runHurried(t, "get", s.URL+"/a", s.URL+"/b").status)
	assert.Regexp(t, `(?m)^pages    2, of \d+ bytes$`, runCommand(t, "cache").stdout)
	var sum map[string]any
	require.NoError(t, json.Unmarshal([]byte(runCommand(t, "cache", "--json").stdout), &sum))
	assert.Equal(t, 2.0, sum["pages"])
	assert.Greater(t, sum["page_bytes"], 10.0)
	require.Equal(t, 0, runCommand(t, "cache", "clear").status)
	assert.NotContains(t, runCommand(t, "cache").stdout, "pages")
}

// While another run has the file of the cache, pages are kept all the same.
func TestGetKeptPagesOfTwoRuns(t *testing.T) {
	s := newSite(t, origintest.Text(""), pages{"/a": lasting})
	file := newCache(t)
	other, err := boltstore.Open(file, boltstore.Options{})
	require.NoError(t, err)
	defer other.Close()
	runHurried(t, "get", s.URL+"/a")
	got := runHurried(t, "get", s.URL+"/a")
	assert.Contains(t, got.stderr, ", from the cache\n")
	assert.Equal(t, []string{"/robots.txt", "/a", "/robots.txt"}, s.arrivals())
}

// Pages that cannot be kept are told once, and come all the same.
func TestGetPagesNotKept(t *testing.T) {
	s := newSite(t, origintest.Text(""), pages{"/a": lasting, "/b": lasting})
	file := newCache(t)
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(file), "pages"), nil, 0o600))
	got := runHurried(t, "get", s.URL+"/a", s.URL+"/b")
	assert.Equal(t, 0, got.status)
	assert.Equal(t, "page\npage\n", got.stdout)
	assert.Regexp(t, `(?m)^polite get: not all pages are in the cache: .*pages.*$`, got.stderr)
}
