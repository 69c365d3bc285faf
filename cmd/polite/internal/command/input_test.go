package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// reading are the commands that read a file, which comes last.
var reading = [][]string{
	{"lint"}, {"lint", "--json"}, {"lint", "--sarif"},
	{"records"}, {"records", "--json"}, {"records", "--sitemaps"}, {"records", "--sitemaps", "--json"},
	{"check", "/x", "-f"}, {"check", "/x", "--json", "-f"}, {"check", "/x", "/y", "-f"},
}

func withFile(args []string, name string) []string { return append(args[:len(args):len(args)], name) }

// What cannot be read is told in a line that names it.
func TestUnreadable(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	require.NoError(t, os.WriteFile(secret, nil, 0))
	names := map[string]string{
		dir:                          "is a directory",
		filepath.Join(dir, "none"):   "no such file or directory",
		filepath.Join(dir, "a.site"): "for the robots.txt of a site, write its URL",
	}
	if _, err := os.ReadFile(secret); err != nil { // root reads everything
		names[secret] = "permission denied"
	}
	for name, want := range names {
		for _, args := range reading {
			got := runCommand(t, withFile(args, name)...)
			assert.Equal(t, 4, got.status, args)
			line, _, _ := strings.Cut(got.stderr, "\n")
			assert.True(t, strings.HasPrefix(line, "polite "+args[0]+": "), line)
			assert.Contains(t, line, name)
			assert.Contains(t, line, want)
		}
	}
}

// A site without a robots.txt, or one that fails, has none to read.
func TestNoRobotsTxt(t *testing.T) {
	for code, want := range map[int]string{404: "answered 404 Not Found", 500: "answered 500 Internal Server Error"} {
		s := newSite(t, origintest.Status(code), nil)
		for _, command := range []string{"lint", "records"} {
			got := runCommand(t, command, s.URL+"/some/page")
			assert.Equal(t, 4, got.status)
			line, _, _ := strings.Cut(got.stderr, "\n")
			assert.Equal(t, "polite "+command+": "+s.URL+"/robots.txt "+want, line)
		}
	}
}

func TestReadOneMisuse(t *testing.T) {
	assertMisuse(t, "records", "of which robots.txt?")
	assertMisuse(t, "records", "begins with https:// or http://", "ftp://example.com/")
	assertMisuse(t, "records", "no host", "http:///robots.txt")
	assertMisuse(t, "records", "-x", "-x")
}

func TestNoPasswordIsTold(t *testing.T) {
	for _, arg := range []string{"ftp://user:secret@host/", "http://user:secret@host:bad/", "http://user:secret@host/%zz", "user:secret@host/", "//user:secret@host/", "http://user:secret@/", "https:/user:secret@host/", "http://user:x/secret@host/", "http://user:%zzsecret@host/"} {
		got := runWithInput(t, arg+"\n", "check", "--json")
		assert.Contains(t, got.stdout, "user:xxxxx@")
		assert.NotContains(t, got.stdout, "secret")
		got = runWithInput(t, arg+"\n", "check", "-f", "testdata/shop.txt")
		assert.NotContains(t, got.stdout, "secret")
		for _, args := range [][]string{{"check", arg}, {"get", arg}, {"lint", "HTTP:/" + arg}, {"check", "-f", "https:/" + arg, "/x"}, {"identity", arg}, {arg}} {
			got := runCommand(t, args...)
			assert.Equal(t, 2, got.status)
			assert.NotContains(t, got.stdout+got.stderr, "secret", args)
		}
	}
}

func TestFileIsShownWithoutPassword(t *testing.T) {
	got := runCommand(t, "lint", "user:secret@host/robots.txt")
	assert.Equal(t, 4, got.status)
	assert.Contains(t, got.stderr, "open user:xxxxx@host/robots.txt: no such file")
}
