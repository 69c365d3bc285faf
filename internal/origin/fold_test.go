package origin_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFolded(t *testing.T) {
	for target, want := range map[string]string{
		"/x/../private":            "/private",
		"//private":                "/private",
		"/x/%2e%2e/private":        "/private",
		"/x/.%2E/private":          "/private",
		"/%2e/private":             "/private",
		"/./private":               "/private",
		"/x/y/../../private":       "/private",
		"/x/y/..//..//private":     "/private",
		"/x//../private":           "/private",
		"/../private":              "/private",
		"/../../x/../private":      "/private",
		"///":                      "/",
		"/.":                       "/",
		"/..":                      "/",
		"/x/..":                    "/",
		"/x/.":                     "/x/",
		"/x/%2e":                   "/x/",
		"/x/./":                    "/x/",
		"/x/y/..":                  "/x/",
		"/x//":                     "/x/",
		"/x/..?a/../b":             "/?a/../b",
		"//x?//":                   "/x?//",
		"/x/../%2e%2e%2fprivate":   "/%2e%2e%2fprivate",
		"//private\\..\\a":         "/private\\..\\a",
		"//%70rivate/%zz%2":        "/%70rivate/%zz%2",
		"//ä/\xff/ b":              "/ä/\xff/ b",
		"/x;a/..;b/../private":     "/x;a/private",
		"//example.com/../private": "/private",
	} {
		assert.Equal(t, want, origin.Folded(target), target)
	}
}

func TestFoldedAlready(t *testing.T) {
	for _, target := range []string{
		"", "/", "*", "a/../b", "/a", "/a/", "/a/b?c", "/?", "/?//", "/a?b/../c", "/.well-known/a", "/a./b", "/a..", "/...", "/%2e%2e%2e/",
		"/%2ea", "/%2", "/%2fa", "/a%2f..%2fb", "/a\\..\\b", "/..;a/b", "/" + strings.Repeat("a/", 1000),
	} {
		assert.Equal(t, target, origin.Folded(target))
		assert.Zero(t, testing.AllocsPerRun(10, func() { origin.Folded(target) }), target)
	}
}

// Folding twice is the same as folding once. Without percent-encoding it is the same as
// path.Clean, except that a folder stays one.
func FuzzFolded(f *testing.F) {
	for _, seed := range []string{"/x/../private?a", "//a//", "/%2E%2e/b", "/a/b/.", "/..", "/.a/..b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, target string) {
		folded := origin.Folded(target)
		require.Equal(t, folded, origin.Folded(folded))
		require.LessOrEqual(t, len(folded), len(target))
		before, query, asks := strings.Cut(target, "?")
		after, kept, asked := strings.Cut(folded, "?")
		require.Equal(t, []any{query, asks}, []any{kept, asked})
		if !strings.HasPrefix(target, "/") || strings.Contains(before, "%") {
			return
		}
		want := path.Clean(before)
		last := before[strings.LastIndexByte(before, '/')+1:]
		if want != "/" && slices.Contains([]string{"", ".", ".."}, last) {
			want += "/"
		}
		require.Equal(t, want, after)
	})
}
