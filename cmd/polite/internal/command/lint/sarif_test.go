package lint

import (
	"testing"

	"github.com/go-polite/polite/robots/lint"
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

// A fix that removes a line takes its line end along.
func TestRemovedLine(t *testing.T) {
	body := []byte("user-agent: *\r\ndisallow: /x\r\ndisallow: /x\r\nallow: /")
	s := source{Body: body, Findings: lint.Lint(body)}
	line, _ := s.Lines()(s.Findings[0])
	assert.Equal(t, object{"startLine": 3, "startColumn": 1, "endLine": 4, "endColumn": 1}, s.replaced(s.Findings[0], line))
}
