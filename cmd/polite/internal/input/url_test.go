package input

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// What is no URL is told with the one that was meant, and without its password.
func TestURL(t *testing.T) {
	for arg, want := range map[string]string{
		"https:/a.example/x":      `"https:/a.example/x" is no URL: write it with its scheme, as in https://a.example/x`,
		"http:/a.example":         `as in http://a.example`,
		"a.example/x":             `as in https://a.example/x`,
		"localhost:80":            `as in http://localhost:80`,
		"[::1]/x":                 `as in http://[::1]/x`,
		"b.localhost:80":          `as in http://b.localhost:80`,
		"b.localhosts":            `as in https://b.localhosts`,
		"page":                    `as in https://example.com/`,
		"a b.example":             `as in https://example.com/`,
		"ftp://a.example/":        `"ftp://a.example/" cannot be fetched: write a URL that begins with https:// or http://`,
		"http://a.example:x/":     `"http://a.example:x/" is no URL: invalid port ":x" after host`,
		"http://u:secret@a.b:x/":  `"http://u:xxxxx@a.b:x/" is no URL`,
		"http://u:secret@a.b/%zz": `"http://u:xxxxx@a.b/%zz" is no URL`,
	} {
		_, err := URL(arg)
		if assert.ErrorContains(t, err, want, arg) {
			assert.NotContains(t, err.Error(), "secret")
		}
	}
	for arg, want := range map[string]string{"": "", "a.example": "https://a.example", "http://x": "http://x", "127.0.0.1/": "http://127.0.0.1/"} {
		assert.Equal(t, want, WithScheme(arg))
	}
	for arg, want := range map[string]bool{"HTTPS:/x": true, "Http:/x": true, "x://": true, "http:x": false, "https.txt": false, "/x": false} {
		assert.Equal(t, want, IsURL(arg), arg)
	}
}

// With a file to go by, a path is a question, too.
func TestQuestion(t *testing.T) {
	for _, test := range []struct {
		arg    string
		byFile bool
		name   string // as it is shown
		url    string // "" for an error
	}{
		{"/page", true, "/page", "https://localhost/page"},
		{"/page", false, "/page", ""},
		{"/to?u=https://a.example/", true, "/to?u=https://a.example/", "https://localhost/to?u=https://a.example/"},
		{"https://u:secret@a.example/", true, "https://u:xxxxx@a.example/", "https://u:secret@a.example/"},
		{"//u:secret@a.example/", true, "//u:xxxxx@a.example/", "https://localhost//u:secret@a.example/"},
		{"/a:b@c", true, "/a:b@c", "https://localhost/a:b@c"},
		{"/\x7f", true, "/\x7f", ""},
		{"page", true, "page", ""},
	} {
		q := Question(test.arg, test.byFile)
		assert.Equal(t, test.name, q.Name)
		if assert.Equal(t, test.url == "", q.Err != nil, test.arg) && q.Err == nil {
			assert.Equal(t, test.url, q.URL.String())
		}
	}
}
