package verb

import (
	"strings"
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
		":/user:secret@host/":             ":/user:xxxxx@host/",
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

// Of a text and of names, so much is told.
func TestRoom(t *testing.T) {
	x := strings.Repeat("x", longestText)
	assert.Equal(t, x, Cut(x))
	assert.Equal(t, x+"...", Cut(x+"y"))
	assert.Equal(t, x[1:]+"\uFFFD...", Cut(x[1:]+"é"))

	r := RoomFor(10)
	assert.EqualValues(t, plainOctets+10, r)
	r = 5
	all := []string{"a", "b", "c"}
	told, more := r.Names(all)
	assert.Equal(t, []any{all, 0, Room(5 - 3*4)}, []any{told, more, r}, "it ends after the list in which it is used up")
	told, more = r.Names(all)
	assert.Equal(t, []any{all[:1], 2, Room(5 - 4*4)}, []any{told, more, r})
	told, more = r.Names(nil)
	assert.Equal(t, []any{0, 0}, []any{len(told), more})

	for n, want := range map[int]string{0: "0 URLs", 1: "1 URL", 2: "2 URLs"} {
		assert.Equal(t, want, Count(n, "URL"))
	}
	for name, want := range map[string]string{"a:b": "a:b", "-x": "./-x", "::x": "./::x", "  :x": "./  :x", " x": " x", "a\x1b": `a\x1b`} {
		assert.Equal(t, want, Beginning(name))
	}
}
