package lint

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A log without results says so: null would be that nothing was looked for.
func TestNothingFound(t *testing.T) {
	assert.Contains(t, sarifLog(nil, nil, nil), `"results": []`)
}

func TestEscape(t *testing.T) {
	assert.Equal(t, `write "/{{0}}" for "[a\](http://example.com/)", [b] (c)`, escape(`write "/{0}" for "[a](http://example.com/)", [b] (c)`))
}

// Text cannot make a link of a message, which viewers of SARIF would show.
func TestEscapeLinks(t *testing.T) {
	for text, want := range map[string]string{
		"[a](https://evil.example)":    `[a\](https://evil.example)`,
		`[a\](https://evil.example)`:   `[a\](https://evil.example)`,
		`[a\\](https://evil.example)`:  `[a\\\](https://evil.example)`,
		`[a\\\](https://evil.example)`: `[a\\\](https://evil.example)`,
		"{0} [a] (b)":                  "{{0}} [a] (b)",
	} {
		assert.Equal(t, want, escape(text))
	}
}

func TestURI(t *testing.T) {
	for name, want := range map[string]string{
		"robots.txt":                     "robots.txt",
		"a b/ü%.txt":                     "a%20b/%C3%BC%25.txt",
		"c:robots.txt":                   "./c:robots.txt",
		"/srv/robots.txt":                "file:///srv/robots.txt",
		"https://example.com/robots.txt": "https://example.com/robots.txt",
	} {
		assert.Equal(t, want, uri(name))
	}
}
