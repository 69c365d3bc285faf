package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/go-polite/polite/internal/origintest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// However a robots.txt comes, what is told of it is what counts.
func TestReadSite(t *testing.T) {
	const body = "user-agent: *\ndisallow: /x\nsitemap: https://site.example/s.xml\n"
	var zipped bytes.Buffer
	w := gzip.NewWriter(&zipped)
	io.WriteString(w, body)
	require.NoError(t, w.Close())
	for name, robots := range map[string]http.HandlerFunc{
		"as it is":             origintest.Text(body),
		"compressed":           encoded("gzip", zipped.Bytes()),
		"compressed otherwise": encoded("x-gzip", zipped.Bytes()),
		"redirected":           origintest.Redirect("https://other.example/robots.txt"),
		"with an empty port":   origintest.Redirect("https://other.example:/robots.txt"),
	} {
		t.Run(name, func(t *testing.T) {
			server := origintest.New(t)
			server.Robots("site.example", robots)
			server.Robots("other.example", origintest.Text(body))
			source, err := readSite(t.Context(), "https://site.example/", server.Transport(t))
			require.NoError(t, err)
			assert.Equal(t, body, string(source.body))
			assert.Equal(t, "https://site.example/robots.txt", source.name)

			var said struct{ Matches []struct{ Line int } }
			require.NoError(t, json.Unmarshal([]byte(checkJSON(t, server.Transport(t), []string{"a"}, "https://site.example/x")), &said))
			assert.Len(t, said.Matches, 1)
		})
	}
}

func encoded(encoding string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", encoding)
		w.Write(body)
	}
}

func TestShown(t *testing.T) {
	for arg, want := range map[string]string{
		"https://example.com/a:b@c":       "https://example.com/a:b@c",
		"https://example.com?a:b@c":       "https://example.com?a:b@c",
		"https://user@example.com:80/":    "https://user@example.com:80/",
		"https://user:secret@example.com": "https://user:xxxxx@example.com",
		"ftp://:secret@host/":             "ftp://:xxxxx@host/",
		"http://user:se@cret@host:bad/":   "http://user:xxxxx@host:bad/",
		"user:secret@host/%zz":            "user:xxxxx@host/%zz",
		"https:/user:secret@host/":        "https:/user:xxxxx@host/",
		"HTTP:/user:secret@host/":         "HTTP:/user:xxxxx@host/",
		"http:///user:secret@host/":       "http:///user:xxxxx@host/",
		"//user:secret@host/":             "//user:xxxxx@host/",
		"http://user:sec/ret@host/":       "http://user:xxxxx@host/",
		"http://user:sec%zzret@host/":     "http://user:xxxxx@host/",
		"/private/diary":                  "/private/diary",
		"https://u:p@example.com/@me?a@b": "https://u:xxxxx@example.com/@me?a@b",
		"https://u:@example.com/@me":      "https://u:xxxxx@example.com/@me",
		"example.com:8080/@me":            "example.com:8080/@me",
		"example.com/wiki/A:B@c":          "example.com/wiki/A:B@c",
		"a@b:/c:d@e":                      "a@b:xxxxx@e",
		"https:user:secret@host/":         "https:xxxxx@host/",
	} {
		assert.Equal(t, want, shown(arg))
	}
}

func TestNoPasswordIsTold(t *testing.T) {
	for _, arg := range []string{"ftp://user:secret@host/", "http://user:secret@host:bad/", "http://user:secret@host/%zz", "user:secret@host/", "http://user:secret@/", "https:/user:secret@host/", "http://user:x/secret@host/", "http://user:%zzsecret@host/"} {
		got := runWithInput(t, arg+"\n", "check", "--json")
		assert.Contains(t, got.stdout, "user:xxxxx@")
		assert.NotContains(t, got.stdout, "secret")
		for _, args := range [][]string{{"check", arg}, {"get", arg}, {"lint", "HTTP:/" + arg}, {"check", "-f", "https:/" + arg, "/x"}, {"version", arg}, {arg}} {
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

func TestLines(t *testing.T) {
	var got []string
	for line, err := range lines(strings.NewReader(" a \r\n\n" + strings.Repeat("b", maxLine+1) + "\nc\n" + strings.Repeat("d", 3*maxLine))) {
		if err != nil {
			line = err.Error()
		}
		got = append(got, line)
	}
	assert.Equal(t, []string{"a", "a line is longer than any URL", "c", "a line is longer than any URL"}, got)
}
