package programs

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Git learns what a repository has that is allowed, and nothing of one that is not.
func TestGit(t *testing.T) {
	program{name: "git", tries: "git --version"}.needs(t)
	w := newWeb(t)
	w.Robots("shop.test", origintest.Text(rules))
	w.Page("shop.test", "/shop.git/info/refs", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		id := strings.Repeat("1", 40)
		fmt.Fprint(w, packet("# service=git-upload-pack\n"), "0000", packet(id+" HEAD\x00agent=test\n"), packet(id+" refs/heads/main\n"), "0000")
	})
	got := politely(t, w, nil, "git", "ls-remote", "https://shop.test/shop.git")
	assert.Contains(t, got.out, "refs/heads/main", got.err)
	got = politely(t, w, nil, "git", "ls-remote", "https://shop.test/private.git")
	assert.NotZero(t, got.status)
	assert.Contains(t, got.err, "403")
	for _, a := range w.Log().Pages() {
		assert.Equal(t, "/shop.git/info/refs?service=git-upload-pack", a.URI)
		assert.Equal(t, []string{userAgent}, a.Header["User-Agent"])
	}
	assert.Len(t, w.Log().Pages(), 1)
}

// packet returns a text as Git sends it, after its length.
func packet(text string) string { return fmt.Sprintf("%04x%s", len(text)+4, text) }

// A program in Go needs no setting.
func TestGo(t *testing.T) {
	source, err := filepath.Abs("testdata/fetch.go")
	require.NoError(t, err)
	path, err := build("fetch", filepath.Dir(source), source)
	require.NoError(t, err)
	w := newWeb(t)
	w.Robots("shop.test", origintest.Text(rules))
	got := politely(t, w, nil, path, "https://shop.test/a", "https://shop.test/b", "https://shop.test/private", "https://shop.test/c")
	assert.Equal(t, "200\n200\n403\n200\n", got.out, got.err)
	assertPolite(t, w.Log(), "/a", "/b", "/c")
}

// A program that tries again at once does not reach the site: one request for robots.txt does.
func TestNoStormOfRetries(t *testing.T) {
	program{name: "requests", tries: python + " -c import\trequests"}.needs(t)
	w := newWeb(t)
	w.Robots("shop.test", origintest.Status(http.StatusServiceUnavailable))
	script, err := filepath.Abs("testdata/impatient.py")
	require.NoError(t, err)
	got := politely(t, w, nil, python, script, "https://shop.test/a")
	assert.Equal(t, "503\n", got.out, got.err)
	assert.Contains(t, got.err, "4 refused (no-rules)")
	assert.Equal(t, "GET https://shop.test/robots.txt\n", w.Log().String())
}
