package verb

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// No cell is a formula.
func TestCSVLine(t *testing.T) {
	assert.Equal(t, "'=1+1,'-2,'@x,'+y,a=b,\"a\"\"b,c\"\n", CSVLine("=1+1", "-2", "@x", "+y", "a=b", `a"b,c`))
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
		assert.Equal(t, want, Shown(arg))
	}
}
