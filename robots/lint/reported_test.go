package lint_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/go-polite/polite/robots/lint"
)

// Files in which people in public have found something, and the checks that find it.
func TestReported(t *testing.T) {
	for body, want := range map[string][]string{
		"User-agent: Google-Extendeded\nDisallow: /\n\nUser-agent: *\nAllow: /\n":                                                                              {"misspelled-crawler"},
		"User-agent: *\nContent-Signal: search=yes, ai-traning=no\nAllow: /\n":                                                                                 {"misspelled-use"},
		"User-agent: *\nContent-Signal: search=yes, ai-retrieval=yes, ai-train=no\nAllow: /\n":                                                                 {"unknown-use"},
		"User-agent: *\nDisallow: /*?sort=\nSitemap: https://example.com/robots.txt\n":                                                                         {"bad-sitemap"},
		"User-agent: *\nDisallow: /example.com/wp-admin/\nAllow: /example.com/wp-admin/admin-ajax.php\n\nSitemap: https://www.example.com/sitemap_index.xml\n": {"host-in-pattern", "host-in-pattern"},
		"Content-Signal: search=yes, ai-input=yes, ai-train=no\n\nUser-agent: *\nAllow: /\n":                                                                   {"signal-outside-group"},
	} {
		var ids []string
		for _, f := range lint.Lint([]byte(body)) {
			ids = append(ids, f.ID)
		}
		assert.Equal(t, want, ids, body)
	}
}
